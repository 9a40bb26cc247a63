"""Placeholders that a draft invents or loses."""

from __future__ import annotations

import pytest

from sage_rag.privacy.gate.findings import FindingKind
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY, GateLimits
from sage_rag.privacy.gate.placeholders import invented_placeholders, lost_placeholders

QUESTION = (
    "Last spring [PERSON_1] showed me round in [LOCATION_1] and this ear has rung ever since."
)
ANSWER = "Noise of that kind fades; the ward in [LOCATION_1] tests your hearing."
VISIT = {"question": QUESTION, "answer": ANSWER}
LIMITS = GateLimits()
COMMON = "drops [LOCATION_1], which every field of the record names"


def lost(fields: dict[str, str], draft: str, limits: GateLimits = LIMITS) -> list[str]:
    findings = list(lost_placeholders(fields, draft, limits))
    assert {f.kind for f in findings} <= {FindingKind.LOST_PLACEHOLDER}
    assert {f.start for f in findings} <= {None}
    return [f.message for f in findings]


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("An ear rings since a tour. It goes away.", [COMMON]),
        ("An ear rings since a tour. It goes away, or go to [LOCATION_1].", []),
        ("An ear rings since [LOCATION_1]. It goes away.", []),
        ("An ear rings since [LOCATION_11]. It goes away.", [COMMON]),
        ("", [COMMON]),
    ],
)
def test_what_every_field_names_may_not_be_lost(draft: str, expected: list[str]) -> None:
    assert lost(VISIT, draft) == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"question": QUESTION, "answer": "Noise of that kind fades."},
        {"question": QUESTION, "answer": " "},
        {"text": "In [LOCATION_1] it rained, in [LOCATION_1] it snowed."},
        {},
    ],
)
def test_what_one_field_alone_names_may_be_lost(fields: dict[str, str]) -> None:
    assert lost(fields, "It rings, it rained.") == []


def test_a_placeholder_is_told_once_for_both_reasons() -> None:
    both = {"question": "Is [PERSON_1] well?", "answer": "[PERSON_1] is well."}
    assert len(lost(both, "All is well.")) == 1


def test_of_several_subjects_one_is_enough_and_all_common_ones_are_needed() -> None:
    both = {
        "question": "Are [PERSON_1] and [PERSON_2] well?",
        "answer": "[PERSON_1], [PERSON_2]: so so.",
    }
    off = GateLimits(common_placeholders=False)
    assert lost(both, "[PERSON_2] is so so.", off) == []
    assert lost(both, "[PERSON_2] is so so.") == [
        "drops [PERSON_1], which every field of the record names"
    ]


def test_each_limit_can_be_turned_off() -> None:
    twice = {"text": "[PERSON_1] rang and [PERSON_1] waited."}
    assert lost(twice, "A call.") == ["drops [PERSON_1], whom the record names 2 times"]
    assert lost(twice, "A call.", GateLimits(subject_mentions=3)) == []
    assert lost(twice, "A call.", GateLimits(subject_mentions=None)) == []
    assert lost(VISIT, "A call.", GateLimits(common_placeholders=False)) == []
    assert lost(VISIT | twice, "A call.", IDENTIFIERS_ONLY) == []


def test_an_invented_placeholder_is_found_where_it_stands() -> None:
    draft = "[PERSON_1] met [PERSON_2] and [PERSON_2]."
    found = list(invented_placeholders({"[PERSON_1]": "x"}, draft))
    assert [draft[f.start : f.end] for f in found] == ["[PERSON_2]"] * 2
    assert {f.kind for f in found} == {FindingKind.UNKNOWN_PLACEHOLDER}
