"""The demo's questions reach edge and server directly."""

from __future__ import annotations

import pytest

from sage_rag.eval.demo.conversation import Source, ask
from tests.agents.endpoint import endpoint, said

CITATION = {"index": 1, "source": "note-1", "text": "PERSON_[q2Zf] coughs"}


def test_a_question_is_traced_and_no_proxy_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    sent = {"output": "PERSON_[q2Zf]?", "search_words": ["PERSON~4mpe"]}
    answer = said("she coughs", **sent, citations=[CITATION])
    with endpoint(lambda body, number: answer) as server:
        url = server.url.removesuffix("/v1")
        trace = ask(url, url, "clinic", "Maria Keller?")
    assert (trace.typed, trace.sent) == ("Maria Keller?", "PERSON_[q2Zf]?")
    assert trace.server_answer == trace.restored_answer == "she coughs"
    assert trace.sources == (Source(1, "note-1", "PERSON_[q2Zf] coughs"),)
    assert trace.blind_words == 1
    assert server.asked[1]["search_words"] == ["PERSON~4mpe"]
    assert server.asked[1]["messages"][0]["content"] == "PERSON_[q2Zf]?"
