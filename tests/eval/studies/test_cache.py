import threading

import numpy as np

from sage_rag.eval.studies.cache import CachedRecognizer, StudyCache
from sage_rag.indexer.embedding import CachedEmbedder
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
    cached = CachedRecognizer(inner, StudyCache(tmp_path / "m"))
    found = [cached.recognize(TEXT) for _ in range(3)]
    assert found == [TableRecognizer(TABLE).recognize(TEXT)] * 3
    assert inner.read == [TEXT]
    assert cached.fingerprint == "counting"


def test_a_text_in_which_nothing_is_found_is_not_read_again(tmp_path):
    inner = Counting()
    cached = CachedRecognizer(inner, StudyCache(tmp_path / "m"))
    assert [list(cached.recognize("nobody")) for _ in range(2)] == [[], []]
    assert inner.read == ["nobody"]


def test_what_was_found_outlives_the_process_but_not_the_recognizer(tmp_path):
    CachedRecognizer(Counting(), StudyCache(tmp_path / "m")).recognize(TEXT)
    again, changed = Counting(), Counting("counting/2")
    for inner in (again, changed):
        CachedRecognizer(inner, StudyCache(tmp_path / "m")).recognize(TEXT)
    assert again.read == []
    assert changed.read == [TEXT]


def test_no_text_stands_in_the_file_and_nobody_else_may_read_it(tmp_path):
    cache = StudyCache(tmp_path / "m")
    CachedRecognizer(Counting(), cache).recognize(TEXT)
    assert b"Gudrun" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert (tmp_path / "m").stat().st_mode & 0o077 == 0


def test_vectors_come_back_in_order_and_only_new_texts_are_embedded(tmp_path):
    inner = HashEmbedder()
    cached = CachedEmbedder(inner, StudyCache(tmp_path / "m"))
    cached.embed(["one", "two"])
    texts = ["three", "one", "three", "two"]
    assert np.array_equal(cached.embed(texts), HashEmbedder().embed(texts))
    assert inner.embedded == 3
    assert cached.embed([]).shape == (0, 64)
    assert (cached.name, cached.dim) == ("hash-64", 64)


def test_threads_share_one_cache(tmp_path):
    inner = Counting()
    cached = CachedRecognizer(inner, StudyCache(tmp_path / "m"))
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(len(cached.recognize(TEXT)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 8
