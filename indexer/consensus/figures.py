"""Figures of a version that a recipe about subjects made, for its report and its owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from sage_rag.common.counting import counted
from sage_rag.privacy.gate.labels import TOPICS, labelled_statements


@dataclass(frozen=True, slots=True)
class ConsensusFigures:
    """What became of the records. `represented`: records that are in a published topic.

    `topics` counts all topics, `refused` those without a passage, by reason. `stating`: passages
    that say more than what their records are about: a clause, what is possible, what is advised.
    """

    k: int
    records: int
    subjects: int
    topics: int
    passages: int
    stating: int
    represented: int
    refused: Mapping[str, int]


def states_something(fields: Mapping[str, str]) -> bool:
    """Return whether a passage has a statement other than a topic."""
    statements = chain.from_iterable(map(labelled_statements, fields.values()))
    return any(statement.label != TOPICS for statement in statements)


def consensus_lines(figures: ConsensusFigures) -> Iterator[str]:
    """Yield the figures for a terminal."""
    yield (
        f"consensus: {counted(figures.passages, 'passage')} from "
        f"{counted(figures.topics, 'topic')}; they represent {figures.represented} of "
        f"{counted(figures.records, 'record')} of {counted(figures.subjects, 'subject')}, and "
        f"{figures.k} or more subjects say each statement"
    )
    if figures.stating < figures.passages:
        yield (
            f"{figures.stating} of {figures.passages} passages state something; the others only "
            "list topics, since too few records say the same"
        )
    if figures.refused:
        reasons = ", ".join(f"{reason} {count}" for reason, count in figures.refused.items())
        yield f"topics without a passage: {reasons}"
