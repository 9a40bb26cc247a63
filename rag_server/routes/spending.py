"""What a request costs: tokens in the metrics, in the audit log, and of the caller's budget."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from sage_rag.rag_server.access.gate import Caller, caller_of
from sage_rag.rag_server.completions import CompletionUsage
from sage_rag.rag_server.observability.audit import RequestNotes
from sage_rag.rag_server.observability.metrics import Metrics
from sage_rag.rag_server.observability.middleware import notes_of
from sage_rag.rag_server.services import services_of


@dataclass(frozen=True, slots=True)
class Spending:
    """Counts the tokens of one request, in one or more parts."""

    caller: Caller
    metrics: Metrics
    notes: RequestNotes

    def add(self, usage: CompletionUsage) -> None:
        """Count a part."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        self.metrics.tokens(usage.prompt_tokens, usage.completion_tokens)
        self.notes.tokens += tokens
        self.caller.spend(tokens)


def spending_of(request: Request) -> Spending:
    """Return the spending of a request that a gate admitted."""
    return Spending(caller_of(request), services_of(request).metrics, notes_of(request))
