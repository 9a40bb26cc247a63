"""Measure what a small model learns from encrypted texts about invented persons.

    python -m sage_rag.eval.studies soe --home FOLDER --small --out soe.md
    python -m sage_rag.eval.studies soe --home FOLDER --part main --seeds 0 1 2 --out soe.md

Every model that the home folder holds complete is used as it is, so the study can be run in pieces,
one part or one seed at a time, and a killed run continues. The page shows what the home holds, of
earlier commands too. A home belongs to one size: use another folder for `--small` or `--large`. A
GPU is used where there is one.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page
from sage_rag.eval.studies.soe.ciphers_part import run_ciphers
from sage_rag.eval.studies.soe.corpora import Population
from sage_rag.eval.studies.soe.leakage_part import run_leakage, stored_leakage
from sage_rag.eval.studies.soe.main_part import run_main
from sage_rag.eval.studies.soe.page import ABOUT, TITLE, blocks
from sage_rag.eval.studies.soe.results import stored_results
from sage_rag.eval.studies.soe.retrieval_part import run_retrieval, stored_retrieval
from sage_rag.eval.studies.soe.settings import FULL, LARGE, SMALL
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.soe.tuples_part import run_tuples
from sage_rag.eval.studies.stored_figures import check_size

PARTS: Mapping[str, Callable[[SeedFolder], None]] = {
    "main": run_main,
    "ciphers": run_ciphers,
    "tuples": run_tuples,
    "retrieval": run_retrieval,
    "leakage": run_leakage,
}
"""What each part trains and measures, for one seed."""


def add_options(parser: ArgumentParser) -> None:
    """Add the study's own options."""
    parser.add_argument(
        "--part", choices=PARTS, nargs="*", default=["main"], help="what to measure"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="one run for each")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--small", action="store_true", help="fewer persons and a smaller model")
    sizes.add_argument("--large", action="store_true", help="20 million parameters, for a GPU")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Train what is missing, and return the page of all that the home holds."""
    settings = SMALL if options.small else LARGE if options.large else FULL
    check_size(run.home, settings)
    for seed in options.seeds:
        folder = SeedFolder(run.home / f"seed-{seed}", Population(settings, seed))
        for part in options.part:
            PARTS[part](folder)
    results = list(stored_results(run.home))
    leakage, retrieval = stored_leakage(run.home), stored_retrieval(run.home)
    if not (results or leakage or retrieval):
        raise InputError("the home folder holds no results", hint="name a part: --part main")
    body = blocks(results, leakage, retrieval, settings)
    figures = {"runs": results, "retrieval": retrieval, "leakage": leakage}
    return StudyResult(page(TITLE, ABOUT, run, *body), figures)
