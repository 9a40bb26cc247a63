"""Nouns of a corpus, by the words around them: one of them alone names something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sage_rag.agents.lexicon import lexicon
from sage_rag.indexer.consensus.grammar import DETERMINERS, PREPOSITIONS, SUBJECTS, segments
from sage_rag.privacy.gate.draft_words import draft_tokens

_BEFORE_NOUNS = DETERMINERS | PREPOSITIONS | frozenset("of no".split())
_BEFORE_OTHERS = SUBJECTS | frozenset(
    "to is are was were be been being am not can could will would should may might must do does did"
    " get gets got feel feels felt very so too as more much quite also that which who"
    " what how why when if just".split()
)


_LEAST_SHARE = 0.25
"""Of the places of a word that decide: `swelling` and `itchy` stay, `caused` and `give` go."""


def noun_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that are nouns in a quarter of the places that decide, or more.

    A noun follows a determiner or a preposition, and ends its phrase: `the pain in`. A word after a
    pronoun, an auxiliary or an adverb is another one: `to give`, `was caused`, `very bad`. What
    occurs in neither place, but in lists, counts as a noun.
    """
    nouns: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for text in texts:
        for segment, _ in segments(text):
            tokens = draft_tokens(segment)
            for place, word in enumerate(tokens):
                before = tokens[place - 1] if place else ""
                ends = place + 1 == len(tokens) or tokens[place + 1] in lexicon().stop_words
                nouns[word] += ends and before in _BEFORE_NOUNS
                others[word] += before in _BEFORE_OTHERS
    return frozenset(
        word for word, found in nouns.items() if found >= _LEAST_SHARE * (found + others[word])
    )
