"""Write the chosen statements of a topic as the text of a field."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import OFTEN, OFTEN_SHARE, SupportGate

_SHORT = 2
"""Most words of a statement that is no clause."""


def write(chosen: Sequence[Candidate], gate: SupportGate, before: list[str]) -> str:
    """Return one statement a line.

    `before`: the words that precede the text; the text's own are added. A label or a statement that
    the gate does not let follow these words is left out.
    """
    lines = []
    for candidate in chosen:
        labelled = [[OFTEN, candidate.text]] if candidate.share >= OFTEN_SHARE else []
        for parts in (*labelled, [candidate.text]):
            joined = _joined(gate, before, parts)
            if joined is not None:
                before[:] = joined
                lines.append(_line(parts))
                break
    return "\n".join(lines)


def _joined(gate: SupportGate, before: Sequence[str], parts: Sequence[str]) -> list[str] | None:
    """Return the words `before` with those of the parts; `None` if the gate does not let them."""
    tokens = list(before)
    for part in parts:
        if not gate.joins(tokens, part):
            return None
        tokens += draft_tokens(part)
    return tokens


def in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the frequent statements before the others, and clauses before short ones.

    Each group is in the records' order.
    """
    return sorted(
        chosen, key=lambda c: (c.share < OFTEN_SHARE, len(c.key) <= _SHORT, c.place, c.key)
    )


def _line(parts: Sequence[str]) -> str:
    text = ": ".join(parts)
    return f"{text[0].upper()}{text[1:]}" + ("" if text.endswith("?") else ".")
