"""Hard cases: docs/results/hard_cases.md lists exactly what the default recognizer gets wrong.

When this fails because a case is solved now, or because a miss is accepted, write the page again:
`python -m sage_rag.eval.studies hard_cases --out docs/results/hard_cases.md`.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies import hard_cases as study
from sage_rag.eval.studies.hard_cases import HardCase, hard_cases, judge, tables
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.testing import TableRecognizer

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "results" / "hard_cases.md").read_text("utf-8")
MISSED = set(PAGE.partition("## Missed\n\n")[2].splitlines()[2:])
CASE = HardCase("words", "Mark, ask the bank of Jo-Ann", ("Mark", "Jo-Ann"), ("bank",))


@pytest.fixture(scope="module")
def verdicts():
    return judge(hard_cases(), default_recognizer())


def listed(verdicts):
    return set(tables(verdicts).partition("## Missed\n\n")[2].splitlines()[2:])


def test_no_case_is_missed_that_the_page_does_not_list(verdicts):
    assert listed(verdicts) - MISSED == set()


def test_no_case_is_listed_as_missed_that_is_caught(verdicts):
    assert MISSED - listed(verdicts) == set()


def test_the_page_counts_what_the_recognizer_does(verdicts):
    assert tables(verdicts) in PAGE


def test_there_are_cases_enough_of_every_kind():
    counts = Counter(case.kind for case in hard_cases())
    assert min(counts.values()) >= 5
    assert sum(counts.values()) >= 150


@pytest.mark.parametrize(
    ("found", "uncovered", "taken"),
    [
        (("Mark", "Jo-Ann"), (), ()),
        (("Mark", "Jo", "Ann"), (), ()),
        (("Mar", "Jo-Ann"), ("Mark",), ()),
        (("Mark", "ank", "Jo-Ann"), (), ("bank",)),
        ((), ("Mark", "Jo-Ann"), ()),
    ],
)
def test_a_case_is_judged_by_letters_covered(found, uncovered, taken):
    [verdict] = judge([CASE], TableRecognizer(dict.fromkeys(found, EntityType.PERSON)))
    assert (verdict.uncovered, verdict.taken) == (uncovered, taken)
    assert verdict.solved == (not uncovered and not taken)


def test_the_tables_count_values_and_list_what_went_wrong():
    table = tables(judge([CASE], TableRecognizer({"Mark": EntityType.PERSON})))
    assert "| words | 0 of 1 | 1 of 2 | 1 of 1 |" in table
    assert "| words | `Mark, ask the bank of Jo-Ann` | `Jo-Ann` |  |" in table


def test_line_breaks_and_bars_stay_in_their_cell():
    case = HardCase("lists", "Name | Room\nFenwick\\", ("Fenwick",), ())
    assert r"`Name \| Room\nFenwick\\`" in tables(judge([case], TableRecognizer({})))


@pytest.mark.parametrize(
    ("text", "private"), [("Ann and Ann", ["Ann"]), ("Ann", ["Bob"]), ("Ann", [])]
)
def test_a_case_whose_strings_do_not_stand_once_is_an_error(monkeypatch, tmp_path, text, private):
    row = {"kind": "words", "text": text, "private": private, "stays": []}
    (tmp_path / "hard_cases.jsonl").write_text(json.dumps(row), "utf-8")
    monkeypatch.setattr(study.resources, "files", lambda package: tmp_path)
    with pytest.raises(InputError):
        hard_cases()
