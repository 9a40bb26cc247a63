"""The objects that the server's routes use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from sage_rag.common.web.pool import WorkPool
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.answering.condensing import QuestionCondenser
from sage_rag.rag_server.answering.protocols import Answerer
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.limits import RequestLimits
from sage_rag.rag_server.observability.audit import AuditLog
from sage_rag.rag_server.observability.metrics import Metrics


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one server, built by `wiring` or from fakes.

    `home`: the folder whose versions edges may pull. `condenser` rewrites follow-up questions;
    without it, rules do. `top_k`: passages per answer. `quoted_words`: the words of a passage that
    its citation shows; `None` for all. `gate` decides who may ask. `cors_origins`: the web pages
    whose scripts may read answers. `searches`: the pool of searches; `control`: the pool of health
    checks and lists of models, which stay quick while searches wait.
    """

    corpora: CorpusSearch
    answerer: Answerer
    condenser: QuestionCondenser | None = None
    top_k: int = 5
    quoted_words: int | None = None
    home: Path | None = None
    gate: Gate = field(default_factory=Gate)
    cors_origins: Sequence[str] = ()
    metrics: Metrics = field(default_factory=Metrics)
    audit: AuditLog | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)
    searches: WorkPool = field(default_factory=lambda: WorkPool(2))
    control: WorkPool = field(default_factory=lambda: WorkPool(2, deadline_s=10.0))


def services_of(request: Request) -> Services:
    """Return the services of the application that serves a request."""
    services: Services = request.app.state.services
    return services
