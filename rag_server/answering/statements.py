"""Answers from consensus passages: what several subjects say, as lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.gate.support import OFTEN, TOPICS
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.sentences import content_stems
from sage_rag.rag_server.retrieval import without_tokens

_MOST = 6
"""Clauses of an answer."""
_MOST_TOPICS = 10
_SHARED = 0.05
"""What each further passage that has a statement adds to its cosine. Chosen, with the limits above,
on splits of the indexed records of the published figures."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement of passages. `ranks`: of those that have it, from 1."""

    text: str
    ranks: tuple[int, ...]
    often: bool
    is_topic: bool


def often_said(context: AnswerContext, embedder: Embedder | None) -> str:
    """Return the statements of the passages that are nearest to the question; empty without.

    Clauses of most subjects are a list under `Often said:`, those of at least k under `Also said:`;
    words that only name a matter follow after `Topics:`. Each list begins with what is nearest to
    the question. A statement is a line: joined in one sentence they have the vector of none.
    """
    said = _distinct(context)
    values = _values(context.standalone or context.question, said, embedder)
    said.sort(key=lambda s: -values[s])
    clauses = [s for s in said if not s.is_topic][:_MOST]
    topics = [s for s in said if s.is_topic][:_MOST_TOPICS]
    lists = {
        "Often said": [s for s in clauses if s.often],
        "Also said": [s for s in clauses if not s.often],
    }
    parts = [f"{head}:\n{_listed(found)}" for head, found in lists.items() if found]
    if topics:
        cited = "".join(f"[{rank}]" for rank in sorted({s.ranks[0] for s in topics}))
        parts.append(f"{TOPICS}: {', '.join(s.text for s in topics)} {cited}")
    return "\n\n".join(parts)


def _distinct(context: AnswerContext) -> list[_Said]:
    """Return each statement of the answer fields once, in the order of the passages."""
    found: dict[str, _Said] = {}
    for rank, passage in enumerate(context.passages, 1):
        for said in _of_passage(passage, rank, context.answer_fields):
            first = found.setdefault(said.text.casefold(), said)
            if rank not in first.ranks:
                found[said.text.casefold()] = replace(
                    first, ranks=(*first.ranks, rank), often=first.often or said.often
                )
    return list(found.values())


def _of_passage(passage: Passage, rank: int, answer_fields: Sequence[str]) -> Iterator[_Said]:
    replies = [name for name in answer_fields if name in passage.fields]
    for name in replies or list(passage.fields)[-1:]:
        for line in passage.fields[name].splitlines():
            label, _, rest = line.partition(": ")
            text = (rest if label in (OFTEN, TOPICS) else line).strip().rstrip(".")
            is_topic = rest != "" and label == TOPICS
            for part in text.split(", ") if is_topic else [text]:
                if content_stems(part) and not part.endswith("?"):
                    yield _Said(part, (rank,), label == OFTEN, is_topic)


def _values(
    question: str, said: Sequence[_Said], embedder: Embedder | None
) -> Mapping[_Said, float]:
    """Return how near each statement is to the question: a cosine, or the stems that they share."""
    if embedder is None or not said:
        asked = set(content_stems(question))
        near = [float(len(asked.intersection(content_stems(s.text)))) for s in said]
    else:
        vectors = embedder.embed([without_tokens(question), *(s.text for s in said)])
        near = (vectors[1:] @ vectors[0]).tolist()
    return {s: n + _SHARED * (len(s.ranks) - 1) for s, n in zip(said, near, strict=True)}


def _listed(said: Sequence[_Said]) -> str:
    """Return statements as lines of a list, each with its citation."""
    return "\n".join(f"- {s.text[0].upper()}{s.text[1:]} [{s.ranks[0]}]" for s in said)
