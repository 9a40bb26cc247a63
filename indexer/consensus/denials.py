"""Denials: what the records of a topic say is not so, not needed, or not to be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.consensus.grammar import NEGATIONS
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import content_stems


@dataclass(frozen=True, slots=True)
class Sense:
    """A sentence of a record. `stems`: of its content words; `denies`: whether it is negative."""

    stems: frozenset[str]
    denies: bool


def senses(text: str) -> Iterator[Sense]:
    """Yield what each sentence of a text is about, and whether it denies it."""
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        yield Sense(content_stems(sentence), not NEGATIONS.isdisjoint(draft_tokens(sentence)))


def is_denied(
    stems: frozenset[str], words: Iterable[str], records: Sequence[Sequence[Sense]]
) -> bool:
    """Return whether more records deny a statement than say it, by its content `stems`.

    A record denies it if each of its sentences on it does. A statement that is negative itself, by
    its `words`, is denied by no such sentence.
    """
    if not NEGATIONS.isdisjoint(words):
        return False
    said = denied = 0
    for record in records:
        about = [sense.denies for sense in record if stems <= sense.stems]
        said += bool(about) and not all(about)
        denied += bool(about) and all(about)
    return denied > said
