"""The parts of `sage-rag demo` that need no second process: two indexes, the attack, the page."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from rich.console import Console

from sage_rag.common.exceptions import InputError
from sage_rag.eval.demo import cli
from sage_rag.eval.demo.conversation import QuestionTrace, Source
from sage_rag.eval.demo.folders import build_baseline, build_index, make_keyset, prepare_folders
from sage_rag.eval.demo.page import render
from sage_rag.eval.demo.screen import NOT_COUNTED, published_share, show
from sage_rag.indexer.testing import HashEmbedder

EXAMPLES = Path(__file__).parents[3] / "examples"
RECORDS = 6


@pytest.mark.slow
def test_two_indexes_are_built_attacked_and_reported(tmp_path: Path) -> None:
    corpus, gold = tmp_path / "clinic.jsonl", tmp_path / "clinic_gold.jsonl"
    for file in (corpus, gold):
        lines = (EXAMPLES / file.name).read_text("utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[:RECORDS]), "utf-8")
    folders, embedder = prepare_folders(tmp_path / "home"), HashEmbedder()
    keyset = make_keyset(folders)
    summary = build_index(folders, corpus, keyset, embedder, lambda *_: None)
    build_baseline(folders, corpus, embedder, lambda *_: None)
    rows = cli._attack(folders, corpus, gold, embedder)
    assert sum(row.original for row in rows) > 0
    assert sum(row.ours for row in rows) < sum(row.original for row in rows)
    trace = QuestionTrace("typed <b>", "sent", 2, "seen", "restored", (Source(1, "d", "text"),))
    page = render([trace], rows, cli._facts(summary))
    assert "typed &lt;b&gt;" in page
    assert all(row.label in page for row in rows)
    assert NOT_COUNTED in page
    console = Console(record=True, width=200)
    show(console, trace, rows, published_share(summary.published, summary.documents), "r.html")
    assert (
        f"Ours is recipe sage, with {summary.published} of the {RECORDS} dialogues"
        in console.export_text()
    )


def test_a_folder_that_no_demo_made_is_kept(tmp_path: Path) -> None:
    (tmp_path / "own").touch()
    with pytest.raises(InputError, match="no demo made it"):
        prepare_folders(tmp_path)


def test_a_folder_that_cannot_be_used_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    for root in (file, file / "below"):
        with pytest.raises(InputError, match="Not a directory"):
            prepare_folders(root)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(InputError, match="Read-only file system"):
        prepare_folders(tmp_path / "new")


def test_a_missing_corpus_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no example corpus"):
        cli.demo(tmp_path / "home", tmp_path)
