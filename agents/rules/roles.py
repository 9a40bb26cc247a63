"""The rule agents, assembled."""

from __future__ import annotations

from agents.protocols import Roles
from agents.rules.assignment import SentenceEmbedder
from agents.rules.extractor import RuleExtractor
from agents.rules.generator import RuleGenerator
from agents.rules.identifier import RuleIdentifier
from agents.rules.reviewer import RuleReviewer
from agents.rules.rewriter import RuleRewriter
from privacy.fingerprints import source_digest


def rules_roles(embedder: SentenceEmbedder | None = None) -> Roles:
    """Return SAGE's roles without a model; `embedder` helps to assign sentences to attributes."""
    by = f"/{embedder.name}" if embedder is not None else ""
    return Roles(
        identifier=RuleIdentifier(),
        extractor=RuleExtractor(embedder=embedder),
        generator=RuleGenerator(),
        reviewer=RuleReviewer(),
        rewriter=RuleRewriter(),
        fingerprint=f"rules/{source_digest('agents.rules')}{by}",
    )
