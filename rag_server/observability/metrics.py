"""Metrics for Prometheus, and spans for OpenTelemetry where a process has set it up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache, cached_property
from types import TracebackType

from fastapi import APIRouter, Request
from opentelemetry.trace import (
    INVALID_SPAN,
    ProxyTracerProvider,
    Span,
    Tracer,
    get_tracer,
    get_tracer_provider,
)
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily
from starlette.responses import PlainTextResponse, Response

from sage_rag.rag_server.observability.worker_metrics import WorkerMetrics

_NO_SPAN = nullcontext(INVALID_SPAN)
"""What is entered where no process has set up OpenTelemetry: its own spans cost more."""
_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

router = APIRouter()


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Return the metrics of this service in Prometheus's text format."""
    found: Metrics = request.app.state.services.metrics
    return Response(found.text(), media_type=CONTENT_TYPE_LATEST)


class Metrics:
    """The metrics of one service. Labels are addresses, stages and outcomes, never texts."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        """`tracer`: by default the global one, if a process has set it up before the first span."""
        self._given_tracer = tracer
        self._registry = CollectorRegistry()
        self._workers: WorkerMetrics | None = None
        self._requests = Histogram(
            "sage_rag_request_seconds",
            "Time from a request to the end of its response.",
            ["path", "status"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._stages = Histogram(
            "sage_rag_stage_seconds",
            "Time of a stage of a request, waiting for a thread included.",
            ["stage"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._tokens = Counter(
            "sage_rag_tokens",
            "Tokens of questions and answers.",
            ["kind"],
            registry=self._registry,
        )
        # A child is found by its labels once: to look for it takes a lock at every call.
        self._request_times = cache(self._requests.labels)
        self._stage_times = cache(self._stages.labels)
        self._token_counts = cache(self._tokens.labels)
        self._pending = Gauge(
            "sage_rag_pending_work",
            "Works of a pool that run or wait.",
            ["pool"],
            registry=self._registry,
        )

    @cached_property
    def _tracer(self) -> Tracer | None:
        if self._given_tracer is None and isinstance(get_tracer_provider(), ProxyTracerProvider):
            return None
        return self._given_tracer or get_tracer("sage_rag")

    def span(self, name: str) -> AbstractContextManager[Span]:
        """Trace what the block does. An exception is not recorded: its message may hold a text."""
        if self._tracer is None:
            return _NO_SPAN
        return self._tracer.start_as_current_span(
            name, record_exception=False, set_status_on_exception=False
        )

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request; `path` is the address as it is declared."""
        self._request_times(path, str(status)).observe(seconds)

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Time and trace a stage."""
        return _Stage(self.span(name), self._stage_times(name))

    def tokens(self, prompt: int, completion: int) -> None:
        """Count the tokens of a request."""
        self._token_counts("prompt").inc(prompt)
        self._token_counts("completion").inc(completion)

    def watch_pool(self, name: str, pending: Callable[[], int]) -> None:
        """Report the length of a pool's queue."""
        self._pending.labels(name).set_function(pending)

    def watch_restored(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """Report how many tokens of answers were restored, or why they could not be."""
        self._registry.register(_RestoredTokens(counts))

    def share(self, workers: WorkerMetrics, number: int) -> None:
        """Report this process, from 1, together with the other ones of a server."""
        self._workers = workers
        workers.write_always(number, lambda: generate_latest(self._registry))

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format; of several processes, a second old."""
        return generate_latest(self._registry) if self._workers is None else self._workers.text()


class _Stage(AbstractContextManager[None]):
    """Enters a span and observes how long it takes."""

    def __init__(self, span: AbstractContextManager[Span], times: Histogram) -> None:
        self._span = span
        self._times = times
        self._started = time.perf_counter()

    def __enter__(self) -> None:
        self._span.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        try:
            return self._span.__exit__(kind, error, trace)
        finally:
            self._times.observe(time.perf_counter() - self._started)


class _RestoredTokens:
    """A collector that reads counts when it is asked."""

    def __init__(self, counts: Callable[[], Mapping[str, int]]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(
            "sage_rag_restored_tokens", "Tokens in answers, by outcome.", labels=["outcome"]
        )
        for outcome, count in self._counts().items():
            family.add_metric([outcome], count)
        yield family
