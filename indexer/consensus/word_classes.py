"""Nouns and verbs of a corpus, by the words around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from sage_rag.agents.lexicon import lexicon
from sage_rag.indexer.consensus.grammar import DETERMINERS, PREPOSITIONS, SUBJECTS, segments
from sage_rag.privacy.gate.draft_words import draft_tokens

_BEFORE_NOUNS = DETERMINERS | PREPOSITIONS | frozenset("of no".split())
_BEFORE_VERBS = frozenset(
    "to can could will would should may might must does did do please kindly i you we they".split()
)
_BEFORE_INFINITIVES = frozenset(
    "to can could will would should may might must please kindly don't".split()
)
_BEFORE_OTHERS = (
    SUBJECTS
    | _BEFORE_VERBS
    | frozenset(
        "is are was were be been being am not get gets got feel feels felt very so too as more"
        " much quite also that which who what how why when if just".split()
    )
)
_LEAST_NOUN_SHARE = 0.25
"""Of the places of a word that decide: `swelling` and `itchy` stay, `caused` and `give` go."""
_LEAST_VERB_SHARE = 0.5
"""Of the places of a word in the phrase of a noun or as a verb: `avoid` stays, `pain` goes."""

_VERB_ENDINGS = ("ing", "ed")
_ADJECTIVE_ENDINGS = ("ic", "al", "ous", "ive", "ary", "able", "ible")


@dataclass(frozen=True, slots=True)
class WordClasses:
    """The words that a corpus uses as nouns, and those that it uses as verbs in their base form.

    `infinitives`: the verbs that follow `to` or a modal somewhere, and not only a pronoun, as
    objects do: `I prescribe you aspirin`.
    """

    nouns: frozenset[str]
    verbs: frozenset[str]
    infinitives: frozenset[str]


def _may_qualify(word: str, after: str) -> bool:
    """Return whether a word may qualify a noun further on: `psychological and physical care`."""
    return after in ("and", "or") and word.endswith(_ADJECTIVE_ENDINGS)


def word_classes(texts: Iterable[str]) -> WordClasses:
    """Return the nouns and verbs of a corpus in English.

    A noun follows a determiner or a preposition, and ends its phrase: `the pain in`. A word after a
    pronoun, an auxiliary or an adverb is another one: `to give`, `was caused`, `very bad`. What
    occurs in neither place, but in lists, counts as a noun, unless it has the form of a verb; what
    only precedes nouns does not: `proper food`. A verb follows `to`, a modal or a pronoun; one of
    the lexicon needs no such place.
    """
    nouns: Counter[str] = Counter()
    verbs: Counter[str] = Counter()
    others: Counter[str] = Counter()
    nominal: Counter[str] = Counter()
    infinitives = set[str]()
    stop = lexicon().stop_words
    for text in texts:
        for segment, _ in segments(text):
            tokens = draft_tokens(segment)
            before = ""
            for word, after in zip_longest(tokens, tokens[1:], fillvalue=""):
                nominal[word] += before in _BEFORE_NOUNS
                ends = not after or (after in stop and not _may_qualify(word, after))
                nouns[word] += ends and before in _BEFORE_NOUNS
                verbs[word] += before in _BEFORE_VERBS
                others[word] += before in _BEFORE_OTHERS
                if before in _BEFORE_INFINITIVES:
                    infinitives.add(word)
                before = word
    known = lexicon().verbs
    used_as_verbs = frozenset(
        word
        for word, found in verbs.items()
        if word not in stop
        and found + (word in known) > _LEAST_VERB_SHARE * (found + nominal[word])
    )
    return WordClasses(
        frozenset(
            word
            for word, found in nouns.items()
            if (found or not (nominal[word] or word.endswith(_VERB_ENDINGS)))
            and found >= _LEAST_NOUN_SHARE * (found + others[word])
        ),
        used_as_verbs,
        frozenset(used_as_verbs & (infinitives | known)),
    )
