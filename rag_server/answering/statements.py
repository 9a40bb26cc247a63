"""Answers from consensus passages: what several subjects say, as one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.privacy.gate.support import OFTEN
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.sentences import content_stems

_MOST = 6
"""Statements of an answer."""


def often_said(context: AnswerContext) -> str:
    """Return one or two sentences with the statements of the best passage; empty without any.

    `Often advised: ...; ...` are statements of most subjects, `Also: ...` those of at least k. The
    statements that share words with the question are first, then those of the passage in order.
    """
    passage = context.passages[0]
    replies = [name for name in context.answer_fields if name in passage.fields]
    lines = [
        line
        for name in replies or list(passage.fields)[-1:]
        for line in passage.fields[name].splitlines()
        if content_stems(line) and not line.rstrip().endswith("?")
    ]
    asked = set(content_stems(context.standalone or context.question))
    lines.sort(key=lambda line: not asked.intersection(content_stems(line)))
    often = [line.removeprefix(f"{OFTEN}: ") for line in lines if line.startswith(f"{OFTEN}: ")]
    also = [line for line in lines if not line.startswith(f"{OFTEN}: ")]
    also = also[: max(_MOST - len(often), 0)]
    heads = ("Often advised", "Also advised") if len(passage.fields) > 1 else ("Often", "Also")
    parts = [
        f"{head}: {_listed(said)}."
        for head, said in zip(heads, (often[:_MOST], also), strict=True)
        if said
    ]
    return f"{' '.join(parts)} [1]" if parts else ""


def _listed(statements: Sequence[str]) -> str:
    """Return statements in one line, as parts of a sentence."""
    bare = dict.fromkeys(statement.strip().rstrip(".") for statement in statements)
    return "; ".join(s if s[:2].isupper() else s[0].lower() + s[1:] for s in bare)
