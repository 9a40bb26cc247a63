"""A sentence that refers to another one stands after it, or not at all."""

import pytest

from sage_rag.privacy.gate.meaning import meaning_changes

MOVED = (
    (  # what "it" stands for is left out
        "The knee is swollen. It hurts at night. The heel is well.",
        "It hurts at night. The heel is well.",
    ),
    (
        "The shed is closed. The barn has a toilet. Dogs are not allowed there. Bring a lamp.",
        "The shed is closed. Dogs are not allowed there. The barn has a toilet. Bring a lamp.",
    ),
    (
        "Don't lend the key to guests. They ring at the gate. The alarm is old.",
        "The alarm is old. They ring at the gate. Don't lend the key to guests.",
    ),
    (
        "The seller hid the crack. The buyer may return the van. For 80 hours he has to pay.",
        "The seller hid the crack. For 80 hours he has to pay. The buyer may return the van.",
    ),
    (  # fined for the noise, not since the letter came late
        "The letter came late. He made noise at night. The tenant was thus fined 80 pounds.",
        "The letter came late. The tenant was thus fined 80 pounds.",
    ),
    ("The pool shuts in May. During that time use the lake.", "During that time use the lake."),
)
KEPT = (
    (  # two sentences about the same thing
        "The knee is swollen. It is warm. It hurts at night.",
        "The knee is swollen. It hurts at night.",
    ),
    ("My son fell. The floor was wet. He cries.", "My son fell. He cries."),
    ("The heel is well. The fan broke, and thus we sweat.", "The fan broke, and thus we sweat."),
    ("The heel is well. It is important to rest.", "It is important to rest."),
    ("The heel is well. If the wound opens, close it.", "If the wound opens, close it."),
    ("The heel is well. There is no rash.", "There is no rash."),
    ("The heel is well. Is it safe to run?", "Is it safe to run?"),
    ("Thank you. This is a common rash.", "This is a common rash."),
    ("My aunt fell. My uncle called her doctor. He came.", "My uncle called her doctor. He came."),
)


def _found(source: str, draft: str) -> bool:
    findings = meaning_changes({"text": source}, {"text": draft})
    return any("reference" in finding.message for finding in findings)


@pytest.mark.parametrize(("source", "draft"), MOVED)
def test_a_moved_reference_is_found(source: str, draft: str) -> None:
    assert _found(source, draft)
    assert not _found(source, source)


@pytest.mark.parametrize(("source", "draft"), KEPT)
def test_a_reference_that_stays_the_same_passes(source: str, draft: str) -> None:
    assert not _found(source, draft)


LETTER = "The tenant wrote to the board. He said: “The roof leaks. Nobody came.” The board met."


@pytest.mark.parametrize(
    ("draft", "found"),
    [
        ("The tenant wrote to the board. Nobody came. The board met.", True),
        ("He said: “The roof leaks. Nobody came.” The board met.", False),
        ("The tenant wrote to the board. The board met.", False),
    ],
)
def test_what_a_record_quotes_is_not_its_own_word(draft: str, found: bool) -> None:
    findings = meaning_changes({"text": LETTER}, {"text": draft})
    assert any("speaker" in finding.message for finding in findings) is found
