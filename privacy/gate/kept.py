"""Count what a draft keeps of its record: leaving out is allowed, and it is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sage_rag.privacy.gate.facts.facts import Facts, is_dose
from sage_rag.privacy.gate.meaning import kept_sentences, reading
from sage_rag.privacy.gate.provenance import align

Kept = Mapping[str, tuple[int, int]]
"""By kind of content: how many the draft keeps, and how many the record has."""

KINDS = (
    *("sentences", "words", "doses", "frequencies", "negations", "sides", "conditions"),
    "warnings",
)
"""What is counted. `words`: content words; the others are sentences or facts of sentences."""
_MOST = 0.5
"""A sentence counts as kept where its draft sentences have this share of its content words."""


def kept(original: Mapping[str, str], draft: Mapping[str, str]) -> Kept:
    """Count what a draft keeps of its original: fields with placeholders.

    A fact counts as kept where a draft sentence that comes from its sentence has it.
    """
    source, written = reading(original), reading(draft)
    sources = kept_sentences(source, written, align(source, written))
    totals = {kind: [0, 0] for kind in KINDS}
    for number, facts in enumerate(source.sentences):
        drafts = [written.sentences[at] for at in sources.get(number, ())]
        for kind, (left, whole) in _counts(facts, drafts).items():
            totals[kind][0] += left
            totals[kind][1] += whole
    return {kind: (left, whole) for kind, (left, whole) in totals.items()}


def add_kept(counts: Sequence[Kept]) -> Kept:
    """Return the sums of several records' counts; empty without any."""
    if not counts:
        return {}
    return {
        kind: (sum(c[kind][0] for c in counts), sum(c[kind][1] for c in counts)) for kind in KINDS
    }


def _counts(facts: Facts, drafts: Sequence[Facts]) -> dict[str, tuple[int, int]]:
    keys = frozenset(key for d in drafts for key in d.keys)
    words = sum(not token.keys.isdisjoint(keys) for token in facts.content)
    doses = {q.number for q in facts.quantities if is_dose(q)}
    rates = {q.number for q in facts.quantities if q.number[2] == "frequency"}
    numbers = {q.number for d in drafts for q in d.quantities}
    sides = {s.value for s in facts.sides}
    negations = [n for n in facts.negations if n.value != "like"]
    left = sum(n.value != "like" for d in drafts for n in d.negations)
    conditions = [c for c in facts.conditions if c.value in ("if", "unless", "until")]
    conditional = sum(
        c.value in ("if", "unless", "until", "when") for d in drafts for c in d.conditions
    )
    warned = facts.values("warning")
    return {
        "sentences": (_is_kept(words, len(facts.content), drafts), 1),
        "words": (words, len(facts.content)),
        "doses": (len(doses & numbers), len(doses)),
        "frequencies": (len(rates & numbers), len(rates)),
        "negations": (min(left, len(negations)), len(negations)),
        "sides": (len(sides & {s.value for d in drafts for s in d.sides}), len(sides)),
        "conditions": (min(conditional, len(conditions)), len(conditions)),
        "warnings": (len(warned & {v for d in drafts for v in d.values("warning")}), len(warned)),
    }


def _is_kept(words: int, of: int, drafts: Sequence[Facts]) -> bool:
    return bool(drafts) and words >= _MOST * of
