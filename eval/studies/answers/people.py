"""Questions that people typed, read in passages with and without the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sage_rag.agents.reading.reader import Reader
from sage_rag.common.jsonl import rows
from sage_rag.common.sentences import sentence_spans
from sage_rag.eval.studies.tables import table
from sage_rag.indexer.protocols import Embedder
from sage_rag.training.platt import LabelledLogits

_TAG = re.compile(r"<[^>]{1,40}>")
_SPACED = re.compile(r"\s+(?=[.,;:!?'])")
_PASSAGE_WORDS = 110
_LOST = (0.05, 0.1)


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """A question, the passage of its document nearest to it that has the answer, and the nearest
    one that has not."""

    text: str
    answering: str
    other: str


def people_questions(data: Path, embedder: Embedder) -> list[PeopleQuestion]:
    """Return the questions on long documents of Natural Questions whose answer is in a passage."""
    documents = {
        row["doc_id"]: list(_passages(row["text"]))
        for row in rows(data / "nq_open/leval_nq_docs.jsonl")
    }
    vectors = {name: embedder.embed(passages) for name, passages in documents.items()}
    found = []
    for row in rows(data / "nq_open/leval_nq_qa.jsonl"):
        passages, answer = documents[row["doc_id"]], _plain(row["answer"]).casefold()
        likeness = vectors[row["doc_id"]] @ embedder.embed([row["question"]])[0]
        nearest = [passages[i] for i in np.argsort(-likeness)]
        held = [passage for passage in nearest if answer in passage.casefold()]
        others = [passage for passage in nearest if answer not in passage.casefold()]
        if held and others:
            found.append(PeopleQuestion(row["question"], held[0], others[0]))
    return found


def people_table(questions: list[PeopleQuestion], reader: Reader, embedder: Embedder) -> str:
    """Return how well the reader, and the embedder, separate the two passages of the questions."""
    read = [reader.read(q.text, [q.answering, q.other]) for q in questions]
    likeness = [
        (embedder.embed([q.answering, q.other]) @ embedder.embed([q.text])[0]).tolist()
        for q in questions
    ]
    scores = {
        "reader": [[reading.probability for reading in pair] for pair in read],
        "likeness by MiniLM": likeness,
    }
    lines = []
    for name, pairs in scores.items():
        answering, others = np.array(pairs).T
        has_answer = np.repeat([True, False], len(pairs))
        cases = LabelledLogits(np.concatenate([answering, others]), has_answer)
        shares = [cases.area, *map(cases.refused, _LOST), float(np.mean(answering > others))]
        lines.append([name, *(f"{share:.2f}" for share in shares)])
    columns = ("by", "area", "refused at 5 %", "refused at 10 %", "right passage of the two")
    return table(columns, lines)


def _passages(text: str) -> Iterator[str]:
    """Yield passages of whole sentences."""
    plain = _plain(text)
    kept: list[str] = []
    for start, end in sentence_spans(plain):
        kept.append(plain[start:end])
        if sum(len(sentence.split()) for sentence in kept) >= _PASSAGE_WORDS:
            yield " ".join(kept)
            kept = []
    if kept:
        yield " ".join(kept)


def _plain(text: str) -> str:
    return _SPACED.sub("", " ".join(_TAG.sub(" ", text).replace("``", '"').split()))
