"""Measure retrieval: nDCG@10, MRR, hits, agreement and known items, by corpus, recipe and reranker.

    --data FOLDER --home /tmp/study [--set quality] [--reranker off --reranker late-interaction]

Settings are chosen on every second question (`--chosen`); the page reports the others. The home
folder keeps indexes, spans and vectors, and the scores of sets that are not measured again.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from sage_rag.common.files import write_file
from sage_rag.eval.studies.retrieval.measurer import SearchMeasurer
from sage_rag.eval.studies.retrieval.page import markdown
from sage_rag.eval.studies.retrieval.results import SearchScores
from sage_rag.eval.studies.retrieval.sets import SETS, load_set
from sage_rag.eval.studies.runner import StudyResult, StudyRun, report
from sage_rag.eval.studies.study_home import StudyHome, Variant
from sage_rag.indexer.recipes import RECIPES
from sage_rag.rag_server.reranking import OFF

_RECIPES = ("origin", "encrypted", "sage")


def add_options(parser: ArgumentParser) -> None:
    """Add the data, and what is measured."""
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--set", action="append", choices=SETS, help="may be repeated; default all")
    parser.add_argument("--recipe", action="append", choices=_RECIPES, help="may be repeated")
    parser.add_argument("--reranker", action="append", help="may be repeated; default off")
    parser.add_argument("--share", type=float, default=1.0, help="share of the records")
    parser.add_argument(
        "--chosen", action="store_true", help="score the questions that choose settings"
    )


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure the sets, and write the page of these and of those measured before."""
    home = StudyHome(run.home)
    is_whole = not options.chosen and options.share == 1.0  # a page does not mix them with others
    scores = _stored(run.home) if is_whole else {}
    for name in options.set or SETS:
        questions = load_set(name, options.data, run.home, options.share)
        measurer = SearchMeasurer(home, questions, chosen=options.chosen)
        for recipe in dict.fromkeys(["origin", *(options.recipe or _RECIPES)]):
            indexed = home.index(questions.corpus, Variant(RECIPES[recipe]))
            for reranker in dict.fromkeys([OFF, *(options.reranker or ())]):
                found = measurer.measure(indexed, reranker)
                scores[f"{name} {recipe} {reranker}"] = found
                report(f"{name} {recipe} {reranker}: nDCG {found.ndcg.value}")
        if is_whole:
            _store(run.home, scores)
    order = [s for name in SETS for s in scores.values() if s.corpus == name]
    return StudyResult(markdown(order, run), order)


def _stored(home: Path) -> dict[str, SearchScores]:
    file = home / "searches.json"
    found = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return {key: SearchScores.model_validate(scores) for key, scores in found.items()}


def _store(home: Path, scores: dict[str, SearchScores]) -> None:
    found = {key: score.model_dump() for key, score in scores.items()}
    write_file(home / "searches.json", json.dumps(found, indent=1))
