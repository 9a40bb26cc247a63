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


# Chosen on the development questions (docs/results/answers.md). Of several that were equal there,
# those that refuse fewer questions with an answer on the other sets. The reader's calibration has
# changed since, and the first two with it.
_ANSWERED, _NEAR = 0.5, -2.5
"""Scores from which on a record is an answer, and from which on it is what comes nearest."""
_EVIDENCE, _MOST_EVIDENCE = 2.0, 1.8
"""What evidence adds, by how far it is above its threshold or below, in shares of it; and the share
above which more of it adds no more."""
_NEAR_EVIDENCE = 0.75
"""The least evidence, in shares of its threshold, for what comes nearest."""
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
    if score >= _ANSWERED and not evidence.partial:
        return Outcome.ANSWER
    is_near = evidence.by_few_words or (score >= _NEAR and evidence.share >= _NEAR_EVIDENCE)
    return Outcome.UNCLEAR if is_near else Outcome.NOTHING


def read_score(evidence: Evidence, reading: PassageReading, *, lacks_detail: bool) -> float:
    """Return how surely a record answers: the reader's log-odds, with evidence and details."""
    known = _EVIDENCE * (min(evidence.share, _MOST_EVIDENCE) - 1)
    return reading.log_odds + known - (_LACKS if lacks_detail else 0.0)
