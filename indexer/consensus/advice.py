"""Advice: which verbs tell the reader what to do.

"We need to measure it", "care is necessary to prevent it" and "you may take it" tell the reader
nothing to do; "you need to measure it", "it is necessary to rest" and "you should take it" do.
"""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.indexer.consensus.grammar import FINITE, SUBJECTS, word_set
from sage_rag.indexer.consensus.word_classes import WordClasses

_POLITE = word_set("please kindly")
_SKIPPED = word_set("also just then always immediately first only simply definitely")
_OBLIGING = word_set("should must")
_ADDRESSED = word_set("you patient")
_ADVISING = word_set(
    "advise advised suggest suggested recommend recommended request requested urge urged insist"
    " want encourage tell ask"
)
"""`I advise you to rest`, but not `this allows you to rest`."""
_DEMANDING = word_set("need needs have has ought")
"""`You need to rest`, but not `we need to examine you`."""
_JUDGING = word_set(
    "important best better necessary essential advisable recommended vital crucial wise good"
)
"""`It is important to rest`, but not `a brace is important to prevent a fall`."""
_JUDGED = word_set("it it's its")
_TRYING = word_set("try recommend")
_FORBIDDING = (("do", "not"), ("don", "t"), ("don't",), ("never",))
_STATING = FINITE | SUBJECTS | word_set("there this that these those let")
"""Words of a part of a sentence that says something, and no advice."""
_INFLECTED = ("ed", "ing", "ly")
_BASE_FORMS = word_set("need feed bring sing apply rely")
_NO_VERBS = word_set(
    "often even usually sometimes probably perhaps maybe thus hence therefore given known taken"
    " done seen gone been"
)


def forbids(tokens: Sequence[str]) -> int:
    """Return how many words at the beginning forbid what follows: 2 for `do not`."""
    return next((len(f) for f in _FORBIDDING if tuple(tokens[: len(f)]) == f), 0)


def may_begin_advice(before: Sequence[str], classes: WordClasses) -> bool:
    """Return whether a verb after earlier parts of a sentence may advise: `before` are their words.

    After "we will take blood," it continues what we do; after "you should rest," it is advice.
    """
    if _STATING.isdisjoint(before):
        return True
    return _continues(before, classes)


def is_imperative(
    tokens: Sequence[str], start: int, classes: WordClasses, *, may_begin: bool
) -> bool:
    """Return whether the words from `start` of a part of a sentence tell the reader what to do.

    `may_begin`: whether a verb at the beginning of the part may (`may_begin_advice`).
    """
    found = tokens[start:]
    verb = forbids(found)
    if len(found) < verb + 2 or not _is_base_form(found[verb], classes):
        return False
    before = [token for token in tokens[:start] if token not in _SKIPPED]
    if not before or before[-1] in _POLITE:
        return may_begin
    if before[-1] == "and":
        return _continues(before[:-1], classes)
    return advises(before)


def advises(before: Sequence[str]) -> bool:
    """Return whether the words before a verb make it advice: `I advise you to`, `you should`."""
    third, second, first = ("", "", "", *before)[-3:]
    if first != "to":
        return first in _OBLIGING and second in _ADDRESSED
    if second in _ADDRESSED:
        return third in _ADVISING
    if second in _DEMANDING:
        return third in _ADDRESSED
    if second in _JUDGING:
        return len(before) == 2 or not _JUDGED.isdisjoint(before)
    return second in _TRYING


def _is_base_form(word: str, classes: WordClasses) -> bool:
    if word not in classes.infinitives or word in _NO_VERBS:
        return False
    return word in _BASE_FORMS or not word.endswith(_INFLECTED)


def _continues(before: Sequence[str], classes: WordClasses) -> bool:
    """Return whether `and` joins advice to advice: `you should rest and`.

    The nearest verb to continue decides: in "you should come to see her and" it is no advice.
    """
    places = [at for at in range(1, len(before) + 1) if advises(before[:at])]
    if not places:
        begins = bool(before) and _is_base_form(before[0], classes)
        return begins and "to" not in before
    return "to" not in before[places[-1] :]
