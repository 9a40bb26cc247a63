"""Placeholders that a draft invents, and important ones that it loses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.tokens import PLACEHOLDER, placeholders_in


def invented_placeholders(known: Container[str], draft: str) -> Iterator[Finding]:
    """Yield a finding, with its position, for each placeholder that is not in the original."""
    for match in PLACEHOLDER.finditer(draft):
        if match.group() not in known:
            message = f"holds {match.group()}, which the original has not"
            yield Finding(FindingKind.UNKNOWN_PLACEHOLDER, message, *match.span())


def lost_placeholders(
    fields: Mapping[str, str], draft: str, limits: GateLimits
) -> Iterator[Finding]:
    """Yield a finding for each important placeholder of a record that its draft lost.

    `fields`: those of the protected record. `GateLimits` defines which placeholders are important.
    Does not guarantee: that a draft says the same about a placeholder as its original.
    """
    held = placeholders_in(draft)
    lost: dict[str, str] = {}
    if limits.common_placeholders:
        common = _in_every_field(fields)
        lost |= dict.fromkeys(sorted(common - held), "which every field of the record names")
    if limits.subject_mentions is not None:
        subjects, mentions = _subjects("\n".join(fields.values()))
        if mentions >= limits.subject_mentions and held.isdisjoint(subjects):
            lost.setdefault(subjects[0], f"whom the record names {mentions} times")
    for placeholder, reason in lost.items():
        yield Finding(FindingKind.LOST_PLACEHOLDER, f"drops {placeholder}, {reason}")


def _subjects(text: str) -> tuple[list[str], int]:
    """Return the placeholders of the persons named most often, and the count."""
    named = Counter(
        match.group() for match in PLACEHOLDER.finditer(text) if match.group(1) == EntityType.PERSON
    )
    most = max(named.values(), default=0)
    return [placeholder for placeholder, count in named.items() if count == most], most


def _in_every_field(fields: Mapping[str, str]) -> frozenset[str]:
    """Return the placeholders that all non-blank fields contain; none for a single field."""
    held = [placeholders_in(text) for text in fields.values() if text.strip()]
    return frozenset.intersection(*held) if len(held) > 1 else frozenset()
