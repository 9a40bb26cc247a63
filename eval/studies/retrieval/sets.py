"""The question sets of the study of retrieval: records to index, and which of them each asks for.

| set | records | question | relevant |
| --- | --- | --- | --- |
| nq_open | passages of 21 Wikipedia documents | asked of a search engine | those with the answer |
| quality, squality | passages of stories | asked by readers | passages of the story |
| healthcaremagic, chatdoctor | dialogues | six words of a record, in order | the record |
| tab | judgments, long ones in pieces | the applicant, six words of a later piece | the piece |

The dialogues have no judged questions. Held-out questions of the same kind count for agreement with
the plain index alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sage_rag.agents.lexicon import WORD, lexicon
from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import Row, rows
from sage_rag.eval.studies.corpora import (
    DIALOGUE_FIELDS,
    Corpus,
    divided_dialogues,
    first_records,
    half,
    write_records,
)
from sage_rag.indexer.chunking import chunk_spans
from sage_rag.indexer.corpus import CHUNK_CHARS

_DIALOGUES = 300
_STORIES = 15
_OTHERS_PER_DOCUMENT = 12
"""Passages without an answer that are indexed of each Wikipedia document."""
_MOST_RELEVANT = 8
"""Answers such as "13" are in many passages that do not answer the question: those questions count
for agreement alone."""
_SHORT_QUERY_WORDS = 6


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A question; `relevant` are the ids of the passages that it asks for, empty if not judged."""

    text: str = field(repr=False)
    relevant: frozenset[str] = frozenset()


