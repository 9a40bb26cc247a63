"""The rows of a version say nothing about the order of the corpus."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from sage_rag.indexer.layers import write_passages
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.versions import MANIFEST, REPORT, current_path, open_version
from tests.indexer.conftest import Run, record, rows_of

MANY = 2_000


def content(version: Path) -> dict[str, bytes]:
    """Return the files of a version; manifest and report state times."""
    return {
        path.relative_to(version).as_posix(): path.read_bytes()
        for path in sorted(version.rglob("*"))
        if path.is_file() and path.name not in (MANIFEST, REPORT)
    }


def write(corpus: Path, records: list[dict[str, str]]) -> None:
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records))


def permuted(records: list[dict[str, str]], seed: int) -> list[dict[str, str]]:
    return random.Random(seed).sample(records, len(records))  # noqa: S311 - not for secrets


@pytest.mark.parametrize("recipe", ["sage", "encrypted", "surrogates", "origin"])
def test_a_permuted_corpus_gives_the_same_bytes(
    run: Run, corpus: Path, tmp_path: Path, recipe: str
) -> None:
    published = []
    for seed in range(3):
        write(corpus, permuted([record(i) for i in range(20)], seed))
        path = run(recipe=recipe, home=tmp_path / f"home-{seed}").path
        assert path is not None
        published.append(content(path))
    assert published[0] == published[1] == published[2]
    assert len(published[0]) >= 7


def test_the_report_is_the_same_but_for_time_and_memory(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    reports = []
    for seed in range(3):
        write(corpus, permuted([record(i) for i in range(20)], seed))
        path = run(home=tmp_path / f"home-{seed}").path
        assert path is not None
        report = json.loads((path / REPORT).read_text())
        reports.append(json.dumps({**report, "seconds": 0, "peak_memory_bytes": 0}))
    assert reports[0] == reports[1] == reports[2]


@pytest.mark.slow
def test_rank_of_rows_and_order_of_the_corpus_are_unrelated(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    write(corpus, [{"id": f"n-{i:04}", "text": f"visit {i} of a patient"} for i in range(MANY)])
    run(recipe="encrypted")
    rows = rows_of(open_version(current_path(tmp_path / "home", "clinic")))
    order = [rows[f"n-{i:04}"] for i in range(MANY)]
    correlation = np.corrcoef(np.arange(MANY), order)[0, 1]
    assert abs(correlation) < 5 / MANY**0.5  # 5 standard deviations of independent orders


def test_an_added_document_leaves_the_others_in_their_order(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    write(corpus, [record(i) for i in range(15)])
    run()
    before = [*rows_of(open_version(current_path(home, "clinic")))]
    write(corpus, [record(i) for i in range(20)])
    run()
    after = [*rows_of(open_version(current_path(home, "clinic")))]
    assert [name for name in after if name in before] == before
    assert len(after) == 20


def test_passages_in_another_order_are_not_written(tmp_path: Path) -> None:
    unordered = [Passage("p-2", "s", {"text": "a"}), Passage("p-1", "s", {"text": "b"})]
    with pytest.raises(ValueError, match="order of their ids"):
        write_passages(tmp_path, unordered)
