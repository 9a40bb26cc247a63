"""The rule agents, assembled."""

from __future__ import annotations

from agents.protocols import Roles
from agents.rules.extractor import RuleExtractor
from agents.rules.generator import RuleGenerator
from agents.rules.identifier import RuleIdentifier
from agents.rules.reviewer import RuleReviewer
from agents.rules.rewriter import RuleRewriter

VERSION = "rules-1"
"""Change this whenever a draft could come out differently: stored results depend on it."""


def rules_roles() -> Roles:
    """Return SAGE's roles without a model."""
    return Roles(
        identifier=RuleIdentifier(),
        extractor=RuleExtractor(),
        generator=RuleGenerator(),
        reviewer=RuleReviewer(),
        rewriter=RuleRewriter(),
        fingerprint=VERSION,
    )
