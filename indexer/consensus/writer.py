"""Write the chosen statements of a topic as the text of a field."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.indexer.consensus.phrases import Phrase
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import OFTEN, OFTEN_SHARE, TOPICS, SupportGate


def write(chosen: Sequence[Candidate], gate: SupportGate, before: list[str]) -> str:
    """Return one clause a line, and the topics as a list in the last line.

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
    topics = _topics(chosen, gate, before)
    return "\n".join([*lines, f"{TOPICS}: {', '.join(topics)}."] if topics else lines)


def _topics(chosen: Sequence[Candidate], gate: SupportGate, before: list[str]) -> list[str]:
    """Return the topics that may follow each other, the most frequent first."""
    topics: list[str] = []
    for candidate in sorted(chosen, key=lambda c: (-c.share, c.place, c.key)):
        if candidate.phrase is not Phrase.TOPIC:
            continue
        parts = [candidate.text] if topics else [TOPICS, candidate.text]
        joined = _joined(gate, before, parts)
        if joined is not None:
            before[:] = joined
            topics.append(candidate.text)
    return topics


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
