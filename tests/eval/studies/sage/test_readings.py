"""What a person counted in published drafts."""

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.corpora import CORPORA
from sage_rag.eval.studies.sage.readings import COUNTS, parse_readings, read_readings

READING = {
    "corpus": '"tab"',
    "commit": '"abc"',
    "drafts": 30,
    "altered": 4,
    "serious": 1,
    "question_lost": 0,
    "ungrammatical": 30,
}


def written(**changes):
    fields = {**READING, **changes}
    lines = [f"{name} = {value}" for name, value in fields.items() if value is not None]
    return "\n".join(["[[reading]]", *lines, ""])


def test_the_last_reading_of_a_corpus_counts():
    other = written(corpus='"squality"', altered=1)
    readings = parse_readings(written() + other + written(altered=9))
    assert list(readings) == ["tab", "squality"]
    assert (readings["tab"].altered, readings["squality"].altered) == (9, 1)
    assert str(readings["tab"].share("altered")).startswith("9 of 30")


@pytest.mark.parametrize(
    "changes",
    [
        {"altered": 31},
        {"ungrammatical": 31},
        {"serious": 5},
        {"question_lost": -1},
        {"drafts": 0},
        {"altered": None},
        {"reader": '"me"'},
    ],
)
def test_an_impossible_reading_is_an_error(changes):
    with pytest.raises(InputError, match=r"readings.toml"):
        parse_readings(written(**changes))


def test_without_readings_there_is_none():
    assert parse_readings("# nothing yet\n") == {}


def test_the_readings_of_this_repository_are_of_corpora_of_the_study():
    readings = read_readings()
    assert set(readings) <= set(CORPORA)
    assert all(getattr(reading, name) >= 0 for reading in readings.values() for name in COUNTS)
