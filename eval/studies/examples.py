"""Show the drafts that rules make of invented records, side by side with the records."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.eval.studies.tables import cell, table
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.recipes import RECIPES

_ABOUT = """\
Every seventh dialogue of the example corpus, all of them invented, and the draft that recipe `sage`
publishes of it with rules, without a model. A placeholder such as `[PERSON_1]` is a token in the
index."""
SHOWN = 10
_FIELDS = ("question", "answer")
_CORPUS = Path(str(files("sage_rag"))) / "examples" / "clinic.jsonl"


def draft_all(home: StudyHome, documents: Sequence[Document], path: Path) -> list[Result]:
    """Return the recipe's result for each document, under one corpus's attributes."""
    corpus = Corpus("examples", path, _FIELDS, tuple(documents), probes=())
    treatment = home.treatment(corpus, Variant(RECIPES["sage"]))

    async def treat_all() -> list[Result]:
        return [await treatment.treat(document) for document in documents]

    return home.wait_for(treat_all())


def _rows(document: Document, result: Result) -> Iterator[list[str]]:
    for name, text in document.fields.items():
        draft = result.fields[name] if result.fields else "*quarantined*"
        yield [f"{document.id}, {name}", *(cell(" ".join(t.split())) for t in (text, draft))]
    likeness = f"ROUGE-L F {result.rouge_l:.2f}, in any order {result.order_free:.2f}"
    measured = f"{likeness}, longest shared run {result.longest_run} words"
    yield ["", "", f"{measured}, rewritten {result.rounds} times"]


def add_options(parser: ArgumentParser) -> None:
    """The study has no options of its own."""


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Treat ten records of the example corpus."""
    documents = list(read_corpus(_CORPUS, _FIELDS))
    chosen = documents[:: len(documents) // SHOWN][:SHOWN]
    results = draft_all(StudyHome(run.home), chosen, _CORPUS)
    report(f"{sum(result.safe for result in results)} of {len(results)} records may be published")
    rows = [row for pair in zip(chosen, results, strict=True) for row in _rows(*pair)]
    drafts = table(("", "original", "draft"), rows)
    return StudyResult(page("Ten records and their drafts", _ABOUT, run, drafts))
