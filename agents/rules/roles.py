"""The rule agents, assembled."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from agents.protocols import Roles
from agents.rules.extractor import RuleExtractor
from agents.rules.generator import RuleGenerator
from agents.rules.identifier import RuleIdentifier
from agents.rules.reviewer import RuleReviewer
from agents.rules.rewriter import RuleRewriter


@cache
def rules_fingerprint() -> str:
    """Return a name that changes with any rule or word list: stored results depend on it."""
    digest = hashlib.sha256()
    folder = resources.files("agents.rules")
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.endswith((".py", ".toml")):
            digest.update(file.read_bytes())
    return f"rules/{digest.hexdigest()[:12]}"


def rules_roles() -> Roles:
    """Return SAGE's roles without a model."""
    return Roles(
        identifier=RuleIdentifier(),
        extractor=RuleExtractor(),
        generator=RuleGenerator(),
        reviewer=RuleReviewer(),
        rewriter=RuleRewriter(),
        fingerprint=rules_fingerprint(),
    )
