"""Threads lose nothing in a ledger; a folder that cannot be used is named in one line."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.ledger import Ledger, Result, locked_corpus
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span

TIMES, THREADS = 40, 8


def test_threads_read_and_write_at_the_same_time(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")

    def work(thread: int) -> int:
        wrong = 0
        for i in range(TIMES):
            name = f"{thread}-{i}"
            vector = np.full(8, thread * TIMES + i, dtype=np.float32)
            ledger.store_vectors("e", {f"{name}-a": vector, f"{name}-b": vector + 1})
            ledger.store_draft(name, "f", {"text": name})
            found = ledger.vector(f"{name}-b", "e")
            wrong += ledger.draft(name, "f") != {"text": name}
            wrong += found is None or not np.array_equal(found, vector + 1)
        return wrong

    with ThreadPoolExecutor(THREADS) as threads:
        assert sum(threads.map(work, range(THREADS))) == 0
    kept = [ledger.draft(f"{t}-{i}", "f") for t in range(THREADS) for i in range(TIMES)]
    assert None not in kept
    ledger.close()


@pytest.mark.parametrize("quasi", [None, (), (Span(5, 10, EntityType.AGE, 0.75),)])
def test_a_result_is_read_as_it_was_stored(tmp_path: Path, quasi: tuple[Span, ...] | None) -> None:
    tokens = {"[PERSON_1]": "PERSON_[a]"}
    kept = {"words": (3, 4)}
    result = Result(
        True, {"text": "aged 40-49"}, tokens, ("PERSON_[a]",), "key", 1, 3, 0.25, (),
        kept=kept, quasi=quasi,
    )  # fmt: skip
    with closing(Ledger(tmp_path / "ledger.sqlite")) as ledger:
        ledger.store_result("content", "f", result)
        assert ledger.result("content", "f") == result


def test_a_transaction_that_fails_in_one_thread_undoes_nothing_of_another(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")

    class Broken(dict[str, str]):
        def items(self):
            yield "a", "1"
            raise RuntimeError("as asked for")

    def fail(_: int) -> None:
        with pytest.raises(RuntimeError, match="as asked for"):
            ledger.store_documents(Broken(), [])

    def draft(i: int) -> None:
        ledger.store_draft(str(i), "f", {"text": str(i)})

    with ThreadPoolExecutor(THREADS) as threads:
        failing = [threads.submit(fail, i) for i in range(TIMES)]
        drafting = [threads.submit(draft, i) for i in range(TIMES)]
        for future in (*failing, *drafting):
            future.result()
    assert ledger.documents() == {}
    assert [ledger.draft(str(i), "f") for i in range(TIMES)] == [
        {"text": str(i)} for i in range(TIMES)
    ]
    ledger.close()


def test_a_later_format_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger(path)
    ledger._db.execute("PRAGMA user_version=99")
    ledger.close()
    with pytest.raises(InputError, match="a later sage-rag"):
        Ledger(path)


def test_a_home_that_is_no_folder_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    folder = tmp_path / "home" / "owner" / "clinic"
    with pytest.raises(InputError, match="cannot write in") as caught, locked_corpus(folder):
        pytest.fail("the body ran")
    assert "--home" in str(caught.value.hint)


def test_a_folder_that_cannot_be_written_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("sage_rag.indexer.ledger.locked", refuse)
    with pytest.raises(InputError, match="Permission denied"), locked_corpus(tmp_path):
        pytest.fail("the body ran")


def test_an_error_of_the_run_itself_is_not_taken_for_one_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked_corpus(tmp_path):
        raise FileNotFoundError
