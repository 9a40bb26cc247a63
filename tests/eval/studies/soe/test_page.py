from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.knowledge.arms import QuestionSpelling
from sage_rag.eval.knowledge.measurement import Accuracy, ArmResult
from sage_rag.eval.knowledge.outcomes import Outcome, OutcomeCounts
from sage_rag.eval.knowledge.persons import Attribute
from sage_rag.eval.studies.soe import ciphers_part, main_part, tuples_part
from sage_rag.eval.studies.soe.leakage_part import LeakageFigures
from sage_rag.eval.studies.soe.page import blocks
from sage_rag.eval.studies.soe.results import (
    RunResult,
    TrainingFigures,
    stored_result,
    stored_results,
)
from sage_rag.eval.studies.soe.retrieval_part import RetrievalFigures
from sage_rag.eval.studies.soe.settings import FULL, SMALL
from sage_rag.privacy.entities import EntityType
from sage_rag.training.pretraining.metrics import StepMeasurement
from sage_rag.training.synthesis.encryption import When

PLAIN, HIDDEN = QuestionSpelling.PLAIN, QuestionSpelling.ENCRYPTED
TRAINING = TrainingFigures(texts=10, steps=20, tokens=30_000, loss=1.25, seconds=60.0)
DETAILS = {
    ciphers_part.PART: {ciphers_part.TOKENS_PER_VALUE: 7.5, ciphers_part.TEXTS_PER_FACT: 2.0},
    tuples_part.PART: {
        tuples_part.MEMBERS: 10.0,
        tuples_part.FACTS_STATED: 390.0,
        tuples_part.STATED_AND_RIGHT: 195.0,
    },
}


def accuracy(right: int, of: int = 400) -> Accuracy:
    share = Proportion.of(right, of)
    return Accuracy(
        correct=share,
        above_chance=0.5,
        unanswered=0,
        by_attribute={Attribute.SCHOOL: share},
        right=tuple(i < right for i in range(of)),
    )


def outcomes() -> OutcomeCounts:
    counts = {Outcome.CORRECT: 90, Outcome.REPAIRED: 0, Outcome.FCAOA: 8, Outcome.FCND: 2}
    return OutcomeCounts(occurrences=counts, distinct=counts, by_condition={})


def result(part: str, name: str, *answers: tuple[QuestionSpelling, int]) -> RunResult:
    found = tuple(
        ArmResult(
            arm=name,
            spelling=spelling,
            likelihood=accuracy(right),
            generation=accuracy(right - 1),
            outcomes=outcomes() if spelling is HIDDEN else None,
        )
        for spelling, right in answers
    )
    return RunResult(
        part=part, name=name, seed=0, settings=SMALL, training=TRAINING, answers=found,
        details=DETAILS.get(part, {}),
    )  # fmt: skip


def named(run: RunResult, arm: str) -> RunResult:
    """Return a run whose answers have another name than the run."""
    answers = tuple(found.model_copy(update={"arm": arm}) for found in run.answers)
    return run.model_copy(update={"answers": answers})


RESULTS = [
    result(main_part.PART, "base", (PLAIN, 100)),
    result(main_part.PART, "encS", (HIDDEN, 300), (PLAIN, 100)),
    named(result(ciphers_part.PART, "base-ciphers", (HIDDEN, 101)), "siv"),
    result(ciphers_part.PART, "siv-2", (HIDDEN, 120)),
    result(ciphers_part.PART, "ecb-2", (HIDDEN, 90)),
    result(tuples_part.PART, "soe-5-encrypted", (HIDDEN, 200), (PLAIN, 100)),
]


LEAKAGE = LeakageFigures(
    seed=0,
    when=When.AFTER,
    samples=7,
    plain={EntityType.PERSON: 3},
    encrypted={EntityType.PERSON: 297, EntityType.LOCATION: 100},
    by_document=((0, 200), (3, 197)),
)


RETRIEVAL = RetrievalFigures(
    seed=0,
    chunk_tokens=128,
    chunks=70,
    spelling=HIDDEN,
    reranker="off",
    found={1: Proportion.of(31, 40), 4: Proportion.of(35, 40), 16: Proportion.of(39, 40)},
    extractive=Proportion.of(30, 40),
    models={"base": Proportion.of(11, 40)},
)


def test_the_page_shows_every_result_and_the_paper_next_to_it() -> None:
    page = "\n\n".join(blocks(RESULTS, [LEAKAGE], [RETRIEVAL], SMALL))
    assert "| encS | T | T | T | T | 300 of 400" in page
    assert "| noEncQ (encS) | T | T | T | F | 100 of 400" in page
    assert "| base | F | N/A | N/A | F | 100 of 400" in page
    assert "0.424 | 0.388 |" in page
    assert "| encS, encrypted | base, plain | 0.750, 0.250; p < 1e-6 |" in page
    assert "| encS, plain | base, plain | 0.250, 0.250; p = 1 |" in page
    assert "| synt, plain | orig, plain | – |" in page
    assert "| siv | 2 | 0 | 7.5 | 30,000 | 1.250 | 1875.0 | 120 of 400" in page
    assert "| 101 of 400 (21.1–29.8 %) | p = 1.9e-06 | 119 of 400" in page
    assert "| 2 | 0 | ecb | siv | 90, 120 of 400 | p < 1e-6 |" in page
    assert "| soe-5 | 0 | 10.0 | 390 | 10 | 200 of 400" in page
    assert "| 195 of 390 (44.9–55.1 %) | – | – |" in page
    assert "| 128 | 70 | encrypted | off | 0 | 31 of 40 | 35 of 40 | 39 of 40 | 30 of 40" in page
    assert "10 of 100" in page
    assert "| after | 0 | 7 | PERSON | 3 of 300" in page
    assert "| after | 0 | 2 | 0.000 |" in page


def test_the_page_names_what_has_not_been_run() -> None:
    missing = list(blocks(RESULTS, [LEAKAGE], [RETRIEVAL], FULL))[-2]
    assert "`orig`" in missing
    assert "`encS`" not in missing
    assert "`codebook-words-2`" in missing
    assert "`ecb-6`" in missing
    assert "`siv-2`" not in missing
    assert "0 of 3 seeds" in missing
    assert "* Part `retrieval`: 1 of 20 combinations" in missing
    assert "`leakage`" not in missing
    assert "* Part `leakage`." in list(blocks(RESULTS, [], [RETRIEVAL], FULL))[-2]


def test_results_are_read_as_they_were_saved(tmp_path: Path) -> None:
    for found in RESULTS:
        folder = tmp_path / "seed-0" / found.name
        folder.mkdir(parents=True)
        found.save(folder)
    assert sorted(stored_results(tmp_path), key=lambda r: r.name) == sorted(
        RESULTS, key=lambda r: r.name
    )
    assert stored_result(tmp_path) is None


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="not a result of this version"):
        stored_result(tmp_path)


def test_training_figures_are_those_of_the_measurements(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "texts.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n', "utf-8")
    steps = [
        StepMeasurement(i, 3.0 - 0.1 * i, 1e-3, 1.0, 100 * i, 50.0, 0.1, 2**20)
        for i in range(1, 21)
    ]
    lines = "".join(json.dumps(asdict(step)) + "\n" for step in steps)
    (tmp_path / "run" / "measurements.jsonl").write_text(lines, "utf-8")
    found = TrainingFigures.of(tmp_path)
    assert (found.texts, found.steps, found.tokens) == (2, 20, 2000)
    assert found.seconds == pytest.approx(40.0)
    assert found.loss == pytest.approx(1.05)
