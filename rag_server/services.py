"""The objects that the server's routes use."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from sage_rag.common.web.requests import MAX_BODY_BYTES
from sage_rag.rag_server.answering.protocols import Answerer
from sage_rag.rag_server.corpora import CorpusSearch


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one server, built by `wiring` or from fakes.

    `top_k`: passages per answer.
    """

    corpora: CorpusSearch
    answerer: Answerer
    top_k: int = 5
    max_body_bytes: int = MAX_BODY_BYTES


def services_of(request: Request) -> Services:
    """Return the services of the application that serves a request."""
    services: Services = request.app.state.services
    return services
