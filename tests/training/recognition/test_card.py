from dataclasses import replace

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.recognition.card import Circumstances, TrainingRun, model_card
from sage_rag.training.recognition.report import measure
from sage_rag.training.recognition.sets import SETS

RUN = TrainingRun(
    title="Tagger, English",
    languages="English",
    types=(T.PERSON, T.LOCATION),
    base="base-encoder 1.0",
    base_digest="ab" * 32,
    weights_bytes=4_000_000,
    used={"tab": 69, "wnut17_train": 2498},
    generated=1200,
    generation="Sentences from templates.",
    circumstances=Circumstances(
        "sage-rag train tagger --data sets --seed 7", 7, "two cores", "2031-05-04"
    ),
    limits=("Misses names of one letter.", "Knows no Welsh."),
)
GOLD = GoldText("Falk left", (GoldValue(0, 4, "PER", frozenset({T.PERSON})),))
REPORTS = {"letters": measure(TableRecognizer({"Falk": T.PERSON}), [GOLD])}


def section(card, head):
    return card.split(f"\n## {head}\n")[1].split("\n## ")[0]


def test_a_card_says_what_was_trained_how_and_when():
    details = section(model_card(RUN, REPORTS), "Model details")
    for said in (
        "base-encoder 1.0",
        "ab" * 32,
        "4000000 bytes",
        RUN.circumstances.command,
        "two cores",
        RUN.circumstances.date,
    ):
        assert said in details


def test_each_set_stands_with_its_texts_licence_and_source():
    sources = section(model_card(RUN, REPORTS), "Training data")
    for name, texts in RUN.used.items():
        row = next(line for line in sources.splitlines() if line.startswith(f"| {name} |"))
        assert f"| {texts} |" in row
        assert SETS[name].licence in row
        assert SETS[name].source in row
    assert "Generated: 1200 texts. Sentences from templates." in sources


def test_share_alike_sets_are_named_where_there_are_any():
    without = section(model_card(RUN, REPORTS), "Licence of the weights")
    assert "Share-alike" not in without
    run = replace(RUN, used={"uner": 9, "presidio_research": 8, "tab": 7})
    alike = section(model_card(run, REPORTS), "Licence of the weights")
    assert "uner (CC BY-SA 4.0)" in alike
    assert "presidio_research" in alike
    assert "tab" not in alike.replace("table", "")


def test_held_out_figures_calibration_and_limits_stand_in_it():
    card = model_card(RUN, REPORTS)
    assert "| PER | 1 of 1 (95 %: at least" in section(card, "Held-out figures")
    assert "| letters | PERSON | 1 | 0.000 |" in section(card, "Calibration")
    assert "- Knows no Welsh." in section(card, "Limits")
    assert "Falk" not in card


@pytest.mark.parametrize("used", [{"cluener": 5}, {"unheard_of": 5}])
def test_no_card_for_weights_that_learnt_from_what_they_may_not(used):
    with pytest.raises(InputError):
        model_card(replace(RUN, used=used), REPORTS)


def test_the_same_run_gives_the_same_card():
    assert model_card(RUN, REPORTS) == model_card(RUN, REPORTS)
