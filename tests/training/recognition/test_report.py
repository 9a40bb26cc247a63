import pytest

from sage_rag.common.proportions import Proportion
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.recognition.examples import Example
from sage_rag.training.recognition.report import (
    calibration_error,
    calibration_table,
    comparison,
    gold_of,
    markdown,
    measure,
)

GOLDS = [
    GoldText(
        "Gudrun Falk of Ulm",
        (
            GoldValue(0, 11, "PER", frozenset({T.PERSON}), "DIRECT"),
            GoldValue(15, 18, "LOC", frozenset({T.LOCATION}), "QUASI"),
        ),
    ),
    GoldText("Falk left", (GoldValue(0, 4, "PER", frozenset({T.PERSON}), "QUASI"),)),
]
NAMES = {"Gudrun": T.PERSON, "Falk": T.PERSON}


def report(table):
    return measure(TableRecognizer(table), GOLDS)


def test_figures_are_counted_over_all_texts():
    found = report(NAMES)
    assert found.texts == 2
    assert found.found == {"LOC": Proportion.of(0, 1), "PER": Proportion.of(2, 2)}
    assert found.all_found == Proportion.of(2, 3)
    assert found.by_risk == {"DIRECT": Proportion.of(1, 1), "QUASI": Proportion.of(1, 2)}
    assert found.precision == Proportion.of(14, 14)
    assert found.right == {T.PERSON: Proportion.of(3, 3)}


def test_a_cover_of_another_type_is_told_from_one_of_its_own():
    found = report({"Gudrun Falk": T.PERSON, "Falk": T.LOCATION})
    assert found.found["PER"] == Proportion.of(2, 2)
    assert found.named["PER"] == Proportion.of(1, 2)


def test_an_example_is_its_own_gold():
    example = Example(
        "Falk, 41", (Span(0, 4, T.PERSON),), frozenset({T.PERSON}), "s", "d", ((6, 8),)
    )
    gold = gold_of(example)
    assert [(v.start, v.end, v.label) for v in gold.values] == [(0, 4, "PERSON")]
    assert (gold.annotated, gold.unsure) == ({T.PERSON}, ((6, 8),))


@pytest.mark.parametrize(
    ("scored", "error"),
    [
        ([], 0.0),
        ([(1.0, True)] * 4, 0.0),
        ([(1.0, False)] * 4, 1.0),
        ([(0.75, True), (0.75, True), (0.75, True), (0.75, False)], 0.0),
        ([(0.95, True), (0.95, False), (0.15, False), (0.15, True)], 0.4),
        ([(0.9, True), (0.1, False)], 0.1),
    ],
)
def test_calibration_is_the_distance_of_scores_from_shares_bin_by_bin(scored, error):
    found = calibration_error(scored)
    assert found.error == pytest.approx(error)
    assert found.spans == len(scored)


def test_calibration_stands_per_set_and_type():
    shown = calibration_table({"letters": report({**NAMES, "left": T.PERSON})})
    assert "| letters | PERSON | 4 | 0.250 |" in shown


def test_the_table_has_denominators_and_intervals_and_no_text():
    shown = markdown({"letters": report(NAMES)})
    assert "### letters (2 texts)" in shown
    assert "| all | 2 of 3 (66.7 %, 95 %:" in shown
    assert "| DIRECT | 1 of 1 (95 %: at least" in shown
    assert "Falk" not in shown


def test_before_and_after_stand_side_by_side():
    before, after = {"letters": report({})}, {"letters": report(NAMES), "other": report({})}
    shown = comparison(before, after)
    assert f"| PER | {Proportion.of(0, 2)} | {Proportion.of(2, 2)} |" in shown
    assert "| character precision | 0 of 0 (nothing measured) | 14 of 14" in shown
    assert "other" not in shown
