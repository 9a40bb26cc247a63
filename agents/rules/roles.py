"""The rule agents, assembled. Code outside of this package uses no other of its modules."""

from __future__ import annotations

from sage_rag.agents.protocols import Roles
from sage_rag.agents.rules.extractor import RuleExtractor
from sage_rag.agents.rules.generator import RuleGenerator
from sage_rag.agents.rules.identifier import RuleIdentifier
from sage_rag.agents.rules.reviewer import RuleReviewer
from sage_rag.agents.rules.rewriter import RuleRewriter
from sage_rag.agents.rules.salience import saliences
from sage_rag.agents.rules.sentences import split_sentences
from sage_rag.common.fingerprints import data_digest

VERSION = 21
"""Raised with every change of what the rules write or object to."""
LANGUAGES = frozenset({"en"})
"""Languages that the rules can rewrite."""
_TABLES = ("lexicon.toml", "rules/presets.toml", "rules/wording.toml")


def rules_fingerprint() -> str:
    """Return a fingerprint that changes with the version of the rules and with their tables."""
    return f"rules/{VERSION}-{data_digest('sage_rag.agents', *_TABLES)}"


def rules_roles() -> Roles:
    """Return SAGE's roles without a model."""
    return Roles(
        identifier=RuleIdentifier(),
        extractor=RuleExtractor(),
        generator=RuleGenerator(),
        reviewer=RuleReviewer(),
        rewriter=RuleRewriter(),
        fingerprint=rules_fingerprint(),
        languages=LANGUAGES,
    )


def salient_half(text: str) -> str:
    """Return the more salient half of a text's sentences, word for word and in their order."""
    sentences = split_sentences(text)
    values = saliences(sentences)
    best_first = sorted(range(len(sentences)), key=lambda i: (-values[i], i))
    kept = sorted(best_first[: max(1, round(len(sentences) / 2))])
    return " ".join(sentences[i] for i in kept)
