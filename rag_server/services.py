"""What the server's routes work with."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from sage_rag.common.web.requests import MAX_BODY_BYTES
from sage_rag.rag_server.answering.protocols import Answerer
from sage_rag.rag_server.corpora import Corpora


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of one server, built in `wiring` or from fakes.

    `top_k`: passages per answer; `max_body_bytes`: the longest request.
    """

    corpora: Corpora
    answerer: Answerer
    top_k: int = 5
    max_body_bytes: int = MAX_BODY_BYTES


def services_of(request: Request) -> Services:
    """Return the services of the application that a request came to."""
    services: Services = request.app.state.services
    return services
