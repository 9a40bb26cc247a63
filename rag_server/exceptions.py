"""Failures of the server, with the HTTP status that each has."""

from __future__ import annotations

from sage_rag.common.exceptions import InputError, SageRagError, UpstreamError


class UnknownModelError(InputError):
    """No corpus is served under the requested model name."""

    http = 404, "model_not_found"


class CorpusUnavailableError(SageRagError):
    """A corpus is published but cannot be searched."""

    http = 503, "corpus_unavailable"


class RollbackError(UpstreamError):
    """The server gives the lookup of an older version than the edge has seen."""
