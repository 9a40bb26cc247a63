import pytest

from sage_rag.agents.rules.joints import joint_edits


def said(text, *, natural):
    return {
        text[:start] + other + text[end:]
        for start, end, other, reads_well in joint_edits(text)
        if reads_well is natural
    }


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "The rash went to the neck and it began to itch.",
            "The rash went to the neck. It began to itch.",
        ),
        (
            "I took the syrup twice a day, which causes a dry mouth now and then.",
            "I took the syrup twice a day. This causes a dry mouth now and then.",
        ),
        ("The pain is worse at night.", "this pain is worse at night."),
    ],
)
def test_a_joint_that_reads_well(text, other):
    assert other in said(text, natural=True)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("She moved in May 1990.", "She moved back in May 1990."),
        ("She went home and slept.", "She went home and also slept."),
    ],
)
def test_a_joint_that_reads_stiffly(text, other):
    assert other in said(text, natural=False)


@pytest.mark.parametrize(
    "text",
    [
        "If the rash spreads to the neck and it itches, call us.",
        "Does the rash spread to the neck and it itches?",
        "I think that the rash is gone and it stays away.",
    ],
)
def test_a_statement_does_not_end_inside_a_condition_or_question(text):
    assert not any(". I" in other for other in said(text, natural=True))
