from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.guards.quotation import MOST_WORDS, GuardedAnswerer
from sage_rag.rag_server.services import Services
from sage_rag.rag_server.settings import ServeSettings
from sage_rag.rag_server.wiring import build_server, warnings
from tests.rag_server.fakes import MemoryCatalog, ScriptedAnswerer, WordsEmbedder


def shown(catalog: MemoryCatalog, home: Path = Path("absent")) -> list[str]:
    services = Services(CorpusSearch(catalog, WordsEmbedder()), ScriptedAnswerer([]))
    return list(warnings(services, home))


def test_an_owners_ledger_beside_the_corpora_is_warned_of(tmp_path):
    (tmp_path / "owner").mkdir()
    assert "the owner's ledger" in shown(MemoryCatalog(), tmp_path)[0]


def test_an_unprotected_corpus_is_warned_of_by_name_and_a_protected_one_is_not():
    catalog = MemoryCatalog()
    catalog.publish("open", ["plain"], protection="none")
    catalog.publish("closed", ["hidden"])
    [warning] = shown(catalog)
    assert "WARNING: corpus `open` is NOT PROTECTED" in warning


def test_an_empty_home_and_a_corpus_that_does_not_open_are_told():
    catalog = MemoryCatalog()
    assert "no corpus is published" in shown(catalog)[0]
    catalog.publish("foreign", ["a"], embedder="other")
    assert "another model" in shown(catalog)[0]


def test_a_missing_home_is_an_error(tmp_path):
    with pytest.raises(InputError, match="there is no home"):
        build_server(ServeSettings.load({"home": tmp_path / "nowhere"}), {})


def test_a_reader_that_is_not_here_is_named_in_full(tmp_path):
    given = {"home": tmp_path, "reader": "example/no-such-model", "insecure_no_auth": True}
    with pytest.raises(InputError, match="there is no reader `example/no-such-model`"):
        build_server(ServeSettings.load(given), {})


@pytest.mark.parametrize("guard", [False, True])
def test_a_guard_bounds_answers_and_citations_alike(tmp_path, guard):
    given = {"home": tmp_path, "guard": guard, "reader": "off", "insecure_no_auth": True}
    services = build_server(ServeSettings.load(given), {})
    assert isinstance(services.answerer, GuardedAnswerer) is guard
    assert services.quoted_words == (MOST_WORDS if guard else None)
