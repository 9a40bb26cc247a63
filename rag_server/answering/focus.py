"""What a question is about: the passages of whom and what it names, and the values it asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sage_rag.indexer.passages import Passage
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.lookup import STEM_TYPES, codes_of
from sage_rag.privacy.tokens import TOKEN, token_type, tokens_in
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.going_on import asks_for_more
from sage_rag.rag_server.answering.mail_headers import is_of_another_sender
from sage_rag.rag_server.answering.particulars import asks_who
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.record_requests import writers_asked
from sage_rag.rag_server.answering.sentences import content_stems
from sage_rag.rag_server.answering.wording import NO_MORE
from sage_rag.rag_server.followups import ADDS_NAME

_ANOTHER = re.compile(
    r"\b(?:others?|another|(?P<ordinal>first|second|third|next|last|previous|earlier|later))\b",
    re.IGNORECASE,
)
"""What a follow-up question calls a record of the same person that was not quoted yet."""
_TOLD = 0.5
"""Share of an answer's words that the record has which it quotes: it may begin with other words."""

RankedPassage = tuple[int, Passage]
RankedPassages = Sequence[RankedPassage]


def passages_in_focus(context: AnswerContext) -> RankedPassages:
    """Return the passages that a question is about, with their ranks from 1.

    They are those of the persons that it names; without, those with the most names, places and
    organisations of it; all, if it names nothing that they have. A question about one person must
    not be answered with another person's advice. A follow-up question that asks for another record
    of the person is not about the one that the last answer quotes; "and when?" is about this one.
    """
    if (told := goes_on_about(context)) is not None:
        return [told]
    question = context.standalone or context.question
    about = context.evidence.about if context.evidence else ()
    found = _named(question, context.passages, about)
    found = _begun_with(asked_marks(question, context.evidence), found)
    found = _sent_by(writers_asked(question), context, found)
    return _untold(context, found) if about and question != context.question else found


def goes_on_about(context: AnswerContext) -> RankedPassage | None:
    """Return the passage that the last answer quotes, if a question asks for more of it alone.

    "And when?", "why?" and "what else?" have no content of their own, and "to Ada?" none but
    someone whom that passage names. Of any other question, `goes_on_with` may say it.
    """
    if rank := context.goes_on_with:
        return rank, context.passages[rank - 1]
    question = context.question
    takes_over = bool(context.standalone) and context.standalone != question
    if not takes_over or _ANOTHER.search(question):
        return None
    told = passage_told(context)
    if not content_stems(question) or asks_for_more(question):
        return told
    if told is None or not ADDS_NAME.match(question):
        return None
    return None if names_in(context).isdisjoint(tokens_in(told[1].text)) else told


def passage_told(context: AnswerContext) -> RankedPassage | None:
    """Return the passage that the last answer quotes; `None` without one."""
    # What precedes the quotation is not the record's: "I found no clear answer to this."
    said = set(content_stems(_last_answer(context).rpartition("\n\n")[2]))
    held = {
        rank: len(said.intersection(content_stems(passage.text)))
        for rank, passage in enumerate(context.passages, 1)
    }
    if not said or not held:
        return None
    rank = max(held, key=held.__getitem__)
    return (rank, context.passages[rank - 1]) if held[rank] >= _TOLD * len(said) else None


def names_in(context: AnswerContext) -> set[str]:
    """Return the tokens of what a question names, and of what that may mean in the index."""
    tokens = tokens_in(context.standalone or context.question)
    return {*(context.evidence.meant if context.evidence else ()), *tokens}


def lacks_code(context: AnswerContext, rank: int) -> bool:
    """Return whether a question names a private code that a passage lacks, under any type."""
    names = names_in(context)
    if any(token_type(name) is EntityType.PERSON for name in names):
        return False
    own = set(tokens_in(context.standalone or context.question))
    codes = set(filter(_is_code, names))
    # A code that was taken for a place is a token of that type, too.
    asked = codes if any(map(_is_code, own)) else codes | own
    return bool(codes) and asked.isdisjoint(tokens_in(context.passages[rank - 1].text))


def asked_marks(question: str, evidence: Evidence | None) -> set[str]:
    """Return the tokens and codes of a question by a value: the sentence with one is asked for."""
    if evidence is None or not (
        evidence.by_few_words or (evidence.whole_record and asks_who(question))
    ):
        return set()
    tokens = {*evidence.meant, *tokens_in(question)}
    return {t for t in tokens if not t.startswith("PERSON_")} | codes_of(TOKEN.sub(" ", question))


def _named(question: str, passages: Sequence[Passage], about: Sequence[int]) -> RankedPassages:
    asked = {token for token in tokens_in(question) if _is_name(token)}
    ranked = list(enumerate(passages, 1))
    if about:
        return [(rank, passage) for rank, passage in ranked if rank in about]
    held = {rank: len(asked.intersection(tokens_in(passage.text))) for rank, passage in ranked}
    most = max(held.values(), default=0)
    return [(rank, passage) for rank, passage in ranked if held[rank] == most]


def _begun_with(marks: Collection[str], found: RankedPassages) -> RankedPassages:
    """Return the passages whose first value is asked for, or all: a record's own number is first.

    Other records may refer to it.
    """
    first = ((ranked, TOKEN.search(ranked[1].text)) for ranked in found if marks)
    return [ranked for ranked, value in first if value and value.group() in marks] or found


def _sent_by(
    writers: Sequence[str], context: AnswerContext, found: RankedPassages
) -> RankedPassages:
    """Return the mails that are not of another sender than the asked one; all, if all are."""
    if not writers:
        return found
    question = context.standalone or context.question
    people = {t for t in tokens_in(question) if token_type(t) is EntityType.PERSON}
    # Of several names, it is unknown which one a token of the index stands for.
    own = {*writers, *(names_in(context) if len(people) == 1 else ())}
    sent = [ranked for ranked in found if not is_of_another_sender(ranked[1].text, own)]
    return sent or found


def _untold(context: AnswerContext, found: RankedPassages) -> RankedPassages:
    """Return the passages without the one that the last answer quotes, where another is meant.

    "And the second repair?" may be in the record that was quoted: then it has the word "second".
    """
    another = _ANOTHER.search(context.question)
    said = _last_answer(context)
    if another is None or not said or len(found) < 2:
        return found
    stems = set(content_stems(said))
    told = max(found, key=lambda ranked: len(stems.intersection(content_stems(ranked[1].text))))
    ordinal = another["ordinal"]
    if ordinal and re.search(rf"\b{ordinal}\b", told[1].text, re.IGNORECASE):
        return found
    return [ranked for ranked in found if ranked is not told]


def _last_answer(context: AnswerContext) -> str:
    said = (turn.text for turn in reversed(context.history) if turn.role == "assistant")
    return next((text for text in said if text != NO_MORE), "")


def _is_code(token: str) -> bool:
    found = token_type(token)
    return found is not EntityType.PERSON and identifiability(found) is Identifiability.DIRECT


def _is_name(token: str) -> bool:
    """Return whether a token identifies someone or something, as an age or a date does not."""
    found = token_type(token)
    return found in STEM_TYPES or identifiability(found) is Identifiability.DIRECT
