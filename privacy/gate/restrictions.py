"""Find sentences that restrict another one and that a draft leaves out.

"You may store it there. This does not apply in winter.": the first sentence alone allows more.
"If it gets worse, the outlook is poor. Change the drug.": the second alone advises everyone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from sage_rag.privacy.gate.changes import Change
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.references import GROUP, THING, references
from sage_rag.privacy.gate.provenance import Link, Reading

_CONDITIONS = frozenset({"if", "unless", "until"})
_SUPPOSING = frozenset({"if", "when", "whenever", "once", "unless", "should"})
_PREPOSITIONS = "before after with for until when if in on at during more less from".split()
_JOINS = frozenset("but and or yet though although however".split())
LIMITS = (
    *(f"{no} {word}" for no in ("not", "never") for word in _PREPOSITIONS),
    *("no more", "unless", "except", "exception", "exceptions", "at most", "maximum", "provided"),
    *("providing", "assuming", "as long as", "so long as", "only if", "only when", "only for"),
)
"""The beginning of a sentence that limits the one before it without a reference to it."""
_LIMITS_OF_RULES = ("never", "only", "max", "if not")
"""The same after an instruction, a permission or a duty."""
_EXCEPTIONS = frozenset("only except unless otherwise".split())


def left_out_restrictions(
    source: Reading,
    draft: Reading,
    links: Sequence[Link],
    says_nothing: Callable[[Facts], bool],
) -> Iterator[Change]:
    """Yield the draft sentences whose source is restricted by a neighbour that is left out.

    `says_nothing`: whether a sentence is a courtesy, which restricts nothing.
    """
    kept = {n for link in links for n in link.sources}
    copied = {link.sources[0]: at for at, link in reversed(list(enumerate(links))) if link.sources}
    said = [n for n, facts in enumerate(source.sentences) if not says_nothing(facts)]
    for number, following in pairwise(said):
        one, other = source.sentences[number], source.sentences[following]
        if one.sentence.field != other.sentence.field or (number in kept) == (following in kept):
            continue
        lone = number if number in kept else following
        restricted = _restricts(other, one) if lone == number else _supposes(one, other)
        if restricted and lone in copied:
            sentence = draft.sentences[copied[lone]].sentence
            yield Change("drops", "condition", sentence.start, sentence.end)


def _supposes(facts: Facts, following: Facts) -> bool:
    """Return whether a sentence begins with a condition without an instruction, which follows."""
    begins = facts.sentence.tokens[0].text in _SUPPOSING and not facts.sentence.asks
    return begins and not _rules(facts) and following.sentence.instructs


def _rules(facts: Facts) -> bool:
    """Return whether a sentence is an instruction, a permission or a duty."""
    return facts.sentence.instructs or bool(facts.values("force"))


def _begins_restricting(words: Sequence[str], starts: Sequence[str]) -> bool:
    """Return whether a sentence goes on with the one before it: "But not before the scan."."""
    first = next((at for at, word in enumerate(words) if word not in _JOINS), len(words))
    begun = " ".join(words[first : first + 3])
    return any(begun == start or begun.startswith(f"{start} ") for start in starts)


def _restricts(facts: Facts, rule: Facts) -> bool:
    """Return whether a sentence refers to a rule before it, and denies or limits something."""
    if facts.sentence.asks or rule.sentence.asks:
        return False
    if _begins_restricting(facts.sentence.words, LIMITS):
        return True
    if not _rules(rule):
        return False
    if _begins_restricting(facts.sentence.words, _LIMITS_OF_RULES):
        return True
    if references(facts.sentence.tokens).keys().isdisjoint((THING, GROUP)):
        return False
    limited = any(c.value in _CONDITIONS for c in facts.conditions)
    limited |= not _EXCEPTIONS.isdisjoint(facts.sentence.words)
    limited |= bool(facts.values("force") & {"forbid", "none"})
    return limited or any(n.value == "hard" for n in facts.negations)
