"""What can go wrong with an agent's answer."""

from __future__ import annotations

from sage_rag.common.exceptions import SageRagError


class AgentOutputError(SageRagError):
    """A model's answer does not fit its role even when asked again: the record is quarantined."""
