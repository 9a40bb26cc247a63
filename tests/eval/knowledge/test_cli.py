from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.arms import ENC_S, QuestionSpelling
from sage_rag.eval.knowledge.checkpoints import measure_checkpoint
from sage_rag.eval.knowledge.cli import cpt
from sage_rag.eval.knowledge.outcomes import Outcome, count_outcomes
from sage_rag.eval.knowledge.persons import invent_persons
from sage_rag.eval.knowledge.questions import (
    Question,
    choices_about,
    read_questions,
    write_questions,
)
from sage_rag.eval.knowledge.texts import biographies, encrypted, plain
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.training.synthesis.encryption import CipherName
from sage_rag.training.synthesis.run import run_synthesis
from sage_rag.training.synthesis.samples import SourceDocument
from sage_rag.training.synthesis.synthesis import Choices
from sage_rag.training.synthesis.wiring import Parts, cipher_of, synthesis_job
from tests.eval.knowledge.tiny import untrained
from tests.training.synthesis.job import quiet

PERSONS = invent_persons(12, 0)
CHOICES = choices_about(PERSONS, 0)[:20]
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


def test_questions_in_another_order_are_refused(checkpoint: Path) -> None:
    asked = {QuestionSpelling.PLAIN: PLAIN, QuestionSpelling.ENCRYPTED: HIDDEN[::-1]}
    with pytest.raises(InputError, match="are not the same"):
        measure_checkpoint(checkpoint, asked)


def test_a_model_that_lacks_weights_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "deeper"
    shutil.copytree(checkpoint, folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["num_hidden_layers"] += 1
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(InputError, match=r"lacks \d+ of the weights"):
        measure_checkpoint(folder, {QuestionSpelling.PLAIN: PLAIN})


@pytest.mark.parametrize(
    "content", ['{"added_tokens": 3}', '{"model": {"type": "unknown"}}', '{"version": ']
)
def test_a_damaged_tokenizer_is_named(checkpoint: Path, tmp_path: Path, content: str) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(checkpoint, folder)
    (folder / "tokenizer.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"the tokenizer in .* is damaged"):
        measure_checkpoint(folder, {QuestionSpelling.PLAIN: PLAIN})


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
    with pytest.raises(InputError, match="tokens is longer than the model's context") as caught:
        measure_checkpoint(checkpoint, {QuestionSpelling.PLAIN: [*PLAIN, long]})
    assert caught.value.hint is not None


def test_ciphertexts_of_a_synthesis_are_counted_by_outcome(
    checkpoint: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keys = Keyset.generate()
    monkeypatch.setenv("SAGE_RAG_KEYSET_RAW", export_raw(keys))
    asked = encrypted_by_a_synthesis(tmp_path / "shards", keys)
    report: Any = tmp_path / "report.json"
    cpt(checkpoint, encrypted=asked, synthesis=tmp_path / "shards", json_file=report)
    assert "| encS | 0 | 0 | 0 | 0 | 0 |" in capsys.readouterr().out
    outcomes = json.loads(report.read_text("utf-8"))["answers"][0]["outcomes"]
    assert set(outcomes["occurrences"]) == {"correct", "repaired", "FCAOA", "FCND"}
    with cipher_of(tmp_path / "shards", keys) as cipher:
        question = read_questions(asked)[0]
        counts = count_outcomes([(question.answer, {question.answer})], cipher)
    assert counts.occurrences[Outcome.CORRECT] == 1


def test_a_synthesis_without_what_opens_it_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    asked = encrypted_by_a_synthesis(tmp_path / "shards", Keyset.generate())
    with pytest.raises(InputError, match="answers to encrypted questions"):
        cpt(checkpoint, encrypted=asked, synthesis=tmp_path / "shards", samples=0)
    with pytest.raises(InputError, match="needs the texts of training"):
        cpt(checkpoint, encrypted=asked, keyset=tmp_path / "keys")
    (tmp_path / "shards" / "owner" / "codebook.json").unlink()
    with (
        pytest.raises(InputError, match="has no codebook"),
        cipher_of(tmp_path / "shards", Keyset.generate()),
    ):
        pass
    (tmp_path / "shards" / "manifest.json").write_text("[]")
    with (
        pytest.raises(InputError, match="is not the manifest of a synthesis"),
        cipher_of(tmp_path / "shards", Keyset.generate()),
    ):
        pass


def encrypted_by_a_synthesis(folder: Path, keys: Keyset) -> Path:
    """Synthesise from texts about the persons, and return the questions under its codebook."""
    texts = [SourceDocument(str(n), t) for n, t in enumerate(biographies(PERSONS, 1, plain, 0))]
    parts = Parts("persons", cipher=CipherName.CODEBOOK)
    run_synthesis(synthesis_job(texts, folder, parts, Choices(samples=2), keys), quiet)
    with cipher_of(folder, keys) as cipher:
        asked = [choice.spelled(encrypted(cipher)) for choice in CHOICES]
    return questions(folder.parent, "encrypted.jsonl", asked)
