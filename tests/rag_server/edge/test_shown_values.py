"""What an edge has restored does not go back to a server in clear."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import ProtectionError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from sage_rag.rag_server.edge.shown_values import ShownValues, is_short
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


def test_a_value_that_cannot_be_remembered_is_not_shown() -> None:
    own = keys()
    own._shown = ShownValues(most=1)
    names = [own.hide_whole(name, PERSON) for name in ("Anna A", "Anna B")]
    assert own.restore(names[0]) == "Anna A"
    with pytest.raises(ProtectionError, match="full"):
        own.restore(names[1])
    assert own.restore(names[0]) == "Anna A"


@pytest.mark.parametrize(
    "written",
    ["ZOË ØDEGÅRD", "Zoe Odegard", "zoë\u00a0ødegård", "Zoe\u0308  Ødegård", "*Zoë* Ødegård's"],
)
def test_another_spelling_of_a_restored_name_is_hidden(written: str) -> None:
    own = keys()
    own.restore(own.hide_whole("Zoë Ødegård's", PERSON))
    hidden = sent(own, "assistant", content=f"The {written} syndrome")
    assert "PERSON_[" in hidden
    assert not re.search("(?i)zo|deg", re.sub(r"PERSON_\[[^]]*\]", "", hidden))


def test_a_name_in_another_spelling_is_no_part_of_a_word() -> None:
    found = ShownValues()
    found.add("Diab", PERSON)
    assert not found.spans("diabetes and Prediabetes", by_server=True)
    assert found.spans("Diabetes", by_server=True), "in the same spelling it may be one"
    assert not found.spans("Diabetes", by_server=False), "a user's own word"
    assert found.spans("DIAB, diab", by_server=False)


def test_a_chinese_name_is_hidden_between_other_characters() -> None:
    own = keys()
    shown = own.restore(f"患者{own.hide_whole('王伟', PERSON)}发烧")
    assert shown == "患者王伟发烧"
    assert "王伟" not in sent(own, "assistant", content=shown)


def test_values_that_overlap_leave_no_part_of_one() -> None:
    found = ShownValues()
    for value in ("Anna Berg", "Bergmann Otto", "Mann"):
        found.add(value, PERSON)
    (span,) = found.spans("Anna Bergmann Otto", by_server=True)
    assert len(span) == len("Anna Bergmann Otto")


def test_a_value_inside_a_longer_one_that_is_made_coarser_is_hidden_first() -> None:
    reader = TableRecognizer({"12 May 2021": EntityType.DATE_TIME})
    own = CorpusKeys("clinic", Keyset.generate(), reader, preset("sage"))
    shown = own.restore(f"12 May {own._cipher.encrypt('2021', EntityType.ID)}")
    assert shown == "12 May 2021"
    assert "2021" not in sent(own, "assistant", content=shown)


def test_in_a_users_text_a_shown_surname_is_a_part_of_another_full_name() -> None:
    reader = TableRecognizer({"Xenia Ivanova": PERSON, "Ivanova": PERSON})
    own = CorpusKeys("clinic", Keyset.generate(), reader, preset("soe-all"))
    own.restore(own.hide_whole("Ivanova", PERSON))
    question = "What was repaired for Xenia Ivanova, and for Ivanova?"
    whole, alone = (own.hide_whole(name, PERSON) for name in ("Xenia Ivanova", "Ivanova"))
    assert f"for {whole}, and for {alone}?" in sent(own, "user", content=question)
    assert alone in sent(own, "assistant", content="Xenia Ivanova")


@pytest.mark.parametrize("policy", ["sage", "soe-pl"])
def test_in_a_longer_value_that_stays_readable_a_shown_one_is_hidden_alone(policy: str) -> None:
    reader = TableRecognizer({"12 May 20219876": EntityType.DATE_TIME})
    own = CorpusKeys("clinic", Keyset.generate(), reader, preset(policy))
    shown = own.restore(f"12 May {own._cipher.encrypt('20219876', EntityType.ID)}")
    assert "20219876" not in sent(own, "user", content=shown)


def test_one_corpus_hides_what_another_restored(world: World) -> None:
    ring = Keyring(world.keyset, BLIND, preset("sage"))
    first, second = ring.for_model("clinic"), ring.for_model("court")
    first.restore(first.hide_whole("Ngozi Okafor", PERSON))
    assert "Okafor" not in sent(second, "assistant", content="The Ngozi Okafor syndrome")


def cut(text: str, at: int) -> list[str]:
    return [text[:at], text[at:]]


@given(
    st.sampled_from(["Li", "41", "O'K", "A 1", "王伟", "Maria Li", "Ann", "Zoë Ødegård"]),
    st.text("ax1 .", max_size=3),
    st.text("ax1 .", max_size=3),
    st.integers(0, 200),
)
def test_what_a_server_puts_around_a_value_does_not_bring_it_back(
    value: str, before: str, after: str, at: int
) -> None:
    own = keys()
    token = own.hide_whole(value, PERSON)
    stream = own.stream()
    pieces = [stream.feed(piece) for piece in cut(f"{before}{token}{after}", at)]
    shown = "".join([*pieces, stream.flush()])
    assert value in shown
    hidden = json.loads(sent(own, "assistant", content=shown))["messages"][0]["content"]
    assert token in hidden
    assert own.restore(hidden) == shown


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
    cores = [core for value in values if (core := value.strip())]
    assert not any(core in "".join(rest) for core in cores if not is_short(core))
    assert not any(core in "".join(rest).split() for core in cores)


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


def test_a_name_that_was_shown_as_a_code_is_read_as_the_name_that_it_is() -> None:
    keyset = Keyset.generate()
    own = CorpusKeys("clinic", keyset, TableRecognizer({"pillai": PERSON}), preset("soe-all"))
    own.restore(own.hide_whole("pillai", EntityType.ID))
    assert own.pseudonymize("mr pillai").startswith("mr PERSON_[")
    assert own.for_answers().pseudonymize("mr pillai").startswith("mr ID_[")
