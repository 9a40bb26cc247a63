from eval.statistics import Proportion
from eval.studies.recognition import coverage, markdown
from privacy.entities import EntityType
from privacy.testing import TableRecognizer

TEXT = "Gudrun Falk of Ulm, born 1950"
ROWS = [
    {
        "text": TEXT,
        "spans": [
            {"start": 0, "end": 11, "label": "NAME"},
            {"start": 15, "end": 18, "label": "TOWN"},
            {"start": 25, "end": 29, "label": "YEAR"},
        ],
    }
]


def test_a_value_is_covered_when_all_of_it_is_and_by_any_type():
    table = {"Gudrun": EntityType.PERSON, "Falk": EntityType.LOCATION, "19": EntityType.ID}
    found = coverage(ROWS, TableRecognizer(table))
    assert {k: (p.successes, p.trials) for k, p in found.by_label.items()} == {
        "NAME": (1, 1),
        "TOWN": (0, 1),
        "YEAR": (0, 1),
    }
    assert found.precision == Proportion.of(12, 12)


def test_a_title_need_not_be_covered():
    row = {"text": "Mr. Falk", "spans": [{"start": 0, "end": 8, "label": "NAME"}]}
    found = coverage([row], TableRecognizer({"Falk": EntityType.PERSON}))
    assert found.by_label["NAME"].successes == 1


def test_flagging_what_nobody_marked_costs_precision():
    found = coverage(ROWS, TableRecognizer({"of": EntityType.PERSON, "Ulm": EntityType.LOCATION}))
    assert (found.precision.successes, found.precision.trials) == (3, 5)


def test_the_report_holds_shares_and_no_text():
    shown = markdown({"set/file": coverage(ROWS, TableRecognizer({}))}, "command")
    assert "0 of 1" in shown
    assert "Gudrun" not in shown
