"""The main arms of the study: the base model, and those of the paper's Table 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sage_rag.eval.knowledge.arms import (
    ALL,
    BASE,
    ENC_O,
    ENC_S,
    ENC_S_PL,
    ORIG,
    PL,
    SYNT,
    Arm,
    QuestionSpelling,
)
from sage_rag.eval.knowledge.backends.causal import CausalModel
from sage_rag.eval.knowledge.measurement import ArmResult, measure
from sage_rag.eval.knowledge.questions import choices_about, write_questions
from sage_rag.eval.knowledge.texts import Spelling, encrypted, plain
from sage_rag.eval.studies.runner import report
from sage_rag.eval.studies.soe.corpora import Population, arm_texts
from sage_rag.eval.studies.soe.results import RunResult, TrainingFigures, stored_result
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.privacy.protocols import EntityCipher

PART = "main"
SCHOOLED = "schooled"
"""The base model, asked about persons of whom it has read, but no question was trained."""
_MATCHED = {ORIG: SYNT, ENC_O: ENC_S}
"""Arms that read as many tokens as another one: they repeat their texts more often."""
ARMS = (ENC_S, SYNT, ENC_S_PL, ORIG, ENC_O)
"""In the order in which they are trained: matched arms after those that they follow."""


def run_main(seed: SeedFolder) -> None:
    """Train and measure the base model and every arm of the settings that has no result yet."""
    people = seed.people
    cipher = people.cipher()
    _write_questions(seed, cipher)
    if stored_result(seed.folder / BASE.name) is None:
        _measure_base(seed, cipher)
    for arm in ARMS:
        wanted = arm.name in people.settings.arms
        if not wanted or stored_result(seed.folder / arm.name) is not None:
            continue
        spell = encrypted(cipher, arm.encrypted) if arm.encrypted else plain
        steps = None
        if arm in _MATCHED:
            matched = stored_result(seed.folder / _MATCHED[arm].name)
            steps = matched.training.steps if matched else None
        if arm.texts is not None:
            seed.arm_model(arm.name, arm_texts(people, arm.texts, spell), steps=steps)
        save_run(seed, PART, arm.name, ask_arm(seed, arm, spell, cipher))


def _write_questions(seed: SeedFolder, cipher: EntityCipher) -> None:
    """Write the questions in each spelling, for `sage-rag eval cpt`."""
    spellings = {"plain": plain, "ALL": encrypted(cipher, ALL), "PL": encrypted(cipher, PL)}
    folder = seed.folder / "questions"
    folder.mkdir(parents=True, exist_ok=True)
    for name, spell in spellings.items():
        write_questions(seed.people.questions(spell), folder / f"{name}.jsonl")


def ask_arm(seed: SeedFolder, arm: Arm, spell: Spelling, cipher: EntityCipher) -> list[ArmResult]:
    """Ask an arm's model in its own spelling, and an encrypted arm in plain words too."""
    people = seed.people
    model = CausalModel.open(seed.folder / arm.name / "run" / "model")
    answers = [ask(arm.name, arm.spelling, model, people, spell, cipher)]
    if arm.encrypted:
        answers.append(ask(arm.name, QuestionSpelling.PLAIN, model, people, plain, cipher))
    return answers


def ask(
    name: str,
    spelling: QuestionSpelling,
    model: CausalModel,
    people: Population,
    spell: Spelling,
    cipher: EntityCipher,
) -> ArmResult:
    """Ask the questions about the tested persons."""
    hidden = spelling is QuestionSpelling.ENCRYPTED
    found = measure(
        name,
        spelling,
        model,
        people.questions(spell),
        samples=people.settings.outputs,
        cipher=cipher if hidden else None,
    )
    report(f"{name}, {spelling} questions: {found.likelihood.correct}")
    return found


def _measure_base(seed: SeedFolder, cipher: EntityCipher) -> None:
    people = seed.people
    model = CausalModel.open(seed.base_model())
    unasked = people.schooled[: people.settings.schooled_unasked]
    schooled = [choice.spelled(plain) for choice in choices_about(unasked, people.seed)]
    answers = [
        ask(BASE.name, QuestionSpelling.PLAIN, model, people, plain, cipher),
        ask(BASE.name, QuestionSpelling.ENCRYPTED, model, people, encrypted(cipher), cipher),
        measure(SCHOOLED, QuestionSpelling.PLAIN, model, schooled, samples=0),
    ]
    report(f"{SCHOOLED}: {answers[-1].likelihood.correct}")
    save_run(seed, PART, BASE.name, answers)


def save_run(
    seed: SeedFolder,
    part: str,
    name: str,
    answers: Sequence[ArmResult],
    details: Mapping[str, float] | None = None,
) -> RunResult:
    """Store the answers of a trained model with the figures of its training."""
    folder = seed.folder / name
    found = RunResult(
        part=part,
        name=name,
        seed=seed.people.seed,
        settings=seed.people.settings,
        training=TrainingFigures.of(folder),
        answers=tuple(answers),
        details=details or {},
    )
    found.save(folder)
    return found
