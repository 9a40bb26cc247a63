"""The metrics of several processes in one text."""

from __future__ import annotations

import os

from sage_rag.rag_server.observability.metrics import Metrics
from sage_rag.rag_server.observability.worker_metrics import WorkerMetrics


def test_the_counts_of_each_process_are_there_with_its_number() -> None:
    workers = WorkerMetrics(3)
    if (child := os.fork()) == 0:
        other = Metrics()
        other.tokens(5, 7)
        workers.write(2, other.text())
        os._exit(0)
    os.waitpid(child, 0)
    own = Metrics()
    own.tokens(1, 2)
    own.request("/v1/models", 200, 0.02)
    workers.write(1, own.text())
    lines = workers.text().decode().splitlines()
    assert 'sage_rag_tokens_total{kind="prompt",worker="1"} 1.0' in lines
    assert 'sage_rag_tokens_total{kind="prompt",worker="2"} 5.0' in lines
    assert sum(line == "# TYPE sage_rag_tokens_total counter" for line in lines) == 1
    observed = 'sage_rag_request_seconds_count{path="/v1/models",status="200",worker="1"} 1.0'
    assert observed in lines


def test_a_text_that_is_too_long_leaves_the_last_one() -> None:
    workers = WorkerMetrics(1)
    workers.write(1, b"# TYPE a gauge\na 1.0\n")
    workers.write(1, b"x" * 10**6)
    assert b'a{worker="1"} 1.0' in workers.text()
