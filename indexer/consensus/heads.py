"""The head of the list of what is possible: the words by which most records lead to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from sage_rag.indexer.consensus.grammar import SUBJECTS
from sage_rag.indexer.consensus.leads import supposes
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.indexer.consensus.spellings import usual_spelling
from sage_rag.indexer.consensus.statements import Statement
from sage_rag.privacy.gate.draft_words import draft_tokens, draft_words
from sage_rag.privacy.gate.support import least_subjects

_OPENING_SHARE = 0.25
"""Of the subjects who lead to such a list: how many open their sentence in the same words."""


class _Wordings:
    """The wordings of a part of a sentence, with their subjects and spellings."""

    def __init__(self) -> None:
        self._subjects: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._spellings: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)

    def add(self, text: str, subject: str) -> None:
        key = tuple(draft_tokens(text))
        self._subjects[key].add(subject)
        self._spellings[key][text] += 1

    def most_frequent(self, k: int, least: float = 0) -> str | None:
        """Return the wording of most subjects, if they are enough."""
        ranked = sorted((-len(own), len(key), key) for key, own in self._subjects.items())
        for count, words, key in ranked:
            if -count >= max(least_subjects(words, k), least):
                return usual_spelling(self._spellings[key])
        return None


def list_heads(
    found: Sequence[Iterable[Statement]], subjects: Sequence[str], k: int
) -> tuple[str, ...]:
    """Return what may head a field's lists of what is possible, the better one first.

    With the opening of the sentence, and without: `Based on your symptoms, you may have` and `you
    may have`. Empty if no words are said often enough. `found`: the statements by record;
    `subjects`: whose each record is. "It seems that you may have gout" counts for "it seems that
    you may have" and for "you may have".
    """
    leads, openings = _Wordings(), _Wordings()
    leading = set[str]()
    for statements, subject in zip(found, subjects, strict=True):
        for statement in statements:
            opening, _, lead = statement.lead.rpartition(", ")
            if not lead or statement.phrase is not Phrase.POSSIBLE:
                continue
            leading.add(subject)
            for place in _beginnings(lead):
                leads.add(lead[place:], subject)
            if opening:
                openings.add(opening, subject)
    usual = leads.most_frequent(k)
    if usual is None:
        return ()
    opened = openings.most_frequent(k, _OPENING_SHARE * len(leading))
    return (f"{opened}, {usual}", usual) if opened else (usual,)


def _beginnings(lead: str) -> Iterator[int]:
    """Yield the places at which a lead may begin: its own, and those of later subjects."""
    words = draft_words(lead)
    for place, word in enumerate(words):
        rest = [other.text for other in words[place:]]
        if (place == 0 or word.text in SUBJECTS) and supposes(rest):
            yield word.start
