import threading

import numpy as np

from sage_rag.eval.studies.memory import Memory, RememberedEmbedder, RememberedRecognizer
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import TableRecognizer

TABLE = {"Gudrun Falk": EntityType.PERSON}
TEXT = "Gudrun Falk and Gudrun Falk"


class Counting:
    def __init__(self, fingerprint="counting"):
        self.fingerprint = fingerprint
        self.read = []

    def recognize(self, text):
        self.read.append(text)
        return TableRecognizer(TABLE).recognize(text)


def test_a_text_is_read_once_and_gives_the_same_spans_again(tmp_path):
    inner = Counting()
    remembered = RememberedRecognizer(inner, Memory(tmp_path / "m"))
    found = [remembered.recognize(TEXT) for _ in range(3)]
    assert found == [TableRecognizer(TABLE).recognize(TEXT)] * 3
    assert inner.read == [TEXT]
    assert remembered.fingerprint == "counting"


def test_a_text_in_which_nothing_is_found_is_not_read_again(tmp_path):
    inner = Counting()
    remembered = RememberedRecognizer(inner, Memory(tmp_path / "m"))
    assert [list(remembered.recognize("nobody")) for _ in range(2)] == [[], []]
    assert inner.read == ["nobody"]


def test_what_was_found_outlives_the_process_but_not_the_recognizer(tmp_path):
    RememberedRecognizer(Counting(), Memory(tmp_path / "m")).recognize(TEXT)
    again, changed = Counting(), Counting("counting/2")
    for inner in (again, changed):
        RememberedRecognizer(inner, Memory(tmp_path / "m")).recognize(TEXT)
    assert again.read == []
    assert changed.read == [TEXT]


def test_no_text_stands_in_the_file_and_nobody_else_may_read_it(tmp_path):
    memory = Memory(tmp_path / "m")
    RememberedRecognizer(Counting(), memory).recognize(TEXT)
    assert b"Gudrun" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert (tmp_path / "m").stat().st_mode & 0o077 == 0


def test_vectors_come_back_in_order_and_only_new_texts_are_embedded(tmp_path):
    inner = HashEmbedder()
    remembered = RememberedEmbedder(inner, Memory(tmp_path / "m"))
    remembered.embed(["one", "two"])
    texts = ["three", "one", "three", "two"]
    assert np.array_equal(remembered.embed(texts), HashEmbedder().embed(texts))
    assert inner.embedded == 3
    assert remembered.embed([]).shape == (0, 64)
    assert (remembered.name, remembered.dim) == ("hash-64", 64)


def test_more_texts_than_one_query_takes(tmp_path):
    remembered = RememberedEmbedder(HashEmbedder(), Memory(tmp_path / "m"))
    texts = [f"text {i}" for i in range(1200)]
    assert np.array_equal(remembered.embed(texts), remembered.embed(texts))


def test_threads_share_one_memory(tmp_path):
    inner = Counting()
    remembered = RememberedRecognizer(inner, Memory(tmp_path / "m"))
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(len(remembered.recognize(TEXT))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 8
