"""Counting records in other languages, and short ones."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from sage_rag.eval.studies.environment import environment
from sage_rag.eval.studies.refusals import judge, run, sample, written_records
from sage_rag.eval.studies.runner import StudyRun
from sage_rag.indexer.corpus import Document


def test_records_with_a_foreign_field_are_counted() -> None:
    english = ["The knee is swollen and it hurts at night.", "Ice and rest will help it."]
    mixed = [english[0], "La rodilla está hinchada y por la noche le duele mucho."]
    found = judge([english, mixed])
    assert (found.successes, found.trials) == (1, 2)


def test_written_records_are_in_many_languages_and_each_id_is_new() -> None:
    written = written_records()
    languages = {"en", "es", "fr", "de", "it", "pt", "nl", "pl", "tr", "ru", "zh"}
    assert {f"`{code}`" for code in languages} <= set(written)
    texts = ["\n".join(fields) for records in written.values() for fields in records]
    assert len(set(texts)) == len(texts)


def test_a_sample_holds_only_short_or_only_longer_documents() -> None:
    documents = [Document(str(n), {"text": "word " * n}) for n in range(1, 90)]
    assert {d.id for d in sample(documents, short=True, most=100)} == {str(n) for n in range(1, 45)}
    assert len(sample(documents, short=False, most=10)) == 10


def test_without_data_sets_the_page_holds_the_written_records(tmp_path: Path) -> None:
    made = run(Namespace(data=None), StudyRun("command", environment(), tmp_path))
    assert "| written, `es` |" in made.page
    assert "Short records\n" not in made.page
