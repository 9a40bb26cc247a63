"""Results of stages by content and fingerprint are kept, replaced, and private to the owner."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.common.ledger import StageLedger, StageTable

DRAFTS = StageTable("drafts")
WEIGHTS = StageTable("weights", content="text_hash", fingerprint="model", result="weight")


def opened(folder: Path, version: int = 1, **settings: bool) -> StageLedger:
    return StageLedger(folder / "l.sqlite", (DRAFTS, WEIGHTS), version=version, **settings)


def test_results_are_found_by_content_and_fingerprint_and_outlive_the_process(
    tmp_path: Path,
) -> None:
    ledger = opened(tmp_path)
    ledger.store(DRAFTS, "f", {"a": {"text": "é"}, "b": []})
    ledger.store(WEIGHTS, "f", {"a": b"\x00\xff"})
    ledger.store(DRAFTS, "f", {"b": ["later"]})
    ledger.close()
    again = opened(tmp_path, read_only=True)
    assert again.stored(DRAFTS, "a", "f") == {"text": "é"}
    assert again.stored(DRAFTS, "b", "f") == ["later"]
    assert again.stored(WEIGHTS, "a", "f") == b"\x00\xff"
    assert again.stored(DRAFTS, "a", "other") is None
    again.close()


def test_only_its_owner_reads_a_ledger_and_its_side_files(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.store(DRAFTS, "f", {"a": 1})
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    ledger.close()


@pytest.mark.parametrize(("version", "age"), [(3, "an earlier"), (1, "a later")])
def test_another_version_is_refused_in_one_line(tmp_path: Path, version: int, age: str) -> None:
    opened(tmp_path, 2).close()
    with pytest.raises(InputError, match=f"{age} sage-rag"):
        opened(tmp_path, version)


def test_a_file_that_is_no_database_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "l.sqlite").write_text("not a database, but long enough to look like one" * 10)
    with pytest.raises(InputError, match="cannot be used"):
        opened(tmp_path)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "free some disk space"),
        (OSError(errno.EACCES, "Permission denied"), "let this user write"),
        (OSError(errno.EROFS, "Read-only file system"), "let this user write"),
    ],
)
def test_a_ledger_that_cannot_be_made_is_not_called_damaged(
    tmp_path: Path, error: OSError, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("sage_rag.common.ledger.os.open", refuse)
    with pytest.raises(InputError, match=str(error.strerror)) as caught:
        opened(tmp_path)
    assert remedy in str(caught.value.hint)


def test_a_full_disk_is_not_called_a_damaged_ledger(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]
    ledger._db.execute(f"PRAGMA max_page_count={pages + 1}")  # SQLite then reports SQLITE_FULL
    with pytest.raises(InputError, match="full") as caught:
        ledger.store(DRAFTS, "f", {"a": "text" * 10_000})
    assert "free some disk space" in str(caught.value.hint)
    ledger.close()


def test_a_ledger_of_another_program_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sage_rag.common.ledger._BUSY_S", 0.0)
    first, second = opened(tmp_path), opened(tmp_path)
    first._db.execute("BEGIN IMMEDIATE")
    with pytest.raises(InputError, match="locked") as caught:
        second.store(DRAFTS, "f", {"a": 1})
    assert "wait for it" in str(caught.value.hint)
    first.close()
    second.close()


def test_a_ledger_that_is_damaged_later_is_refused_in_one_line(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.store(DRAFTS, "f", {str(number): "text" * 500 for number in range(50)})
    ledger.close()
    file = tmp_path / "l.sqlite"
    page = 4096
    file.write_bytes(file.read_bytes()[:page] + b"\xff" * (file.stat().st_size - page))
    ledger = StageLedger(file, (), version=1)
    try:
        for use in (
            lambda: ledger.store(DRAFTS, "f", {"new": "text"}),
            lambda: ledger.stored(DRAFTS, "7", "f"),
            lambda: ledger._all("SELECT * FROM drafts"),
        ):
            with pytest.raises(InputError, match="cannot be used") as caught:
                use()
            assert "move it away" in (caught.value.hint or "")
    finally:
        ledger.close()
