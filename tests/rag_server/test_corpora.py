import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from sage_rag.common.deadlines import Deadline, WorkAbandonedError, deadline
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.exceptions import CorpusUnavailableError, UnknownModelError
from sage_rag.rag_server.services import Services
from sage_rag.rag_server.wiring import warnings
from tests.rag_server.fakes import MemoryCatalog, ScriptedAnswerer, WordsEmbedder


@pytest.fixture
def catalog() -> MemoryCatalog:
    return MemoryCatalog()


@pytest.fixture
def corpora(catalog) -> CorpusSearch:
    return CorpusSearch(catalog, WordsEmbedder())


def search(corpora: CorpusSearch, name: str = "c") -> list[str]:
    return [p.text for p in corpora.search(name, "note", 5).passages]


def test_a_question_that_names_no_one_finds_the_person_of_the_conversation(catalog, corpora):
    own = "PERSON_[aaaa] note"
    catalog.publish("c", ["note note", "note on note", own])
    others = [p.text for p in corpora.search("c", "note", 2).passages]
    assert own not in others
    found = corpora.search("c", "note", 2, people_before=["PERSON_[aaaa]"]).passages
    assert [p.text for p in found] == [others[0], own]


def test_the_next_search_reads_a_newly_published_version(catalog, corpora):
    old = catalog.publish("c", ["old note"])
    assert search(corpora) == ["old note"]
    catalog.publish("c", ["new note"])
    assert search(corpora) == ["new note"]
    assert old.closed


def test_a_replaced_version_stays_open_until_its_last_reader_is_done(catalog):
    inside, go = threading.Event(), threading.Event()

    class Waiting(WordsEmbedder):
        waits = False

        def embed(self, texts):
            if self.waits and threading.current_thread() is reader:
                inside.set()
                go.wait(5)
            return super().embed(texts)

    embedder, found = Waiting(), []
    corpora = CorpusSearch(catalog, embedder)
    old = catalog.publish("c", ["old note"])
    reader = threading.Thread(target=lambda: found.extend(search(corpora)))
    embedder.waits = True
    reader.start()
    assert inside.wait(5)
    catalog.publish("c", ["new note"])
    assert search(corpora) == ["new note"]
    assert not old.closed
    go.set()
    reader.join(5)
    assert found == ["old note"]
    assert old.closed


def test_a_corpus_added_later_is_found(catalog, corpora):
    assert corpora.manifests() == {}
    catalog.publish("late", ["a note"])
    assert list(corpora.manifests()) == ["late"]
    assert search(corpora, "late") == ["a note"]


@pytest.mark.parametrize("name", ["nope", "", "../c", "c/../c", "C"])
def test_an_unknown_name_is_refused(catalog, corpora, name):
    catalog.publish("c", ["a note"])
    with pytest.raises(UnknownModelError):
        corpora.search(name, "note", 1)


def test_a_corpus_of_another_embedder_is_not_searched(catalog, corpora):
    catalog.publish("c", ["a note"], embedder="bge-large-en-v1.5")
    with pytest.raises(CorpusUnavailableError):
        corpora.search("c", "note", 1)


def test_a_withdrawn_version_is_not_served_when_the_new_one_is_damaged(tmp_path):
    corpus = tmp_path / "corpora" / "c"
    (corpus / "versions" / "000001").mkdir(parents=True)
    (corpus / "current").write_text("000001")
    with pytest.raises(CorpusUnavailableError) as caught:
        CorpusSearch(FolderCatalog(tmp_path), WordsEmbedder()).search("c", "note", 1)
    assert str(tmp_path) not in caught.value.message


class SlowCatalog(MemoryCatalog):
    """Opens a version of `big` only when `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.opened: list[str] = []

    def open(self, name):
        if name == "big":
            assert self.go.wait(30)
        self.opened.append(name)
        return super().open(name)


def test_a_large_version_that_opens_delays_no_other_corpus_and_no_health_check():
    catalog = SlowCatalog()
    catalog.publish("big", ["big note"])
    catalog.publish("small", ["small note"])
    corpora = CorpusSearch(catalog, WordsEmbedder())
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(search, corpora, "big") for _ in range(3)]
        found = corpora.manifests(0.5)
        assert search(corpora, "small") == ["small note"]
        assert found["small"].corpus == "small"
        assert found["big"].message == "corpus `big` is being opened"
        catalog.go.set()
        assert [asked.result(30) for asked in waiting] == [["big note"]] * 3
    assert catalog.opened.count("big") == 1
    assert corpora.manifests()["big"].corpus == "big"


def test_the_warnings_at_the_start_wait_for_large_versions(tmp_path):
    catalog = SlowCatalog()
    catalog.publish("big", ["big note"], protection="none")
    services = Services(CorpusSearch(catalog, WordsEmbedder()), ScriptedAnswerer([]))
    threading.Timer(2.5, catalog.go.set).start()
    [warning] = warnings(services, tmp_path)
    assert "`big` is NOT PROTECTED" in warning


def test_a_question_waits_for_a_version_until_its_deadline():
    catalog = SlowCatalog()
    catalog.publish("big", ["big note"])
    corpora = CorpusSearch(catalog, WordsEmbedder())
    with deadline(Deadline(0.2)), pytest.raises(WorkAbandonedError):
        search(corpora, "big")
    catalog.go.set()
    assert search(corpora, "big") == ["big note"]
    assert catalog.opened == ["big"]


@pytest.mark.parametrize("asked", [lambda c: search(c, "gone"), CorpusSearch.manifests])
def test_a_corpus_that_is_no_longer_published_is_closed(catalog, corpora, asked):
    version = catalog.publish("gone", ["a note"])
    assert search(corpora, "gone") == ["a note"]
    del catalog.versions["gone"]
    with suppress(UnknownModelError):
        asked(corpora)
    assert version.closed
    catalog.versions["gone"] = again = MemoryCatalog().publish("gone", ["a new note"])
    assert search(corpora, "gone") == ["a new note"]
    assert not again.closed


def test_closing_releases_what_nobody_reads(catalog, corpora):
    version = catalog.publish("c", ["a note"])
    search(corpora)
    corpora.close()
    assert version.closed
