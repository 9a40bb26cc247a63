"""How answers without a model are worded: sentences of a record, and what is said around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sage_rag.rag_server.answering.over_records import NO_COUNT, ONE_RECORD, asks_over_records
from sage_rag.rag_server.answering.sentences import Sentence, labelled_texts

NOTHING_FOUND = "I found nothing about this in the documents I can search."
NOT_READ = "I do not read questions in this language well. Please ask in English."
"""The answer where nothing was found for such a question: a record may well hold it."""
NO_RECORD = "I found no record of "
NO_MORE = "I found nothing more in the record of the last answer."
NOTHING_ASKED = "Ask me about the documents I can search."
"""The answer to a greeting, or to thanks."""
UNCLEAR = "I found no clear answer to this. What comes nearest:"
"""Precedes what is quoted where the evidence is short of an answer, or a detail is missing."""
FROM_RECORD = "The last answer is from the record that begins:"
_ENDED = re.compile(r"[.!?…:][\"'”’»)\]]*\Z")
"""The end of a sentence that needs no stop; a colon announces what the record says next."""


def denies(answer: str) -> bool:
    """Return whether an answer says that nothing, or no one of a name, was found."""
    return answer == NOTHING_FOUND or answer.startswith(NO_RECORD)


def no_record(unknown: Sequence[str], alike: Sequence[str]) -> str:
    """Return the answer about `unknown` persons. `alike`: persons that may be meant."""
    said = f"{NO_RECORD}{_either(unknown)} in the documents I can search."
    return f"{said} Did you mean {_either(alike)}?" if alike else said


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def marked(answer: str, *, unclear: bool) -> str:
    """Return an answer, with what says so if it may be none."""
    return f"{UNCLEAR}\n\n{answer}" if unclear else answer


def of_one_record(question: str, answer: str, *, narrowed: bool) -> str:
    """Return an answer that says that it is of one record, where a question asks over records.

    `narrowed`: whether it names someone or something, or follows another question.
    """
    quoted = answer.removeprefix(UNCLEAR).lstrip() if answer != NOTHING_FOUND else ""
    if not asks_over_records(question, quoted, narrowed=narrowed):
        return answer
    return f"{ONE_RECORD}\n\n{quoted}" if quoted else NO_COUNT


def quotation(sentences: Sequence[Sentence]) -> str:
    """Join the sentences of one passage and cite it."""
    following = [*(sentence.label for sentence in sentences[1:]), ""]
    ended = map(_ended, labelled_texts(sentences), following)
    return f"{' '.join(' '.join(ended).split())} [{sentences[0].rank}]"


def _ended(text: str, label: str) -> str:
    """Return a sentence with a stop; a colon ends a heading, the `label` of the next sentence."""
    bare = text.rstrip(" ,;:.")
    if label and bare.endswith(label):
        return f"{bare}:"
    return text if _ENDED.search(text) else f"{text.rstrip(' ,;')}."
