"""Reading ahead: every passage of a version once, and nothing after the version is replaced."""

import logging
import threading
from functools import partial

from sage_rag.indexer.passages import CONSENSUS, RECORDS
from sage_rag.rag_server.answering import sentences
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.read_ahead import ReadAhead
from tests.rag_server.fakes import MemoryCatalog, WordsEmbedder

WAIT_S = 10


class Reader:
    """Records what it reads; `waits` at a text until `go`."""

    def __init__(self, waits: str | None = None) -> None:
        self.texts: list[str] = []
        self.waits = waits
        self.waiting, self.go = threading.Event(), threading.Event()

    def __call__(self, passage, answer_fields):
        if passage.text == self.waits:
            self.waiting.set()
            self.go.wait(WAIT_S)
        self.texts.append(passage.text)


def run(ahead, version, stop=None):
    """Read a version to the end."""
    done = threading.Event()
    ahead.begin(version, stop or threading.Event(), done.set)
    assert done.wait(WAIT_S)


def test_a_version_is_read_once_it_is_open_and_questions_find_its_sentences(monkeypatch):
    kept = sentences._KeptSentences()
    monkeypatch.setattr(sentences, "_KEPT", kept)
    catalog, done = MemoryCatalog(), threading.Event()
    catalog.publish("c", ["First note.", "Second note."])

    class Signalling(ReadAhead):
        def begin(self, version, stop, release):
            super().begin(version, stop, lambda: (release(), done.set()))

    ahead = Signalling(partial(sentences.read_passage, 0), 1_000)
    corpora = CorpusSearch(catalog, WordsEmbedder(), ahead=ahead)
    corpora.manifest("c")
    assert done.wait(WAIT_S)
    assert {fields[0][1] for fields in kept._kept} == {"First note.", "Second note."}
    corpora.close()
    assert catalog.versions["c"].closed


def test_a_replaced_version_is_read_no_further_and_closed():
    catalog, reader = MemoryCatalog(), Reader(waits="b")
    old = catalog.publish("c", ["a", "b", "c", "d"])
    corpora = CorpusSearch(catalog, WordsEmbedder(), ahead=ReadAhead(reader, 1_000))
    corpora.manifest("c")
    assert reader.waiting.wait(WAIT_S)
    catalog.publish("c", ["new"])
    corpora.manifest("c")
    assert not old.closed, "it is being read"
    reader.go.set()
    for thread in threading.enumerate():
        if thread.name == "read ahead":
            thread.join(WAIT_S)
    assert old.closed
    assert sorted(reader.texts) == ["a", "b", "new"]


def test_shutting_down_ends_it():
    catalog, reader = MemoryCatalog(), Reader(waits="a")
    version = catalog.publish("c", ["a", "b"])
    corpora = CorpusSearch(catalog, WordsEmbedder(), ahead=ReadAhead(reader, 1_000))
    corpora.manifest("c")
    assert reader.waiting.wait(WAIT_S)
    corpora.close()
    reader.go.set()
    for thread in threading.enumerate():
        if thread.name == "read ahead":
            thread.join(WAIT_S)
    assert version.closed
    assert reader.texts == ["a"]


def test_the_corpora_share_the_space_and_a_version_that_does_not_fit_is_left_out():
    catalog, reader = MemoryCatalog(), Reader()
    ahead = ReadAhead(reader, 100)
    run(ahead, catalog.publish("one", ["a" * 20] * 3))
    run(ahead, catalog.publish("two", ["b" * 20] * 3))
    run(ahead, catalog.publish("three", ["c" * 20]))
    assert {text[0] for text in reader.texts} == {"a", "c"}
    run(ahead, catalog.publish("one", ["d"]))  # its older version no longer counts
    run(ahead, catalog.publish("two", ["b" * 20] * 3))
    assert {text[0] for text in reader.texts} == {"a", "b", "c", "d"}


def test_consensus_passages_are_left_out():
    catalog, reader = MemoryCatalog(), Reader()
    version = catalog.publish("c", ["a"])

    class TwoLayers:
        manifest = version.manifest
        layers = {CONSENSUS: catalog.publish("d", ["b"]), RECORDS: version}  # noqa: RUF012

    run(ReadAhead(reader, 100), TwoLayers())
    assert reader.texts == ["a"]


def test_a_passage_that_cannot_be_read_is_a_line_without_its_text(caplog):
    def fail(passage, answer_fields):
        raise ValueError(passage.text)

    catalog = MemoryCatalog()
    with caplog.at_level(logging.WARNING, "sage_rag"):
        run(ReadAhead(fail, 100), catalog.publish("c", ["canary"]))
    assert caplog.messages == ["reading ahead failed: ValueError"]


def test_a_corpus_that_is_no_longer_served_leaves_its_space_to_others():
    catalog, reader = MemoryCatalog(), Reader()
    ahead, retired = ReadAhead(reader, 5), threading.Event()
    run(ahead, catalog.publish("removed", ["note"]), retired)
    other = catalog.publish("other", ["text"])
    run(ahead, other)
    assert reader.texts == ["note"]
    retired.set()
    run(ahead, other)
    assert reader.texts == ["note", "text"]
