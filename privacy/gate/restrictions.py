"""Find sentences that restrict the one before them and that a draft leaves out.

"You may store it there. This does not apply in winter.": the first sentence alone allows more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sage_rag.privacy.gate.changes import Change
from sage_rag.privacy.gate.facts.facts import Facts
from sage_rag.privacy.gate.facts.references import GROUP, THING, references
from sage_rag.privacy.gate.provenance import Link, Reading

_CONDITIONS = frozenset({"if", "unless", "until"})
_EXCEPTIONS = frozenset("only except unless otherwise".split())


def left_out_restrictions(
    source: Reading,
    draft: Reading,
    links: Sequence[Link],
    says_nothing: Callable[[Facts], bool],
) -> Iterator[Change]:
    """Yield the draft sentences whose source is restricted by the next one, which is left out.

    `says_nothing`: whether a sentence is a courtesy, which restricts nothing.
    """
    kept = {n for link in links for n in link.sources}
    copied = {link.sources[0]: at for at, link in reversed(list(enumerate(links))) if link.sources}
    before = -1
    for number, facts in enumerate(source.sentences):
        if says_nothing(facts):
            continue
        if before in copied and number not in kept and _restricts(facts):
            rule, sentence = source.sentences[before], draft.sentences[copied[before]].sentence
            if rule.sentence.field == facts.sentence.field and _rules(rule):
                yield Change("drops", "condition", sentence.start, sentence.end)
        before = number


def _rules(facts: Facts) -> bool:
    """Return whether a sentence is an instruction, a permission or a duty."""
    return facts.sentence.instructs or bool(facts.values("force"))


def _restricts(facts: Facts) -> bool:
    """Return whether a sentence refers to the one before it, and denies or limits something."""
    if facts.sentence.asks or references(facts.sentence.tokens).keys().isdisjoint((THING, GROUP)):
        return False
    limited = any(c.value in _CONDITIONS for c in facts.conditions)
    limited |= not _EXCEPTIONS.isdisjoint(facts.sentence.words)
    limited |= bool(facts.values("force") & {"forbid", "none"})
    return limited or any(n.value == "hard" for n in facts.negations)
