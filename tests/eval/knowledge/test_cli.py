from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.arms import ENC_S, QuestionSpelling
from sage_rag.eval.knowledge.checkpoints import measure_checkpoint
from sage_rag.eval.knowledge.cli import cpt
from sage_rag.eval.knowledge.persons import invent_persons
from sage_rag.eval.knowledge.questions import Question, choices_about, write_questions
from sage_rag.eval.knowledge.texts import encrypted, plain
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from tests.eval.knowledge.tiny import untrained

CHOICES = choices_about(invent_persons(12, 0), 0)[:20]
PLAIN = [choice.spelled(plain) for choice in CHOICES]
CIPHER = default_cipher(Keyset.generate(), "persons")
HIDDEN = [choice.spelled(encrypted(CIPHER)) for choice in CHOICES]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    model, tokenizer = untrained(PLAIN)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def questions(folder: Path, name: str, asked: list[Question]) -> Path:
    write_questions(asked, folder / name)
    return folder / name


def test_a_checkpoint_gives_one_json_and_one_table(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report: Any = tmp_path / "report.json"
    cpt(
        checkpoint,
        questions=questions(tmp_path, "plain.jsonl", PLAIN),
        base=checkpoint,
        arm="synt",
        samples=0,
        json_file=report,
    )
    table = capsys.readouterr().out
    assert "| synt | T | T | F | F |" in table
    assert "0.63 | 0.68 |" in table
    found = json.loads(report.read_text("utf-8"))
    assert [row["arm"] for row in found["answers"]] == ["base", "synt"]
    assert found["above_base"] == {"plain": 1.0}


def test_an_encrypted_arm_is_asked_in_both_spellings(checkpoint: Path) -> None:
    asked = {QuestionSpelling.PLAIN: PLAIN[:4], QuestionSpelling.ENCRYPTED: HIDDEN[:4]}
    report = measure_checkpoint(checkpoint, asked, arm=ENC_S, samples=0)
    assert [found.spelling for found in report.answers] == list(QuestionSpelling)
    assert "noEncQ (encS)" in str(report)


def test_other_questions_than_the_plain_ones_are_refused(checkpoint: Path) -> None:
    asked = {QuestionSpelling.PLAIN: PLAIN, QuestionSpelling.ENCRYPTED: HIDDEN[:3]}
    with pytest.raises(InputError, match="not the same"):
        measure_checkpoint(checkpoint, asked)


def test_a_wrong_arm_and_missing_questions_are_refused(checkpoint: Path) -> None:
    with pytest.raises(InputError, match="not a row"):
        cpt(checkpoint, arm="enc")
    with pytest.raises(InputError, match="no questions"):
        cpt(checkpoint)


def test_a_question_that_the_model_cannot_read_is_refused(checkpoint: Path) -> None:
    long = PLAIN[0].model_copy(update={"prompts": ("word " * 2000,)})
    with pytest.raises(InputError, match="tokens with its answer, and `") as caught:
        measure_checkpoint(checkpoint, {QuestionSpelling.PLAIN: [*PLAIN, long]})
    assert caught.value.hint is not None
