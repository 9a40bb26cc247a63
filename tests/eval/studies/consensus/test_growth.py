"""Invented records, and what indexing them costs."""

from __future__ import annotations

from pathlib import Path

from sage_rag.eval.studies.consensus.growth import invented, measure


def test_the_same_records_are_invented_each_time_and_none_twice() -> None:
    records = list(invented(40))
    assert records == list(invented(40))
    assert len({record["question"] for record in records}) == 40


def test_a_run_on_invented_records_publishes_passages(tmp_path: Path) -> None:
    found = measure(60, tmp_path)
    assert found.records == 60
    assert found.passages > 0
    assert found.peak_bytes > 2**20
