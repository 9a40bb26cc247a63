"""Figures of a version that a recipe about subjects made, for its report and its owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConsensusFigures:
    """What became of the records. `represented`: records that are in a published topic.

    `topics` counts all topics, `refused` those without a passage, by reason.
    """

    k: int
    records: int
    subjects: int
    topics: int
    passages: int
    represented: int
    refused: Mapping[str, int]


def consensus_lines(figures: ConsensusFigures) -> Iterator[str]:
    """Yield the figures for a terminal."""
    yield (
        f"consensus: {figures.passages} passages from {figures.topics} topics; they represent "
        f"{figures.represented} of {figures.records} records of {figures.subjects} subjects, and "
        f"{figures.k} or more subjects say each statement"
    )
    if figures.refused:
        reasons = ", ".join(f"{reason} {count}" for reason, count in figures.refused.items())
        yield f"topics without a passage: {reasons}"
