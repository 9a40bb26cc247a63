"""What a copied sentence may not lose or exchange: who says so, when it holds, which of two."""

from __future__ import annotations

import pytest

from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.meaning import meaning_changes

BEFORE = "We met the committee in the old town hall on Friday. "
ALTERED = (
    ("The tenant said that the lock was changed.", "The lock was changed.", "speaker"),
    ("She says she signed nothing.", "She signed nothing.", "speaker"),
    ("The driver told us that the light was green.", "The light was green there.", "speaker"),
    (
        "The fee is not refunded for the weeks in which the pool was open.",
        "The fee is not refunded.",
        "condition",
    ),
    (
        "Switch it on once the hose is dry and the filter is clean.",
        "Switch it on once the hose is dry.",
        "condition",
    ),
    ("It leaked on almost every day in May.", "It leaked on every day in May.", "relation"),
    ("Otherwise we may have to close it.", "Otherwise we will have to close it.", "relation"),
    (
        "Call us if the hose drips or the pump stops.",
        "Call us if the hose drips and the pump stops.",
        "relation",
    ),
    (
        "The road is closed because the bridge is old.",
        "The road is closed although the bridge is old.",
        "relation",
    ),
    (
        "He would rather have grey than brown tiles.",
        "He would rather have brown than grey tiles.",
        "word",
    ),
    (
        "The oil came from the pump and not from the lorry.",
        "The oil came from the lorry and not from the pump.",
        "word",
    ),
)
FAITHFUL = (
    ("The tenant said that the lock was changed.", "The tenant stated that the lock was changed."),
    ("I said that the lock was changed.", "The lock was changed."),
    ("It leaked on almost every day in May.", "It leaked on nearly every day in May."),
    ("He would rather have grey than brown tiles.", "He would rather have grey than brown tiles."),
    (
        "The road is closed because the bridge is old.",
        "Because the bridge is old, the road is closed.",
    ),
)


def changed(source: str, draft: str) -> list[str]:
    findings = meaning_changes({"text": BEFORE + source}, {"text": BEFORE + draft})
    return [f.message for f in findings if f.kind is FindingKind.MEANING_CHANGED]


@pytest.mark.parametrize(("source", "draft", "what"), ALTERED)
def test_a_cut_or_exchanged_part_is_found(source: str, draft: str, what: str) -> None:
    assert any(f" a {what} " in message for message in changed(source, draft))


@pytest.mark.parametrize(("source", "draft"), FAITHFUL)
def test_other_words_for_the_same_pass(source: str, draft: str) -> None:
    assert changed(source, draft) == []


RULE = "You may store bicycles in the cellar."
RESTRICTIONS = (
    "This does not apply in winter.",
    "Only chain them to the rail.",
    "They must not block the meter.",
    "If they block the meter, we remove them.",
    "But not before the new racks are there.",
    "Never with a motor.",
    "Provided the racks are free.",
    "Exception: tandems.",
    "As long as the racks are free.",
    "Only in summer.",
)


@pytest.mark.parametrize("restriction", RESTRICTIONS)
def test_a_rule_without_the_sentence_that_restricts_it_is_found(restriction: str) -> None:
    assert any(" a condition " in m for m in changed(f"{RULE} {restriction}", RULE))
    assert changed(f"{RULE} {restriction}", f"{RULE} {restriction}") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "They look quite old.",
        "The yard is not lit at night.",
        "Not a single one was stolen in May.",
    ],
)
def test_a_sentence_that_restricts_nothing_may_be_left_out(sentence: str) -> None:
    assert changed(f"{RULE} {sentence}", RULE) == []


def test_a_report_may_lose_what_follows_it() -> None:
    report = "My neighbour stored his bicycle in the cellar."
    assert changed(f"{report} It did not block anything.", report) == []
