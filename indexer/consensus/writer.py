"""Write the chosen statements of a topic as the text of a field."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.labels import (
    ADVISED,
    CAUSES,
    OFTEN,
    OFTEN_SHARE,
    POSSIBLE,
    TOPICS,
    list_head,
)
from sage_rag.privacy.gate.support import SupportGate

_LISTS = {
    POSSIBLE: Phrase.POSSIBLE,
    CAUSES: Phrase.CAUSE,
    ADVISED: Phrase.ADVISED,
    TOPICS: Phrase.TOPIC,
}


def write(
    chosen: Sequence[Candidate], gate: SupportGate, before: list[str], heads: Sequence[str]
) -> str:
    """Return one clause a line, then what is possible, its causes, what is advised and the topics.

    `before`: the words that precede the text; the text's own are added. `heads`: what may head the
    list of what is possible in place of its label, the better one first. A label, a head or a
    statement that the gate does not let follow these words is left out.
    """
    lines = []
    for candidate in clauses_in_order(chosen):
        labelled = [[OFTEN, candidate.text]] if candidate.share >= OFTEN_SHARE else []
        for parts in (*labelled, [candidate.text]):
            joined = _joined(gate, before, parts)
            if joined is not None:
                before[:] = joined
                lines.append(_line(parts))
                break
    for label, phrase in _LISTS.items():
        own = [list_head(lead) for lead in heads] if label == POSSIBLE else []
        listed = [candidate for candidate in chosen if candidate.phrase is phrase]
        lines += _list([*own, label], listed, gate, before)
    return "\n".join(lines)


def _list(
    heads: Sequence[str], found: Sequence[Candidate], gate: SupportGate, before: list[str]
) -> list[str]:
    """Return the line of a list, the most frequent matters first, under the first head that fits.

    Left out is what may not follow the head or the matters before it.
    """
    ranked = sorted(found, key=lambda c: (-c.share, c.place, c.key))
    for head in heads:
        words, listed = list(before), list[str]()
        for candidate in ranked:
            parts = [candidate.text] if listed else [*head.split(", "), candidate.text]
            joined = _joined(gate, words, parts)
            if joined is not None:
                words = joined
                listed.append(candidate.text)
        if listed:
            before[:] = words
            return [f"{head}: {', '.join(listed)}."]
    return []


def _joined(gate: SupportGate, before: Sequence[str], parts: Sequence[str]) -> list[str] | None:
    """Return the words `before` with those of the parts; `None` if the gate does not let them."""
    tokens = list(before)
    for part in parts:
        if not gate.joins(tokens, part):
            return None
        tokens += draft_tokens(part)
    return tokens


def clauses_in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the clauses: the frequent ones before the others, each group in the records' order."""
    clauses = [c for c in chosen if c.phrase is Phrase.CLAUSE]
    return sorted(clauses, key=lambda c: (c.share < OFTEN_SHARE, c.place, c.key))


def _line(parts: Sequence[str]) -> str:
    text = ": ".join(parts)
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith("?") else ".")
