"""Write the chosen statements of a topic as the text of a field."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.labels import OFTEN, OFTEN_SHARE, POSSIBLE, TOPICS
from sage_rag.privacy.gate.support import SupportGate


def write(chosen: Sequence[Candidate], gate: SupportGate, before: list[str]) -> str:
    """Return one clause a line, then what is possible and the topics, each as a list in a line.

    `before`: the words that precede the text; the text's own are added. A label or a statement that
    the gate does not let follow these words is left out.
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
    for label, phrase in ((POSSIBLE, Phrase.POSSIBLE), (TOPICS, Phrase.TOPIC)):
        listed = _listed(label, [c for c in chosen if c.phrase is phrase], gate, before)
        lines += [f"{label}: {', '.join(listed)}."] if listed else []
    return "\n".join(lines)


def _listed(
    label: str, found: Sequence[Candidate], gate: SupportGate, before: list[str]
) -> list[str]:
    """Return those that may follow the label and each other, the most frequent first."""
    listed: list[str] = []
    for candidate in sorted(found, key=lambda c: (-c.share, c.place, c.key)):
        parts = [candidate.text] if listed else [label, candidate.text]
        joined = _joined(gate, before, parts)
        if joined is not None:
            before[:] = joined
            listed.append(candidate.text)
    return listed


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
