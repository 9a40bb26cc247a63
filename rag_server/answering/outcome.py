"""The outcome of a question: answered, what comes nearest, or nothing."""

from __future__ import annotations

from enum import Enum

from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.reading import PassageReading


class Outcome(Enum):
    """What a user gets for a question."""

    ANSWER = "answer"
    UNCLEAR = "unclear"
    NOTHING = "nothing"


# Chosen on the development questions (docs/results/answers.md).
_ANSWERED, _NEAR = 0.6, -0.6
"""Scores from which on a record is an answer, and from which on it is what comes nearest."""
_EVIDENCE, _MOST_EVIDENCE = 2.5, 1.8
"""What evidence above its threshold adds, by its share of it; more than so much adds no more."""
_LACKS = 0.7
"""What a record loses that states nothing of the kind that is asked: no amount, no time."""


def outcome_of(
    evidence: Evidence, reading: PassageReading | None, *, lacks_detail: bool
) -> Outcome:
    """Return the outcome where a record is quoted. `reading`: of that record, if it was read."""
    if evidence.whole_record:
        return Outcome.ANSWER
    if reading is None or evidence.particular:
        return Outcome.UNCLEAR if lacks_detail or not evidence.answers else Outcome.ANSWER
    score = read_score(evidence, reading, lacks_detail=lacks_detail)
    if score >= _ANSWERED:
        return Outcome.ANSWER
    return Outcome.UNCLEAR if score >= _NEAR else Outcome.NOTHING


def read_score(evidence: Evidence, reading: PassageReading, *, lacks_detail: bool) -> float:
    """Return how surely a record answers: the reader's log-odds, with evidence and details."""
    known = _EVIDENCE * (min(evidence.share, _MOST_EVIDENCE) - 1)
    return reading.log_odds + known - (_LACKS if lacks_detail else 0.0)
