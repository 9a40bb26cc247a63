"""Show what rules make of invented records, side by side.

    python -m sage_rag.eval.studies.examples --out docs/results/examples.md

# Ten records and their drafts

Every seventh dialogue of the example corpus, all of them invented, and what recipe `sage` publishes
of it with rules, no model. A placeholder such as `[PERSON_1]` is a token in the index.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import SageRagError
from sage_rag.eval.studies.bench import StudyHome, Variant
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.environment import environment
from sage_rag.indexer.corpus import Document, read_corpus
from sage_rag.indexer.job import treatment_of
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.recipes import RECIPES

COMMAND = "python -m sage_rag.eval.studies.examples --out docs/results/examples.md"
SHOWN = 10
_FIELDS = ("question", "answer")
_CORPUS = Path(__file__).parents[2] / "examples" / "clinic.jsonl"


def drafted(bench: StudyHome, documents: Sequence[Document], path: Path) -> list[Result]:
    """Return what the recipe makes of each document, under one corpus's attributes."""
    corpus = Corpus("examples", path, _FIELDS, tuple(documents), probes=())
    job = bench.job(corpus, Variant(RECIPES["sage"]))
    treatment = treatment_of(job)
    if treatment is None:
        raise ValueError("recipe sage protects")
    treatment.attributes = bench.attributes(corpus, job)

    async def treat_all() -> list[Result]:
        return [await treatment.treat(document) for document in documents]

    return bench.wait_for(treat_all())


def markdown(documents: Sequence[Document], results: Sequence[Result]) -> str:
    """Return the page."""
    here = environment()
    about = (__doc__ or "").split("\n\n", 2)[2].strip()
    rows = [row for pair in zip(documents, results, strict=True) for row in _rows(*pair)]
    table = "\n".join(["| | original | draft |", "| --- | --- | --- |", *rows])
    return f"{about}\n\n```\n{COMMAND}\n```\n\nCommit {here.commit}, {here.date}.\n\n{table}\n"


def _rows(document: Document, result: Result) -> Iterator[str]:
    for name, text in document.fields.items():
        draft = result.fields[name] if result.fields else "*quarantined*"
        yield f"| {document.id}, {name} | {_cell(text)} | {_cell(draft)} |"
    measured = f"ROUGE-L F {result.rouge_l:.2f}, longest shared run {result.longest_run} words"
    yield f"| | | {measured}, rewritten {result.rounds} times |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(out: Annotated[Path, typer.Option(help="Markdown to write.")]) -> None:
    """Treat ten records of the example corpus and write the page."""
    documents = list(read_corpus(_CORPUS, _FIELDS))
    chosen = documents[:: len(documents) // SHOWN][:SHOWN]
    with tempfile.TemporaryDirectory() as home:
        results = drafted(StudyHome(Path(home)), chosen, _CORPUS)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(chosen, results), "utf-8")
    safe = sum(result.safe for result in results)
    typer.echo(f"{safe} of {len(results)} records may be published")


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
