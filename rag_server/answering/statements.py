"""Answers from consensus passages: what several subjects say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sage_rag.indexer.embedding import cosines
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.gate.labels import (
    ADVISED,
    CAUSES,
    OFTEN,
    POSSIBLE,
    TOPICS,
    labelled_statements,
)
from sage_rag.rag_server.answering.protocols import AnswerContext
from sage_rag.rag_server.answering.sentences import content_stems
from sage_rag.rag_server.retrieval import without_tokens

_MOST = 6
"""Clauses of an answer."""
_MOST_LISTED = {POSSIBLE: 2, CAUSES: 2, ADVISED: 8, TOPICS: 8}
_LEADS = {POSSIBLE: "It may be", CAUSES: "It may be due to"}
"""What begins the sentence of a list where the passages have no words of their own for it."""
_NOVEL = 0.5
"""The least share of a statement's content words that the answer does not have yet."""
_SHARED = 0.05
"""What each further passage that has a statement adds to its cosine."""
_RANK = 0.01
"""What each passage before the first that has a statement takes from its cosine. Chosen, with the
share and the limits above, on splits of the indexed records of the published figures."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement of passages. `ranks`: of those that have it, from 1."""

    text: str
    ranks: tuple[int, ...]
    label: str
    lead: str


def often_said(context: AnswerContext, embedder: Embedder | None) -> str:
    """Return the statements of the passages that are nearest to the question; empty without.

    What k subjects call possible, or a cause, comes first: a sentence, in the words with which most
    records say so. Clauses of most subjects are a list under `Often said:`, those of at least k
    under `Also said:`; a clause is a line, for joined in one sentence they have the vector of none.
    Then what k subjects advise, and after `Topics:` the words that only name a matter. Each list
    begins with what is nearest to the question, and repeats little.
    """
    said = _distinct(context)
    values = _values(context.standalone or context.question, said, embedder)
    said.sort(key=lambda s: -values[s])
    known: set[str] = set()
    clauses = _novel((s for s in said if s.label not in _MOST_LISTED), _MOST, known)
    often = [s for s in clauses if s.label == OFTEN]
    also = [s for s in clauses if s.label != OFTEN]
    parts = {"often": _lines("Often said", often), "also": _lines("Also said", also)}
    for label, most in _MOST_LISTED.items():
        found = [s for s in said if s.label == label]
        lead = max((s.lead for s in found), key=len, default="") or _LEADS.get(label, "")
        parts[label] = _list(label, lead, _novel(found, most, known))
    order = (POSSIBLE, CAUSES, "often", "also", ADVISED, TOPICS)
    return "\n\n".join(parts[name] for name in order if parts[name])


def _novel(said: Iterable[_Said], most: int, known: set[str]) -> list[_Said]:
    """Return the first statements of which at least half is new; their words are then `known`."""
    chosen: list[_Said] = []
    for statement in said:
        stems = set(content_stems(statement.text))
        if len(chosen) < most and len(stems - known) >= _NOVEL * len(stems):
            chosen.append(statement)
            known |= stems
    return chosen


def _distinct(context: AnswerContext) -> list[_Said]:
    """Return each statement of the answer fields once, in the order of the passages."""
    found: dict[str, _Said] = {}
    for rank, passage in enumerate(context.passages, 1):
        for said in _of_passage(passage, rank, context.answer_fields):
            first = found.setdefault(said.text.casefold(), said)
            if rank not in first.ranks:
                label = OFTEN if OFTEN in (first.label, said.label) else first.label
                found[said.text.casefold()] = replace(
                    first, ranks=(*first.ranks, rank), label=label
                )
    return list(found.values())


def _of_passage(passage: Passage, rank: int, answer_fields: Sequence[str]) -> Iterator[_Said]:
    replies = [name for name in answer_fields if name in passage.fields]
    for name in replies or list(passage.fields)[-1:]:
        for found in labelled_statements(passage.fields[name]):
            if content_stems(found.text) and not found.text.endswith("?"):
                yield _Said(found.text, (rank,), found.label, found.lead)


def _values(
    question: str, said: Sequence[_Said], embedder: Embedder | None
) -> Mapping[_Said, float]:
    """Return how near each statement is to the question: a cosine, or the stems that they share."""
    if embedder is None or not said:
        asked = set(content_stems(question))
        near = [float(len(asked.intersection(content_stems(s.text)))) for s in said]
    else:
        (row,) = cosines(embedder, [without_tokens(question)], [s.text for s in said])
        near = row.tolist()
    return {
        s: n + _SHARED * (len(s.ranks) - 1) - _RANK * (s.ranks[0] - 1)
        for s, n in zip(said, near, strict=True)
    }


def _lines(head: str, said: Sequence[_Said]) -> str:
    """Return statements as lines of a list, each with its citation; empty without any."""
    lines = [f"- {s.text[0].upper()}{s.text[1:]} [{s.ranks[0]}]" for s in said]
    return "\n".join([f"{head}:", *lines]) if lines else ""


def _list(label: str, lead: str, said: Sequence[_Said]) -> str:
    """Return statements in one line, with the citations of all; a sentence, if there is a lead.

    Empty without any.
    """
    if not said:
        return ""
    cited = "".join(f"[{rank}]" for rank in sorted({s.ranks[0] for s in said}))
    *others, last = [s.text for s in said]
    if not lead:
        return f"{label}: {', '.join([*others, last])} {cited}"
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"{lead} {listed}. {cited}"
