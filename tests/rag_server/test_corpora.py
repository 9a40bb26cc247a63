import threading

import pytest

from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.exceptions import CorpusUnavailableError, UnknownModelError
from tests.rag_server.fakes import MemoryCatalog, WordsEmbedder


@pytest.fixture
def catalog() -> MemoryCatalog:
    return MemoryCatalog()


@pytest.fixture
def corpora(catalog) -> CorpusSearch:
    return CorpusSearch(catalog, WordsEmbedder())


def search(corpora: CorpusSearch, name: str = "c") -> list[str]:
    return [p.text for p in corpora.search(name, "note", 5).passages]


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


def test_closing_releases_what_nobody_reads(catalog, corpora):
    version = catalog.publish("c", ["a note"])
    search(corpora)
    corpora.close()
    assert version.closed
