"""Questions that go on from the last answer: "what else?", "and why?". English.

They ask for what the last answer did not quote yet of its record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.formalities import is_formality
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.sentences import Sentence, content_stems
from sage_rag.rag_server.followups import (
    asked_by_user,
    asked_of_another,
    asked_part,
    asked_words,
    whole_question,
)

_MORE = re.compile(
    r"\W*(?:(?:and|ok(?:ay)?|so|please|yes|is there|do you (?:know|have)|can you|tell me)\W+)*"
    r"(?:(?:what|anything|something) (?:else|more|further)|(?:say |tell me )?more|go on|continue)"
    r"(?: (?:is there|do you know|does it say|is known|about (?:him|her|it|them|this|that)"
    r"|on (?:him|her|it|them|this|that)))?\W*(?:please\W*)?\Z",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\W*(?:(?:and|but|or|so|also|then|(?:what|how) about)\W+)*"
    r"(?:(?:about|after|against|at|before|by|during|for|from|in|of|on|with|without)\W+)?"
    r"(?:(?:an?|any|her|his|its|my|our|some|the|their|your)\W+)*"
    rf"(?P<topic>[^\W\d_]{{3,}}|(?=DEMOGRAPHIC|MISC|SPECIAL_CATEGORY){TOKEN.pattern})\W*\Z",
    re.IGNORECASE,
)
_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|therefore|due to|owing to|thanks to|so|in order to|reasons?|caused?"
    r"|as (?:an?|he|her|his|I|it|no|she|the|their|there|they|we|you))\b|: ",
    re.IGNORECASE,
)
_TOLD = 0.8
"""Share of a sentence's words in one answer from which on this answer quoted it."""
_FEW = 2
"""Words in clear of a sentence that says something."""


def asked_in(context: AnswerContext) -> str:
    """Return what a question asks; one of a name alone asks what the one before it asked."""
    if context.standalone in ("", context.question):
        return asked_part(context.question)
    turns = [(turn.role, turn.text) for turn in context.history]
    return asked_part(asked_of_another(asked_by_user([*turns, ("user", context.question)])))


def added_topic(context: AnswerContext) -> str | None:
    """Return the word that a follow-up question adds, or a token for it: "gout" of "and gout?".

    `None` for other questions, and for one that can be read alone: "and Ada's job?".
    """
    question = context.question
    found = _TOPIC.match(question)
    if found is None or context.standalone in ("", question):
        return None
    if whole_question(question, context.standalone) != context.standalone:
        return None
    return found["topic"] if asked_words(question) == [found["topic"]] else None


def asks_for_more(question: str) -> bool:
    """Return whether a question asks what else a record says, and names nothing: "what else?"."""
    return _MORE.match(question) is not None


def asks_reason(question: str) -> bool:
    """Return whether a question asks for a reason."""
    return _WHY.search(question) is not None


def states_reason(sentences: Sequence[Sentence]) -> bool:
    """Return whether one of some sentences has a word that leads to a reason."""
    return any(_REASON.search(sentence.text) for sentence in sentences)


def untold(sentences: Sequence[Sentence], context: AnswerContext) -> list[Sentence]:
    """Return the sentences of a record that no earlier answer of a conversation quotes.

    Those that answer come without those that ask, as long as there are any; formalities are last.
    A line of values alone ("File ID_[...], DATE_TIME_[...]") says nothing.
    """
    answers = (turn.text for turn in context.history if turn.role == "assistant")
    said = [set(content_stems(answer)) for answer in answers]

    def is_told(sentence: Sentence) -> bool:
        stems = set(content_stems(sentence.text))
        plain = _plain(sentence)
        # An edge may give a value another type in an answer than it has in the record.
        stems = plain if len(plain) >= _FEW else stems
        return not stems or any(len(stems & words) >= _TOLD * len(stems) for words in said)

    rest = [s for s in sentences if len(_plain(s)) >= _FEW and not is_told(s)]
    matter = [sentence for sentence in rest if not is_formality(sentence.text)]
    return [sentence for sentence in matter if sentence.answers] or matter or rest


def _plain(sentence: Sentence) -> set[str]:
    return set(content_stems(TOKEN.sub(" ", sentence.text)))
