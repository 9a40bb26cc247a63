import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.web import sse
from sage_rag.common.web.sse import Event, EventDecoder

STREAM = "data: né 患者 🙂\n\nevent: note\r\ndata:a\r\ndata: b\r\n\r\n: comment\n\ndata: [DONE]\n\n"
EVENTS = [Event("né 患者 🙂"), Event("a\nb", "note"), Event("[DONE]")]


def decode(*pieces: bytes) -> list[Event]:
    decoder = EventDecoder()
    return [*(e for piece in pieces for e in decoder.feed(piece)), *decoder.flush()]


def test_every_cut_gives_the_same_events():
    raw = STREAM.encode()
    for cut in range(len(raw) + 1):
        assert decode(raw[:cut], raw[cut:]) == EVENTS
    assert decode(*(raw[i : i + 1] for i in range(len(raw)))) == EVENTS


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
def test_an_encoded_event_is_read_back(data):
    assert decode(Event(data).encode()) == [Event(data)]


def test_a_payload_is_one_line_whatever_it_holds():
    raw = sse.encode({"text": "a\nb\r\n\u2028c"})
    assert raw.count(b"\n") == 2
    assert len(decode(raw)) == 1


def test_an_unfinished_event_is_given_at_the_end():
    assert decode(b"data: last") == [Event("last")]


def test_carriage_returns_alone_end_lines():
    assert decode(b"data: a\r\rdata: b\r\r") == [Event("a"), Event("b")]


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 100)
    decoder = EventDecoder()
    decoder.feed(b"data: xxxx" * 9)
    with pytest.raises(ValueError, match="too long"):
        decoder.feed(b"data: xxxx" * 9)
