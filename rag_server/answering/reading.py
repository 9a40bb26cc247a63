"""Read a passage with the reader: whether it answers, and with which of its sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log

from sage_rag.agents.reading.protocols import PassageReader
from sage_rag.privacy.tokens import TOKEN, readable_view, token_type, tokens_in
from sage_rag.rag_server.answering.details import MOST_WORDS
from sage_rag.rag_server.answering.sentences import Sentence, labelled_texts

_BORDER = "\x1e"
"""Separates the texts of which one view is made, so that a value has one number in all of them."""
_LEAST = 0.005
"""Bounds the log-odds to -5.3 and 5.3."""


@dataclass(frozen=True, slots=True)
class PassageReading:
    """What the reader finds in a passage.

    `probability` that the passage answers; `sentences`: those with the stretch that does.
    """

    probability: float
    sentences: frozenset[Sentence]

    @property
    def log_odds(self) -> float:
        """The probability as log-odds, bounded."""
        likely = min(max(self.probability, _LEAST), 1 - _LEAST)
        return log(likely / (1 - likely))


def is_readable(question: str) -> bool:
    """Return whether a reader can read texts for the answer to a question."""
    return len(question.split()) <= MOST_WORDS


def read_sentences(
    question: str, sentences: Sequence[Sentence], meant: Sequence[str], reader: PassageReader
) -> PassageReading:
    """Return the reading of a passage, as far as an answer can quote it.

    `meant`: the tokens of the index that the names of the question may mean.
    """
    asked, *texts = _views([_linked(question, sentences, meant), *labelled_texts(sentences)])
    (reading,) = reader.read(asked, [" ".join(texts)])
    held, place = set(), 0
    for sentence, text in zip(sentences, texts, strict=True):
        if place < reading.end and place + len(text) > reading.start:
            held.add(sentence)
        place += len(text) + 1
    return PassageReading(reading.probability, frozenset(held))


def together(readings: Sequence[PassageReading]) -> PassageReading:
    """Return the reading for a question of several parts: the mean of their log-odds."""
    if len(readings) == 1:
        return readings[0]
    mean = sum(reading.log_odds for reading in readings) / len(readings)
    sentences = frozenset(sentence for reading in readings for sentence in reading.sentences)
    return PassageReading(1 / (1 + exp(-mean)), sentences)


def _linked(question: str, sentences: Sequence[Sentence], meant: Sequence[str]) -> str:
    """Return a question with the passage's own token for a name that is spelled otherwise there."""
    held = {token for sentence in sentences for token in tokens_in(sentence.text)}
    known = [token for token in meant if token in held]

    def own(token: str) -> str:
        if token in held:
            return token
        return next((k for k in known if token_type(k) is token_type(token)), token)

    return TOKEN.sub(lambda match: own(match.group()), question)


def _views(texts: Iterable[str]) -> list[str]:
    """Return the readable views of texts, in which equal tokens have equal numbers."""
    return readable_view(_BORDER.join(t.replace(_BORDER, " ") for t in texts)).split(_BORDER)
