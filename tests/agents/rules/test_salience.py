import pytest

from sage_rag.agents.rules.salience import saliences

RECORD = [
    "My knee hurts when I climb stairs.",
    "The knee is swollen and the pain comes back on stairs.",
    "We had rain on Sunday.",
]


def test_a_sentence_that_shares_its_words_with_others_is_central():
    values = saliences(RECORD)
    assert values[1] > values[2]
    assert values[0] > values[2]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("[PERSON_1] gave me a brace.", "He gave me a brace."),
        ("Should I get a brace?", "I got a brace."),
        ("Take the syrup 5 mg now.", "Take the syrup 5 times now."),
        ("I got a brace.", "Brace."),
        ("I have one son.", "I have triplets."),
        ("Ask for the nurse.", "Ask at [PHONE_NUMBER_1]."),
    ],
)
def test_names_questions_and_doses_weigh_more_than_scraps_and_rarities(better, worse):
    first, second = saliences([better, worse])
    assert first > second


def test_sentences_of_equally_frequent_words_are_equally_salient():
    """Whatever the order in which a process adds their words."""
    rows = [[f"zob{row}{place}" for place in "bcdfghjk"] for row in "bcdfghjkmn"]
    others = [" ".join(word for row in rows for word in row[:size]) for size in range(1, 8)]
    values = saliences([f"We saw {' '.join(row)}." for row in rows] + others)
    assert len(set(values[: len(rows)])) == 1


def test_nothing_has_no_salience():
    assert saliences([]) == []
    assert saliences([""]) == [pytest.approx(-0.6)]
