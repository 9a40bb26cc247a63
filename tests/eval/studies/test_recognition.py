import json

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies import recognition
from sage_rag.eval.studies.recognition import coverage, tables
from sage_rag.eval.studies.runner import main
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme
from sage_rag.privacy.testing import TableRecognizer

TEXT = "Gudrun Falk of Ulm, born 1950"
ROWS = [
    {
        "text": TEXT,
        "spans": [
            {"start": 0, "end": 11, "label": "PERSON"},
            {"start": 15, "end": 18, "label": "GPE"},
            {"start": 25, "end": 29, "label": "DATE_TIME"},
        ],
    }
]
SCHEME = Scheme.PRESIDIO_RESEARCH


def measure(table, rows=ROWS):
    return coverage(rows, TableRecognizer(table), SCHEME)


def counts(shares):
    return {k: (p.successes, p.trials) for k, p in shares.items()}


def test_a_value_is_found_when_all_of_it_is_and_by_any_type():
    table = {"Gudrun": EntityType.PERSON, "Falk": EntityType.LOCATION, "19": EntityType.ID}
    found = measure(table)
    assert counts(found.by_label) == {"DATE_TIME": (0, 1), "GPE": (0, 1), "PERSON": (1, 1)}
    assert found.precision == Proportion.of(12, 12)


def test_a_span_is_right_where_it_touches_a_value_of_its_type():
    table = {"Gudrun": EntityType.PERSON, "Falk": EntityType.LOCATION, "born": EntityType.PERSON}
    assert counts(measure(table).by_type) == {"LOCATION": (0, 1), "PERSON": (1, 2)}


def test_overlaps_are_resolved_before_spans_are_judged():
    table = {"Gudrun Falk": EntityType.PERSON, "Falk": EntityType.ID}
    assert counts(measure(table).by_type) == {"PERSON": (1, 1)}


def test_a_title_need_not_be_covered():
    row = {"text": "Mr. Falk", "spans": [{"start": 0, "end": 8, "label": "PERSON"}]}
    assert measure({"Falk": EntityType.PERSON}, [row]).by_label["PERSON"].successes == 1


def test_flagging_what_nobody_marked_costs_precision():
    found = measure({"of": EntityType.PERSON, "Ulm": EntityType.LOCATION})
    assert (found.precision.successes, found.precision.trials) == (3, 5)


def test_an_unknown_label_is_an_error():
    row = {"text": "Falk", "spans": [{"start": 0, "end": 4, "label": "NOBODY"}]}
    with pytest.raises(InputError):
        measure({"Falk": EntityType.PERSON}, [row])


def test_the_report_holds_shares_side_by_side_and_no_text():
    measured = {"set/file": {"ours": measure({}), "theirs": measure({"Ulm": EntityType.ID})}}
    shown = "\n\n".join(tables(measured))
    assert "| values found | ours | theirs |" in shown
    assert "| GPE | 0 of 1" in shown
    assert "| ID | none | 0 of 1" in shown
    assert "Gudrun" not in shown


def run(tmp_path, *extra):
    gold, page = tmp_path / "gold.jsonl", tmp_path / "page.md"
    gold.write_text("\n".join(json.dumps(row) for row in ROWS * 2), "utf-8")
    arguments = ["--gold", f"presidio-research={gold}", "--out", str(page), *extra]
    assert main(["recognition", *arguments]) == 0
    return page.read_text("utf-8")


def test_the_command_writes_a_page_and_can_count_lines_apart(tmp_path):
    assert "gold.jsonl\n\n| values found | default |" in run(tmp_path)
    halves = run(tmp_path, "--halves")
    assert "gold.jsonl (even lines)" in halves
    assert "gold.jsonl (odd lines)" in halves


@pytest.mark.slow
def test_the_yardstick_has_a_column_of_its_own(tmp_path):
    assert "| values found | default | Presidio |" in run(tmp_path, "--peer")


@pytest.mark.parametrize("argument", ["gold.jsonl", "unknown=gold.jsonl"])
def test_gold_needs_a_known_scheme(argument):
    with pytest.raises(InputError):
        recognition.gold_argument(argument)
