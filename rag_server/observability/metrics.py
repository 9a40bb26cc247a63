"""Metrics for Prometheus, and spans for OpenTelemetry where a process has set it up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from fastapi import APIRouter, Request
from opentelemetry.trace import Span, Tracer, get_tracer
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily
from starlette.responses import PlainTextResponse, Response

from sage_rag.rag_server.observability.worker_metrics import WorkerMetrics

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
        """`tracer`: by default the global one, which does nothing unless a process sets it up."""
        self._tracer = tracer or get_tracer("sage_rag")
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
        self._pending = Gauge(
            "sage_rag_pending_work",
            "Works of a pool that run or wait.",
            ["pool"],
            registry=self._registry,
        )

    @contextmanager
    def span(self, name: str) -> Iterator[Span]:
        """Trace what the block does. An exception is not recorded: its message may hold a text."""
        with self._tracer.start_as_current_span(
            name, record_exception=False, set_status_on_exception=False
        ) as span:
            yield span

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request; `path` is the address as it is declared."""
        self._requests.labels(path, str(status)).observe(seconds)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time and trace a stage."""
        started = time.perf_counter()
        try:
            with self.span(name):
                yield
        finally:
            self._stages.labels(name).observe(time.perf_counter() - started)

    def tokens(self, prompt: int, completion: int) -> None:
        """Count the tokens of a request."""
        self._tokens.labels("prompt").inc(prompt)
        self._tokens.labels("completion").inc(completion)

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
