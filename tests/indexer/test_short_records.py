"""An owner learns of short records before they are treated."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sage_rag.agents.chat.costs import CallCosts
from sage_rag.indexer.corpus import Document
from sage_rag.indexer.estimate import estimate, estimate_lines
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.short_records import SHORT_WORDS, is_short, short_records_line
from tests.indexer.conftest import clinic_job


@pytest.mark.parametrize(("words", "short"), [(1, True), (44, True), (45, False), (400, False)])
def test_a_record_of_fewer_than_45_words_is_short(words: int, short: bool) -> None:
    assert is_short(Document("a", {"q": "word " * (words - 1), "a": "end"})) is short


def test_only_a_notable_share_that_rules_reword_is_mentioned(corpus: Path, tmp_path: Path) -> None:
    job = clinic_job(corpus, tmp_path)
    line = short_records_line(job, 5, 100)
    assert line is not None
    assert line.startswith(f"5 of 100 records have fewer than {SHORT_WORDS} words")
    assert "--recipe encrypted" in line
    assert short_records_line(job, 4, 100) is None
    assert short_records_line(job, 0, 0) is None
    assert short_records_line(replace(job, costs=CallCosts()), 50, 100) is None
    encrypted = replace(job, recipe=recipe_called("encrypted"))
    assert short_records_line(encrypted, 50, 100) is None


def test_a_run_says_it_before_it_treats_a_record(corpus: Path, tmp_path: Path) -> None:
    events: list[str] = []
    job = clinic_job(corpus, tmp_path / "home")
    asyncio.run(index_corpus(job, lambda stage, done, total: events.append(stage), events.append))
    assert events[0].startswith("20 of 20 records")
    assert events[1] == "protect"


def test_a_dry_run_says_it_too(corpus: Path, tmp_path: Path) -> None:
    job = clinic_job(corpus, tmp_path)
    assert "20 of 20 records" in "\n".join(estimate_lines(job, estimate(job)))
    rows = [json.loads(line) for line in corpus.read_text().splitlines()]
    longer = ({**row, "question": row["question"] * 5} for row in rows)
    corpus.write_text("".join(json.dumps(row) + "\n" for row in longer))
    assert estimate(job).short == 0
