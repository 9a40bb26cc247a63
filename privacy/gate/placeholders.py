"""What a draft owes its original in placeholders: none invented, none lost that it relies on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.tokens import PLACEHOLDER


def invented_placeholders(known: Container[str], draft: str) -> Iterator[Finding]:
    """Yield each placeholder of a draft that its original has not, with its place."""
    for match in PLACEHOLDER.finditer(draft):
        if match.group() not in known:
            message = f"holds {match.group()}, which the original has not"
            yield Finding(FindingKind.UNKNOWN_PLACEHOLDER, message, *match.span())


def lost_placeholders(
    fields: Mapping[str, str], draft: str, limits: GateLimits
) -> Iterator[Finding]:
    """Yield each placeholder that a record is about and that its draft lost, once.

    `fields` are the protected record's. `GateLimits` says which placeholders those are, and why.
    Does not guarantee: that a draft says of a placeholder what its original said.
    """
    held = _held(draft)
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


def _held(text: str) -> frozenset[str]:
    return frozenset(match.group() for match in PLACEHOLDER.finditer(text))


def _subjects(text: str) -> tuple[list[str], int]:
    """Return the placeholders of the persons named most often, and how often that is."""
    named = Counter(
        match.group() for match in PLACEHOLDER.finditer(text) if match.group(1) == EntityType.PERSON
    )
    most = max(named.values(), default=0)
    return [placeholder for placeholder, count in named.items() if count == most], most


def _in_every_field(fields: Mapping[str, str]) -> frozenset[str]:
    """Return the placeholders that all fields with a text share; none for a single field."""
    held = [_held(text) for text in fields.values() if text.strip()]
    return frozenset.intersection(*held) if len(held) > 1 else frozenset()
