"""The outcome of a question: answered, what comes nearest, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from sage_rag.indexer.protocols import Embedder
from sage_rag.rag_server.answering.details import lacks_detail, lacks_topic, states_other
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.focus import asked_marks, goes_on_about, lacks_code, names_in
from sage_rag.rag_server.answering.formalities import states_end
from sage_rag.rag_server.answering.going_on import added_topic, asks_reason, states_reason
from sage_rag.rag_server.answering.overview import lacks_owner
from sage_rag.rag_server.answering.particulars import asks_who, particular_of
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.reading import PassageReading
from sage_rag.rag_server.answering.record_requests import asks_for_outcome
from sage_rag.rag_server.answering.sentences import Sentence, labelled_texts
from sage_rag.rag_server.followups import whole_question


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
    context: AnswerContext,
    parts: Sequence[str],
    quoted: Sequence[Sentence],
    reading: PassageReading | None,
    embedder: Embedder | None = None,
) -> Outcome:
    """Return the outcome where sentences of one record are quoted.

    `parts`: what the question asks. `reading`: of that record, if it was read.
    """
    evidence = context.evidence
    if evidence is None:
        return Outcome.ANSWER
    record = context.passages[quoted[0].rank - 1].text
    stated, topic = _stated(context, quoted, record), added_topic(context)
    if stated is None:  # an earlier question may ask for a particular
        evidence = replace(evidence, particular=False)
        clear = evidence.is_clear
        asked = [*parts, *([f"What is the {topic}?"] if topic else [])]
        lacks = any(lacks_detail(part, record, embedder, clear=clear) for part in asked)
    else:
        lacks = not any(stated)
    outcome = outcome_by_score(evidence, reading, lacks_detail=lacks)
    if outcome is not Outcome.ANSWER:
        return outcome
    texts, names = labelled_texts(quoted), names_in(context)
    lacks_asked = (
        (stated is not None and lacks)
        or lacks_code(context, quoted[0].rank)
        or any(states_other(part, texts, embedder, names) for part in parts)
    )
    return Outcome.UNCLEAR if lacks_asked else Outcome.ANSWER


def falls_short(
    context: AnswerContext, chosen: Sequence[Sentence], embedder: Embedder | None = None
) -> bool:
    """Return whether sentences lack what a question asks for.

    That is an owner, the end of a case, a reason, or the word that a follow-up adds.
    """
    question = context.standalone or context.question
    if lacks_topic(added_topic(context), labelled_texts(chosen), embedder):
        return True
    if asks_who(question) and lacks_owner(chosen, asked_marks(question, context.evidence)):
        return True
    if asks_for_outcome(question) and not states_end(chosen[-1].text):
        return True
    asks_why = asks_reason(context.question) and goes_on_about(context) is not None
    return asks_why and not states_reason(chosen)


def outcome_by_score(
    evidence: Evidence, reading: PassageReading | None, *, lacks_detail: bool
) -> Outcome:
    """Return the outcome where a record is quoted. `reading`: of that record, if it was read."""
    if evidence.whole_record:
        return Outcome.ANSWER
    if reading is None or evidence.particular:
        return Outcome.UNCLEAR if lacks_detail or not evidence.answers else Outcome.ANSWER
    score = _score(evidence, reading, lacks_detail=lacks_detail)
    if score >= _ANSWERED and not evidence.partial:
        return Outcome.ANSWER
    is_near = evidence.by_few_words or (score >= _NEAR and evidence.share >= _NEAR_EVIDENCE)
    return Outcome.UNCLEAR if is_near else Outcome.NOTHING


def _score(evidence: Evidence, reading: PassageReading, *, lacks_detail: bool) -> float:
    """Return how surely a record answers: the reader's log-odds, with evidence and details."""
    known = _EVIDENCE * (min(evidence.share, _MOST_EVIDENCE) - 1)
    return reading.log_odds + known - (_LACKS if lacks_detail else 0.0)


def _stated(context: AnswerContext, quoted: Sequence[Sentence], record: str) -> list[bool] | None:
    """Return whose the values of quoted sentences are that a question asks for: the person's own?

    `None` where it asks for no particular.
    """
    question = whole_question(context.question, context.standalone or context.question)
    asked = particular_of(question, names_in(context))
    if asked is None:
        return None
    found = asked.values_in(record)
    return [is_own for value, is_own in found if any(value in s.text for s in quoted)]
