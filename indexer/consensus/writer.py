"""Write the chosen statements of a topic as the text of a field."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.indexer.consensus.candidates import Candidate
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.support import OFTEN, OFTEN_SHARE, SupportGate


def write(chosen: Sequence[Candidate], gate: SupportGate, before: list[str]) -> str:
    """Return one statement a line.

    `before`: the words that precede the text; the text's own are added. A statement that the gate
    does not let follow these words is left out.
    """
    lines = []
    for candidate in chosen:
        if gate.joins(before, candidate.text):
            before += draft_tokens(candidate.text)
            lines.append(_line(candidate))
    return "\n".join(lines)


def in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the frequent statements before the others, each group in the records' order."""
    return sorted(chosen, key=lambda c: (c.share < OFTEN_SHARE, c.place, c.key))


def _line(candidate: Candidate) -> str:
    end = "" if candidate.text.endswith("?") else "."
    if candidate.share >= OFTEN_SHARE:
        return f"{OFTEN}: {candidate.text}{end}"
    return f"{candidate.text[0].upper()}{candidate.text[1:]}{end}"
