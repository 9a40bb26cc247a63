"""The objects that the edge's routes use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sage_rag.common.web.pool import WorkPool
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.lookups import Lookups
from sage_rag.rag_server.edge.upstream import Upstream
from sage_rag.rag_server.limits import RequestLimits
from sage_rag.rag_server.observability.audit import AuditLog
from sage_rag.rag_server.observability.metrics import Metrics


@dataclass(frozen=True, slots=True)
class EdgeServices:
    """The parts of one edge, built by `wiring` or from fakes.

    `exposed`: whether requests may name hosts other than loopback. `gate` decides who may ask.
    `cors_origins`: the web pages whose scripts may read answers. `work`: the pool that
    recognises and restores; `control`: the pool of health checks, which stay quick while
    recognitions wait. `lookups`: reads short questions with the lookup of the index.
    """

    keyring: Keyring
    upstream: Upstream
    exposed: bool = False
    gate: Gate = field(default_factory=Gate)
    cors_origins: Sequence[str] = ()
    metrics: Metrics = field(default_factory=Metrics)
    audit: AuditLog | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)
    work: WorkPool = field(default_factory=lambda: WorkPool(2))
    control: WorkPool = field(default_factory=lambda: WorkPool(1, deadline_s=10.0))
    lookups: Lookups | None = None

    async def keys_of(self, model: object) -> CorpusKeys:
        """Return the keys of the corpus that a request names, with its current lookup and policy.

        Raises:
            ApiError: as `Keyring.for_model`.
        """
        keys = self.keyring.for_model(model)
        if self.lookups is not None:
            await self.lookups.refresh(keys)
        return keys