@dataclass(frozen=True)
class QuerySet:
    """A corpus to index, with questions, and with records that are searched by half of their text.

    `known` holds one relevant record per query.
    """

    corpus: Corpus
    queries: tuple[JudgedQuery, ...] = field(repr=False)
    known: tuple[JudgedQuery, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The name of the set."""
        return self.corpus.name


def load_set(name: str, data: Path, home: Path, share: float = 1.0) -> QuerySet:
    """Read a set from the folder of data sets, and write the file to index to `home`.

    `share`: the share of the study's records to use.

    Raises:
        InputError: for an unknown name, or a missing file.
    """
    if name not in SETS:
        raise InputError(f"no question set is called `{name}`", hint=f"one of: {', '.join(SETS)}")
    return SETS[name](data, home / f"retrieval-{name}.jsonl", share)


def halves(queries: Sequence[JudgedQuery]) -> tuple[list[JudgedQuery], list[JudgedQuery]]:
    """Return the queries that choose settings, and the others, which are reported."""
    return list(queries[::2]), list(queries[1::2])


def short_query(text: str, words: int = _SHORT_QUERY_WORDS) -> str:
    """Return content words of a text at equal distances, in their order, as a short query."""
    stop = lexicon().stop_words
    found = WORD.findall(text)
    content = list(dict.fromkeys(w for w in found if len(w) > 1 and w.casefold() not in stop))
    step = max(1, len(content) // words)
    return " ".join(content[step // 2 :: step][:words])


def _dialogues(name: str, file: str, data: Path, path: Path, share: float) -> QuerySet:
    indexed, others = divided_dialogues(data / file, share * _DIALOGUES)
    held_out = [JudgedQuery(record["question"]) for record in others]
    short = [JudgedQuery(short_query(r["question"]), frozenset({str(r["id"])})) for r in indexed]
    return _query_set(name, path, indexed, DIALOGUE_FIELDS, [*short[::2], *held_out])


def _healthcaremagic(data: Path, path: Path, share: float) -> QuerySet:
    return _dialogues("healthcaremagic", "healthcaremagic/qa.jsonl", data, path, share)


def _chatdoctor(data: Path, path: Path, share: float) -> QuerySet:
    return _dialogues("chatdoctor", "chatdoctor/genmedgpt_5k.jsonl", data, path, share)


def _nq_open(data: Path, path: Path, share: float) -> QuerySet:
    asked: dict[str, list[Row]] = defaultdict(list)
    for row in rows(data / "nq_open/leval_nq_qa.jsonl"):
        asked[row["doc_id"]].append(row)
    documents = {r["doc_id"]: r["text"] for r in rows(data / "nq_open/leval_nq_docs.jsonl")}
    chosen = list(documents)[: max(1, round(share * len(documents)))]
    records: list[Row] = []
    queries: list[JudgedQuery] = []
    for document in chosen:
        found, own = _with_answers(document, documents[document], asked[document])
        records += found
        queries += own
    return _query_set("nq_open", path, records, ("text",), queries)


def _with_answers(
    document: str, text: str, questions: Sequence[Row]
) -> tuple[list[Row], list[JudgedQuery]]:
    """Return passages with answers and some without, and the questions."""
    pieces = {
        f"{document}#{number}": text[start:end]
        for number, (start, end) in enumerate(chunk_spans(text, CHUNK_CHARS), 1)
    }
    queries = []
    kept = set(list(pieces)[:_OTHERS_PER_DOCUMENT])
    for row in questions:
        holders = frozenset(name for name, piece in pieces.items() if row["answer"] in piece)
        judged = holders if len(holders) <= _MOST_RELEVANT else frozenset()
        queries.append(JudgedQuery(row["question"], judged))
        kept |= judged
    return [{"id": name, "text": pieces[name]} for name in pieces if name in kept], queries


def _stories(
    name: str, path: Path, stories: Sequence[Row], asked: Sequence[tuple[str, str]]
) -> QuerySet:
    """Return a set of stories. A question of two stories, "What is the plot?", is left out."""
    times = Counter(question for _, question in asked)
    documents = write_records(path, stories, ("text",))
    pieces: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        pieces[document.id.partition("#")[0]].add(document.id)
    queries = [
        JudgedQuery(question, frozenset(pieces[story]))
        for story, question in asked
        if times[question] == 1
    ]
    return _query_set(name, path, stories, ("text",), queries)


def _quality(data: Path, path: Path, share: float) -> QuerySet:
    found = first_records(data / "quality/articles.jsonl", share * _STORIES)
    stories = [{"id": r["article_id"], "text": r["text"]} for r in found]
    known = {story["id"] for story in stories}
    questions = rows(data / "quality/questions.jsonl")
    asked = [(r["article_id"], r["question"]) for r in questions if r["article_id"] in known]
    return _stories("quality", path, stories, asked)


def _squality(data: Path, path: Path, share: float) -> QuerySet:
    found = first_records(data / "squality/dev.jsonl", share * _STORIES)
    stories = [{"id": r["passage_id"], "text": r["text"]} for r in found]
    asked = [(r["passage_id"], q["question"]) for r in found for q in r["questions"]]
    return _stories("squality", path, stories, asked)


def _tab(data: Path, path: Path, share: float) -> QuerySet:
    """Return the judgments. A later piece seldom names the applicant, whom users ask about."""
    found = {r["doc_id"]: r for r in rows(data / "tab_echr_english/tab.jsonl")}
    chosen = list(found.values())[: max(2, round(share * len(found)))]
    records = [{"id": r["doc_id"], "text": r["text"]} for r in chosen]
    later = [d for d in write_records(path, records, ("text",)) if d.piece_of]
    queries = [
        JudgedQuery(f"{found[d.piece_of]['applicant']} {short_query(d.text)}", frozenset({d.id}))
        for d in later
        if not d.id.endswith("#1")
    ]
    return _query_set("tab", path, records, ("text",), queries)


SETS: Mapping[str, Callable[[Path, Path, float], QuerySet]] = {
    "nq_open": _nq_open,
    "quality": _quality,
    "squality": _squality,
    "healthcaremagic": _healthcaremagic,
    "chatdoctor": _chatdoctor,
    "tab": _tab,
}


def _query_set(
    name: str,
    path: Path,
    records: Sequence[Row],
    fields: tuple[str, ...],
    queries: Sequence[JudgedQuery],
) -> QuerySet:
    documents = write_records(path, records, fields)
    known = [
        JudgedQuery(half(next(iter(d.fields.values()))), frozenset({d.id}))
        for d in documents[:: max(1, len(documents) // 60)]
    ]
    corpus = Corpus(name, path, fields, documents, ())
    return QuerySet(corpus, tuple(queries), tuple(known))
