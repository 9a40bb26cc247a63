"""What an edge has restored does not go back to a server in clear."""

from __future__ import annotations

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from sage_rag.rag_server.edge.shown_values import ShownValues
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedServer, chunks, completion, streamed

PERSON, AGE, SOURCE = EntityType.PERSON, EntityType.AGE, EntityType.SOURCE
BLIND = TableRecognizer({})
"""Recognises nothing, as where a hostile server chose the words around a name."""


def keys(policy: str = "soe-all") -> CorpusKeys:
    return CorpusKeys("clinic", Keyset.generate(), BLIND, preset(policy))


def sent(own: CorpusKeys, role: str, **message: object) -> str:
    body = {"model": "clinic", "messages": [{"role": role, **message}]}
    return json.dumps(pseudonymize_request(body, own), ensure_ascii=False)


@pytest.mark.parametrize("around", ["The {} syndrome", "x{}x", "{}", "_{}{}.py", "a\n{}\nb"])
@pytest.mark.parametrize("role", ["assistant", "tool", "system", "user"])
def test_a_restored_name_goes_back_as_its_token(around: str, role: str) -> None:
    own = keys()
    token = own.hide_whole("Maria Keller", PERSON)
    shown = own.restore(around.format(token, token))
    assert "Maria Keller" in shown
    assert json.dumps(around.format(token, token))[1:-1] in sent(own, role, content=shown)


@pytest.mark.parametrize(
    "message",
    [
        {"content": "", "reasoning_content": "xMaria Kellerx"},
        {"content": [{"type": "text", "text": "xMaria Kellerx"}]},
        {"tool_calls": [{"function": {"name": "f", "arguments": '{"a": "xMaria Kellerx"}'}}]},
        {"function_call": {"name": "f", "arguments": "broken xMaria Kellerx"}},
    ],
)
def test_every_text_of_an_answer_is_read_so(message: dict[str, object]) -> None:
    own = keys()
    own.restore(own.hide_whole("Maria Keller", PERSON))
    assert "Keller" not in sent(own, "assistant", **message)


def test_a_value_that_the_policy_of_questions_keeps_or_coarsens_is_hidden_too() -> None:
    own = keys("sage")
    token = own._cipher.encrypt("41", AGE)
    assert own.restore(f"aged {token}") == "aged 41"
    assert f"aged {token}" in sent(own, "assistant", content="aged 41")


def test_a_sources_id_goes_back_as_a_token() -> None:
    own = keys()
    own.restore(own._cipher.encrypt("ward-17", SOURCE))
    assert "ward-17" not in sent(own, "assistant", content="1. ward-17")


def test_a_user_may_use_a_word_that_is_somebodys_name() -> None:
    own = keys()
    token = own.hide_whole("May", PERSON)
    own.restore(token)
    assert "in May?" in sent(own, "user", content="Can it wait, in May?")
    assert f"She is {token}." in sent(own, "assistant", content="She is May.")


def test_a_short_value_is_hidden_as_a_word_and_no_part_of_one() -> None:
    found = ShownValues()
    found.add("Li", PERSON)
    spans = found.spans("Lipids of Li, Bali and (Li)", by_server=True)
    assert [(s.start, s.end) for s in spans] == [(10, 12), (24, 26)]


def test_the_value_shown_longest_ago_is_dropped() -> None:
    found = ShownValues(most=2)
    for value in ("Anna A", "Anna B", "Anna A", "Anna C"):
        found.add(value, PERSON)
    text = "Anna A, Anna B, Anna C"
    assert [text[s.start : s.end] for s in found.spans(text, by_server=True)] == [
        "Anna A",
        "Anna C",
    ]


@given(
    st.lists(st.text("ab c1", min_size=4, max_size=7), max_size=6), st.text("ab c1", max_size=40)
)
def test_no_shown_value_is_left_outside_the_spans(values: list[str], text: str) -> None:
    found = ShownValues()
    for value in values:
        found.add(value, PERSON)
    rest = list(text)
    for span in found.spans(text, by_server=True):
        rest[span.start : span.end] = "\0" * len(span)
    assert not any(v in "".join(rest) for v in values if any(map(str.isalnum, v)))


@pytest.mark.parametrize("stream", [False, True])
def test_a_hostile_server_gets_no_name_by_the_next_turn(world: World, stream: bool) -> None:
    token = world.keys().hide_whole("Ngozi Okafor", PERSON)
    text = f"The {token} syndrome needs rest."
    reply = streamed(chunks(text[:9], text[9:])) if stream else completion(text)
    server = ScriptedServer(lambda _: reply)
    url = world.edge(world.run(server), BLIND)
    first = ask(stream=stream)
    shown = httpx.post(f"{url}/v1/chat/completions", json=first).text
    assert "Ngozi Okafor" in shown
    answer = {"role": "assistant", "content": "The Ngozi Okafor syndrome needs rest."}
    turn = {**first, "messages": [*first["messages"], answer, *first["messages"]]}
    httpx.post(f"{url}/v1/chat/completions", json=turn)
    assert server.seen[-1].body["messages"][1]["content"] == text
    assert "Okafor" not in server.seen[-1].raw.decode()
