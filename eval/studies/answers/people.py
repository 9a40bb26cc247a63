"""Questions that people typed, read in passages with and without the answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from sage_rag.agents.reading.reader import Reader
from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import rows
from sage_rag.common.proportions import Proportion
from sage_rag.common.sentences import sentence_spans
from sage_rag.eval.studies.tables import share, table
from sage_rag.indexer.protocols import Embedder
from sage_rag.training.platt import LabelledLogits

_TAG = re.compile(r"<[^>]{1,40}>")
_SPACED = re.compile(r"\s+(?=[.,;:!?'])")
_PASSAGE_WORDS = 110
_LOST = (0.05, 0.1)
_VERDICTS = Path(str(files("sage_rag.eval.gold"))) / "typed_passages.jsonl"
"""For the digest of a question and a passage, whether it answers; `null`: arguable."""


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """A question, and passages of its document with whether each answers it."""

    text: str
    passages: tuple[tuple[str, bool], ...]


def people_questions(data: Path, embedder: Embedder) -> list[PeopleQuestion]:
    """Return the questions on long documents of Natural Questions, with two passages at most.

    Of each document, the passage nearest to the question that has the words of the data set's
    answer, and the nearest one that has not; whether each answers was judged by reading them.
    Arguable ones are left out.

    Raises:
        InputError: when a passage has no verdict.
    """
    documents = {
        row["doc_id"]: list(_passages(row["text"]))
        for row in rows(data / "nq_open/leval_nq_docs.jsonl")
    }
    vectors = {name: embedder.embed(passages) for name, passages in documents.items()}
    verdicts = {row["digest"]: row["answers"] for row in rows(_VERDICTS)}
    found: dict[str, PeopleQuestion] = {}
    for row in rows(data / "nq_open/leval_nq_qa.jsonl"):
        question, answer = row["question"], _plain(row["answer"]).casefold()
        passages = documents[row["doc_id"]]
        likeness = vectors[row["doc_id"]] @ embedder.embed([question])[0]
        nearest = [passages[i] for i in np.argsort(-likeness)]
        held = [passage for passage in nearest if answer in passage.casefold()]
        others = [passage for passage in nearest if answer not in passage.casefold()]
        if held and others:
            judged = [(p, _verdict(question, p, verdicts)) for p in (held[0], others[0])]
            kept = tuple((passage, answers) for passage, answers in judged if answers is not None)
            found[question] = PeopleQuestion(question, kept)
    return list(found.values())


def _verdict(question: str, passage: str, verdicts: dict[str, bool | None]) -> bool | None:
    digest = hashlib.sha256(f"{question}\n{passage}".encode()).hexdigest()[:16]
    if digest not in verdicts:
        raise InputError(
            f"{_VERDICTS.name} has no verdict on a passage for `{question}`",
            hint="read it, and add a line with its digest",
        )
    return verdicts[digest]


def people_table(questions: list[PeopleQuestion], reader: Reader, embedder: Embedder) -> str:
    """Return how well the reader, and the embedder, separate passages that answer from others."""
    texts = [[passage for passage, _ in q.passages] for q in questions]
    scores = {
        "reader": [
            [reading.probability for reading in reader.read(q.text, passages)]
            for q, passages in zip(questions, texts, strict=True)
        ],
        "likeness by MiniLM": [
            (embedder.embed(passages) @ embedder.embed([q.text])[0]).tolist() if passages else []
            for q, passages in zip(questions, texts, strict=True)
        ],
    }
    lines = []
    for name, found in scores.items():
        read = [
            (score, answers)
            for q, own in zip(questions, found, strict=True)
            for score, (_, answers) in zip(own, q.passages, strict=True)
        ]
        cases = LabelledLogits(np.array([s for s, _ in read]), np.array([a for _, a in read]))
        right = [
            own[0] > own[1] if q.passages[0][1] else own[1] > own[0]
            for q, own in zip(questions, found, strict=True)
            if {answers for _, answers in q.passages} == {True, False}
        ]
        area, *refused = (f"{x:.2f}" for x in (cases.area, *map(cases.refused, _LOST)))
        lines.append([name, area, *refused, share(Proportion.of(sum(right), len(right)))])
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
