"""Spans of OpenTelemetry: stages and addresses, never a text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.trace import INVALID_SPAN_CONTEXT, NonRecordingSpan, NoOpTracer, Span

from sage_rag.common.exceptions import UpstreamError
from sage_rag.rag_server.observability.metrics import Metrics
from tests.rag_server.conftest import ANSWER, World, ask
from tests.rag_server.fakes import ScriptedAnswerer

CHAT = "/v1/chat/completions"
CANARY = "Maria Keller"


class KeptSpan(NonRecordingSpan):
    """Keeps its name and what is recorded about it."""

    def __init__(self, name: str, recorded: list[Any]) -> None:
        super().__init__(INVALID_SPAN_CONTEXT)
        self._recorded = recorded
        recorded.append(name)

    def update_name(self, name: str) -> None:
        self._recorded.append(name)

    def set_attribute(self, key: str, value: Any) -> None:
        self._recorded.append((key, value))


class KeepingTracer(NoOpTracer):
    """Records every span, and what a library would record of exceptions."""

    def __init__(self) -> None:
        self.recorded: list[Any] = []

    @contextmanager
    def start_as_current_span(self, name: str, *_: Any, **options: Any) -> Iterator[Span]:
        span = KeptSpan(name, self.recorded)
        try:
            yield span
        except Exception as error:
            if options.get("record_exception", True):
                self.recorded.append(str(error))
            raise


def recorded(tracer: KeepingTracer, status: int) -> list[Any]:
    """Return what a request left, once it is done."""
    until = time.monotonic() + 5
    while (last := ("http.response.status_code", status)) not in tracer.recorded:
        assert time.monotonic() < until
        time.sleep(0.005)
    return [item for item in tracer.recorded if item != last]


def test_a_request_and_its_stages_have_spans(world: World) -> None:
    tracer = KeepingTracer()
    url = world.serve(ScriptedAnswerer(ANSWER), metrics=Metrics(tracer))
    assert world.http.post(url + CHAT, json=ask(f"what helps {CANARY}?")).status_code == 200
    assert recorded(tracer, 200) == ["request", "search", "first piece", CHAT]


def test_no_span_has_a_text_of_a_request_or_an_exception(world: World) -> None:
    tracer = KeepingTracer()
    failing = ScriptedAnswerer([UpstreamError(f"nothing about {CANARY}")])
    url = world.serve(failing, metrics=Metrics(tracer))
    assert world.http.post(url + CHAT, json=ask(f"what helps {CANARY}?")).status_code == 502
    world.http.request("REPORT", f"{url}/{CANARY}")
    until = time.monotonic() + 5
    while tracer.recorded.count("request") < 2 or "-" not in tracer.recorded:
        assert time.monotonic() < until
        time.sleep(0.005)
    assert "Maria" not in str(tracer.recorded)
