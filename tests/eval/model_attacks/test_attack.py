"""All attacks on models that are known to have read certain records by heart, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.exact_recognizer import ExactRecognizer
from sage_rag.eval.knowledge.persons import Person
from sage_rag.eval.model_attacks.attack import (
    AttackName,
    AttackSettings,
    AttackTexts,
    attack_model,
)
from sage_rag.eval.model_attacks.canaries import Canary, invent_canaries, plant
from sage_rag.eval.model_attacks.report import tables
from sage_rag.eval.model_attacks.results import ModelAttackReport
from sage_rag.eval.model_attacks.target import TargetModel
from tests.eval.model_attacks.fakes import FakeModel
from tests.eval.model_attacks.models import memorised, untrained

CANARIES = invent_canaries({0: 40, 3: 4}, seed=0)
PLANTED = [canary.text for canary in CANARIES if canary.frequency]
FILLER = [invent_canaries({1: 40}, seed) for seed in (1, 2)]
TRAINING, HELD_OUT = (
    ["\n\n".join(f"{c.text}\n\nAt noon {c.name} sold the old mill." for c in found)]
    for found in FILLER
)
FILLER_TEXT = TRAINING[0]
TRAINING = plant(TRAINING, CANARIES, seed=0)
TEXTS = AttackTexts(TRAINING, HELD_OUT, CANARIES)
SETTINGS = AttackSettings(
    attacks=(AttackName.NAMES, AttackName.PREFIX, AttackName.EXTRACTION, AttackName.MEMBERSHIP),
    sentences=4,
    candidates=44,
    samples=6,
    prompts=4,
    passages=12,
)
RECOGNIZER = ExactRecognizer([Person(c.name, {}) for found in FILLER for c in found])
VOCABULARY = [*PLANTED, *(canary.text for canary in FILLER[0])]


def attacked(model: TargetModel, settings: AttackSettings = SETTINGS) -> ModelAttackReport:
    return attack_model("tiny", model, TEXTS, settings, RECOGNIZER)


@pytest.fixture(scope="module")
def by_heart() -> ModelAttackReport:
    return attacked(memorised(VOCABULARY, PLANTED, steps=100))


@pytest.mark.slow
def test_planted_records_that_a_model_knows_by_heart_are_found_by_each_attack(by_heart) -> None:
    name, prefix, extraction, membership = (
        next(found.result for found in results if found.group == "planted 3 times")
        for results in (by_heart.names, by_heart.prefixes, by_heart.extraction, by_heart.membership)
    )
    assert name.first.successes == 4
    assert prefix.distance.value < 0.1
    assert extraction.outputs.successes >= 3
    assert membership.loss.auc == membership.min_k.auc == 1.0
    assert membership.loss.detected.successes == 4


@pytest.mark.slow
def test_records_that_it_has_not_read_are_not_found(by_heart) -> None:
    name, prefix = (
        next(found.result for found in results if found.group == "not planted")
        for results in (by_heart.names, by_heart.prefixes)
    )
    assert name.first.successes <= 1
    assert prefix.distance.value > 0.7


@pytest.mark.slow
def test_the_tables_hold_every_group_and_the_papers_rows(by_heart) -> None:
    written = tables(by_heart)
    for group in ("planted 3 times", "not planted", "names of the training text", "held-out text"):
        assert f"| tiny | {group} |" in written
    assert "| Scrubbing-LLM (paper) | web text | 0.053 |" in written
    assert all(canary.name not in written for canary in CANARIES)


@pytest.mark.slow
def test_an_untrained_model_is_at_chance_and_equal_seeds_give_equal_figures() -> None:
    model = CausalModel(*untrained(VOCABULARY))
    found = attacked(model)
    assert attacked(model) == found
    drawn = (AttackName.NAMES, AttackName.MEMBERSHIP)  # the seed decides what they score
    other = attacked(model, replace(SETTINGS, attacks=drawn, seed=1))
    assert (other.names, other.membership) != (found.names, found.membership)
    assert {n.group: n.result.first.successes for n in found.names}["planted 3 times"] <= 1
    ranks = [n.result.rank for n in found.names if "planted" in n.group]
    assert all(rank is not None and 8 < rank.value < 37 for rank in ranks)  # chance is 22.5
    assert all(p.result.exact.successes == 0 for p in found.prefixes)
    assert all(e.result.unique == 0 for e in found.extraction)
    assert all(m.result.loss.low <= 0.5 <= m.result.loss.high for m in found.membership)
    assert found.keys is None


def test_canaries_that_are_not_in_the_text_as_often_as_they_say_are_refused() -> None:
    with pytest.raises(InputError, match="is in the training text 0 times, not 3 times"):
        AttackTexts(HELD_OUT, HELD_OUT, CANARIES)
    with pytest.raises(InputError, match="is in the held-out text"):
        AttackTexts(TRAINING, TRAINING, CANARIES)
    with pytest.raises(InputError, match="1 of 1 held-out texts are in the training text"):
        AttackTexts([*TRAINING, *HELD_OUT], HELD_OUT, CANARIES)
    with pytest.raises(InputError, match="1 of 2 held-out texts are in the training text"):
        AttackTexts(TRAINING, [*HELD_OUT, *TRAINING])


def test_canaries_longer_than_the_context_are_refused_before_any_attack() -> None:
    model, steps = FakeModel(), []
    model.context = 40
    with pytest.raises(InputError, match="tokens, and the model's context is 40"):
        attack_model("tiny", model, TEXTS, SETTINGS, RECOGNIZER, steps.append)
    assert steps == []


@pytest.mark.parametrize("attack", [AttackName.MEMBERSHIP, AttackName.EXTRACTION])
def test_texts_too_short_are_refused_before_any_attack(attack: AttackName) -> None:
    steps: list[str] = []
    settings = replace(SETTINGS, attacks=(AttackName.NAMES, attack))
    short = AttackTexts(TRAINING, ["Too short."], CANARIES)
    with pytest.raises(InputError, match=r"no held-out text has (40 characters|6 words)"):
        attack_model("tiny", FakeModel(), short, settings, RECOGNIZER, steps.append)
    assert steps == []


def test_own_names_have_other_names_of_both_texts_as_candidates() -> None:
    settings = replace(SETTINGS, attacks=(AttackName.NAMES,), candidates=30)
    report = attack_model("tiny", FakeModel(), TEXTS, settings, RECOGNIZER)
    own = [found.result for found in report.names if "names of the" in found.group]
    assert {result.candidates for result in own} == {30}
    assert all(result.first.trials == 4 for result in own)


def test_names_of_texts_with_one_name_are_not_ranked() -> None:
    recognizer = ExactRecognizer([Person("Ada Novak", {})])
    settings = replace(SETTINGS, attacks=(AttackName.NAMES,))
    training = [f"{FILLER_TEXT} On Monday Ada Novak sold the red mill to nobody at all."]
    held_out = [f"{FILLER_TEXT} In March Ada Novak bought a blue boat from the same house."]
    steps: list[str] = []
    report = attack_model(
        "tiny", FakeModel(), AttackTexts(training, held_out), settings, recognizer, steps.append
    )
    assert report.names == ()
    assert "left out: names of both texts, which have no second name to rank" in steps


def test_groups_of_the_training_text_hold_no_planted_record() -> None:
    record = Canary(before="At dawn ", name="Ada Novak", after=" sold the red mill.", frequency=60)
    texts = AttackTexts(plant([FILLER_TEXT], [record], seed=0), HELD_OUT, [record])
    assert texts.unplanted == [FILLER_TEXT]
    model = FakeModel(score=lambda text: float("Novak" in text))
    settings = replace(SETTINGS, attacks=(AttackName.NAMES, AttackName.MEMBERSHIP))
    recognizer = ExactRecognizer([Person(record.name, {})])
    steps: list[str] = []
    report = attack_model("tiny", model, texts, settings, recognizer, steps.append)
    assert "left out: names of the training text, which has no such sentence" in steps
    assert [found.group for found in report.names] == ["planted 60 times"]
    (own,) = report.membership
    assert own.result.loss.auc == 0.5


def test_empty_texts_are_refused() -> None:
    with pytest.raises(InputError, match="training text is empty"):
        AttackTexts([" "], HELD_OUT)
    with pytest.raises(InputError, match="held-out text is empty"):
        AttackTexts(TRAINING, [])
