"""Answers from consensus passages: what several subjects say, as a list."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.privacy.gate.support import OFTEN
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.sentences import content_stems

_MOST = 6
"""Statements of an answer."""


def often_said(context: AnswerContext) -> str:
    """Return the statements of the best passage as one or two lists; empty without any.

    Under `Often said:` are statements of most subjects, under `Also said:` those of at least
    k. Those that share words with the question are first, then the others in the order of the
    passage. A statement is a line: joined in one sentence they have the vector of none of them.
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
    heads = ("Often said", "Also said") if len(passage.fields) > 1 else ("Often", "Also")
    parts = [
        f"{head}:\n{_listed(said)}"
        for head, said in zip(heads, (often[:_MOST], also), strict=True)
        if said
    ]
    return "{} [1]".format("\n\n".join(parts)) if parts else ""


def _listed(statements: Sequence[str]) -> str:
    """Return statements as lines of a list, without repetitions."""
    bare = dict.fromkeys(statement.strip().rstrip(".") for statement in statements)
    return "\n".join(f"- {s[0].upper()}{s[1:]}" for s in bare)
