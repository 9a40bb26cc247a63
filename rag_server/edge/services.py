"""The objects that the edge's routes use."""

from __future__ import annotations

from dataclasses import dataclass

from sage_rag.common.web.requests import MAX_BODY_BYTES
from sage_rag.rag_server.edge.keyring import Keyring
from sage_rag.rag_server.edge.upstream import Upstream


@dataclass(frozen=True, slots=True)
class EdgeServices:
    """The parts of one edge, built by `wiring` or from fakes.

    `exposed`: whether requests may name hosts other than loopback.
    """

    keyring: Keyring
    upstream: Upstream
    exposed: bool = False
    max_body_bytes: int = MAX_BODY_BYTES
