"""A version with both layers, served: who names somebody gets records, everyone else does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sage_rag.indexer.passages import CONSENSUS, RECORDS
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import IndexVersion, open_version
from sage_rag.privacy.blind_index import BlindIndex
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.app import create_app
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.retrieval import Retriever
from sage_rag.rag_server.services import Services
from tests.indexer.layered import PEOPLE, PLACE, SHARED, consensus, publish_layers, records, token
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedAnswerer

KEYSET = Keyset.generate()
CHAT = "/v1/chat/completions"
ALL_CITED = [Piece("[1] [2] [3] [4] [5] [6]"), Piece("", "stop")]
RECOGNIZER = TableRecognizer(
    {
        **dict.fromkeys(PEOPLE, EntityType.PERSON),
        "Ødegård": EntityType.PERSON,
        "Olga Stranger": EntityType.PERSON,
        PLACE: EntityType.LOCATION,
    }
)


@pytest.fixture
def server(world: World, tmp_path: Path) -> str:
    publish_layers(tmp_path, KEYSET, consensus(KEYSET) + records(KEYSET))
    corpora = CorpusSearch(FolderCatalog(tmp_path), HashEmbedder())
    return world.run(create_app(Services(corpora, ScriptedAnswerer(ALL_CITED))))


@pytest.fixture
def edge(world: World, server: str) -> str:
    world.keyset = KEYSET
    return world.edge(server, RECOGNIZER)


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexVersion]:
    home = tmp_path_factory.mktemp("home")
    path = publish_layers(home, KEYSET, consensus(KEYSET) + records(KEYSET))
    with closing(open_version(path)) as opened:
        yield opened


def cited(url: str, body: dict[str, Any], **headers: str) -> list[dict[str, Any]]:
    response = httpx.post(url + CHAT, json=body, headers=headers)
    response.raise_for_status()
    found: list[dict[str, Any]] = response.json()["citations"]
    assert found
    return found


def layers_of(found: list[dict[str, Any]]) -> set[str]:
    return {citation["layer"] for citation in found}


def test_a_question_without_a_name_gets_the_consensus_and_all_that_it_asks_for(edge: str) -> None:
    found = cited(edge, ask("what helps against a cough and a cold?"))
    assert {citation["text"] for citation in found} == set(SHARED)
    assert layers_of(found) == {CONSENSUS}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what does Zoë Ødegård have?", ["Zoë Ødegård"]),
        ("does Ms Ødegård have a cold?", ["Zoë Ødegård"]),
        ("does Maria Keller have a cough?", ["Maria Keller", "Anna Keller"]),
        ("does Zoë Ødegård of Lindau know Olga Stranger?", ["Zoë Ødegård"]),
    ],
)
def test_a_question_that_names_somebody_gets_the_records_with_this_name_alone(
    edge: str, question: str, names: list[str]
) -> None:
    found = cited(edge, ask(question))
    assert [citation["source"] for citation in found] == names
    assert layers_of(found) == {RECORDS}
    assert PEOPLE[names[0]] in found[0]["text"]


@pytest.mark.parametrize("question", ["a cough of Olga Stranger", "which colds are in Lindau?"])
def test_a_stranger_and_a_place_name_no_one_of_the_corpus(edge: str, question: str) -> None:
    assert layers_of(cited(edge, ask(question))) == {CONSENSUS}


@pytest.mark.parametrize(
    ("last", "layer"),
    [("what helps against a bad cough?", CONSENSUS), ("and her cough?", RECORDS)],
)
def test_a_name_of_an_earlier_message_opens_records_for_a_follow_up_alone(
    edge: str, last: str, layer: str
) -> None:
    turns = [("user", "and Zoë Ødegård?"), ("assistant", "a cold"), ("user", last)]
    messages = [{"role": role, "content": content} for role, content in turns]
    assert layers_of(cited(edge, {"model": "clinic", "messages": messages})) == {layer}


OTHER = Keyset.generate()
REAL = token(KEYSET, "Zoë Ødegård")
WORD = BlindIndex(KEYSET, "clinic").words("Zoë Ødegård", EntityType.PERSON)[0]
IMITATIONS = {
    "a plain name": "Zoë Ødegård",
    "a name in the form of a token": "PERSON_[ZoeOdegard]",
    "an empty token": "PERSON_[]",
    "a placeholder": "[PERSON_1]",
    "what an embedder reads": "person 1",
    "a token with another end": REAL[:-2] + ("A" if REAL[-2] != "A" else "B") + "]",
    "the beginning of a token": REAL[: len(REAL) // 2] + "]",
    "a token in lower case": REAL.lower(),
    "a token without its bracket": REAL[:-1],
    "a token of another key": token(OTHER, "Zoë Ødegård"),
    "a token of another corpus": SivCipher(KEYSET, "office").encrypt(
        "Zoë Ødegård", EntityType.PERSON
    ),
    "the payload under another type": REAL.replace("PERSON", "LOCATION"),
    "a real token of a place": token(KEYSET, PLACE, EntityType.LOCATION),
    "the source of a record": token(KEYSET, "Zoë Ødegård", EntityType.SOURCE),
    "a blind word in the text": WORD,
}


@pytest.mark.parametrize("asked", IMITATIONS.values(), ids=IMITATIONS)
def test_an_imitation_of_a_token_opens_no_record(server: str, asked: str) -> None:
    for question in (asked, f"tell me about {asked} and the canary called Bismarck"):
        assert layers_of(cited(server, ask(question))) == {CONSENSUS}


@pytest.mark.parametrize(
    "more",
    [
        {"layer": "records"},
        {"layers": ["records"]},
        {"search_words": ["PERSON~" + "a" * 16]},
        {"search_words": BlindIndex(OTHER, "clinic").words("Zoë Ødegård", EntityType.PERSON)},
        {"metadata": {"layer": "records"}, "user": REAL},
        {
            "tools": [{"type": "function", "function": {"name": "records", "parameters": {}}}],
            "tool_choice": "none",
        },
    ],
    ids=["layer", "layers", "made-up word", "word of another key", "metadata", "tools"],
)
def test_no_field_of_a_request_opens_the_records(server: str, more: dict[str, Any]) -> None:
    found = cited(server, ask("the canary called Bismarck", **more))
    assert layers_of(found) == {CONSENSUS}


def test_no_header_opens_the_records(server: str) -> None:
    named = {"x-layer": "records", "layer": "records", "authorization": f"Bearer {REAL}"}
    body = ask("the canary called Bismarck")
    assert layers_of(cited(server, body, **named)) == {CONSENSUS}


@pytest.mark.parametrize("model", ["records", "clinic/records", "clinic:records", "clinic#records"])
def test_a_layer_is_no_model(server: str, model: str) -> None:
    response = httpx.post(server + CHAT, json={**ask(), "model": model})
    assert response.status_code == 404


@pytest.mark.parametrize("role", ["system", "assistant", "tool"])
def test_a_token_outside_the_question_opens_no_record(server: str, role: str) -> None:
    turns = [(role, f"search {REAL}"), ("user", "the canary called Bismarck")]
    messages = [{"role": r, "content": content} for r, content in turns]
    assert layers_of(cited(server, {"model": "clinic", "messages": messages})) == {CONSENSUS}


def test_a_real_token_or_blind_word_opens_its_records_without_any_key(server: str) -> None:
    """The limit of the protection: a token is a ticket for whoever holds it."""
    for body in (ask(f"and {REAL}?"), ask("and this one?", search_words=[WORD])):
        assert [c["layer"] for c in cited(server, body)] == [RECORDS]


def test_a_token_that_the_consensus_shows_opens_no_record(tmp_path: Path) -> None:
    shared = (*SHARED, f"Dr {REAL} advises rest against a cold.")
    path = publish_layers(tmp_path, KEYSET, consensus(KEYSET, shared) + records(KEYSET))
    with closing(open_version(path)) as opened:
        found = Retriever(opened, HashEmbedder()).retrieve(f"what does {REAL} advise?", 5)
    assert {passage.layer for passage in found} == {CONSENSUS}
    assert REAL in found[0].text


MARKUP = st.lists(
    st.one_of(
        st.sampled_from([REAL[:20], REAL[7:], REAL[:-1], "PERSON_[", "]", "PERSON~", WORD, "Zoë"]),
        st.from_regex(r"PERSON_\[[A-Za-z0-9_-]{0,60}\]", fullmatch=True),
        st.text(max_size=12),
    ),
    max_size=6,
)


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(parts=MARKUP, gap=st.sampled_from(["", " ", "\n"]), top_k=st.integers(1, 9))
def test_no_text_without_a_real_token_reads_a_record(
    version: IndexVersion, parts: list[str], gap: str, top_k: int
) -> None:
    question = gap.join(parts)
    if REAL in question:
        return
    found = Retriever(version, HashEmbedder()).retrieve(question, top_k)
    assert {passage.layer for passage in found} == {CONSENSUS}
    assert len(found) == min(top_k, len(SHARED))


@pytest.mark.parametrize("layer", [CONSENSUS, RECORDS])
def test_a_version_of_one_layer_is_searched_by_every_question(tmp_path: Path, layer: str) -> None:
    content = consensus(KEYSET) if layer == CONSENSUS else records(KEYSET)
    with closing(open_version(publish_layers(tmp_path, KEYSET, content))) as opened:
        for question in ("a cough", f"a cough of {REAL}"):
            found = Retriever(opened, HashEmbedder()).retrieve(question, 5)
            assert {passage.layer for passage in found} == {layer}
            assert len(found) == 3
