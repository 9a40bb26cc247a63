"""The rule agents, assembled."""

from __future__ import annotations

from agents.protocols import Roles
from agents.rules.extractor import RuleExtractor
from agents.rules.generator import RuleGenerator
from agents.rules.identifier import RuleIdentifier
from agents.rules.reviewer import RuleReviewer
from agents.rules.rewriter import RuleRewriter
from privacy.fingerprints import source_digest


def rules_roles() -> Roles:
    """Return SAGE's roles without a model."""
    return Roles(
        identifier=RuleIdentifier(),
        extractor=RuleExtractor(),
        generator=RuleGenerator(),
        reviewer=RuleReviewer(),
        rewriter=RuleRewriter(),
        fingerprint=f"rules/{source_digest('agents.rules')}",
    )
