"""Who says what a sentence reports: a statement of somebody is not yet a fact."""

from __future__ import annotations

from sage_rag.privacy.gate.facts.facts import Facts

SAYINGS = frozenset(
    "say said says tell told tells report reported reports state stated states submit submitted"
    " submits claim claimed claims allege alleged alleges argue argued argues assert asserted"
    " maintain maintained contend contended explain explained explains believe believed believes"
    " assume assumed suspect suspected suspects according note noted mention mentioned write wrote"
    " writes guess guessed guesses estimate estimated heard observed observes declared declares"
    " testified confirmed confirms denied denies complained complains insisted insists".split()
)
"""Words of someone whose statement a sentence reports."""
_WRITERS = frozenset("i we you".split())
_SAYING_BY = 7
"""The last token at which the word of a speaker begins a report."""
_OBJECT = 2
"""The most tokens between it and what is said: "told me that"."""


def reports(source: Facts) -> bool:
    """Return whether a sentence begins with someone who says something: "He told me that"."""
    words = source.sentence.words
    for at, word in enumerate(words[1:_SAYING_BY], 1):
        if word in SAYINGS:
            said = words[at + 1 : at + 2 + _OBJECT]
            return "that" in said and _WRITERS.isdisjoint(words[:at])
    return False


def names_speaker(facts: Facts) -> bool:
    """Return whether a sentence says in any way that somebody says it."""
    words = facts.sentence.words
    return any(w in SAYINGS or w.endswith("edly") or w in ("account", "words") for w in words)
