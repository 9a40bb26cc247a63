r"""Measure controlled generation on court cases, with a small model that is trained in the run.

    python -m sage_rag.eval.studies controlled --data FOLDER --home HOME --small --out page.md
    python -m sage_rag.eval.studies controlled --data FOLDER --home HOME --medium --seeds 0 1 2 \
        --out page.md

Every model, text and figure that the home folder holds is used as it is, so the study can be run in
pieces, and a killed run continues. A home belongs to one size: use another folder for each. Without
`--small` or `--medium`, a model of six million parameters reads more. Once the models of a home are
trained, several runs can measure different seeds of it at the same time.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.controlled.arms import arms_of, run_arm
from sage_rag.eval.studies.controlled.corpora import StudyTexts
from sage_rag.eval.studies.controlled.models import SeedModels
from sage_rag.eval.studies.controlled.page import ABOUT, TITLE, blocks
from sage_rag.eval.studies.controlled.recipes_part import GENERATED, RECIPES, run_recipes
from sage_rag.eval.studies.controlled.results import (
    ArmResult,
    arm_results,
    is_stored,
    recipe_results,
    save,
)
from sage_rag.eval.studies.controlled.settings import FULL, MEDIUM, SMALL
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.stored_figures import check_size
from sage_rag.indexer.embedding import CachedEmbedder, embedder_called

PARTS = ("arms", "recipes")


def add_options(parser: ArgumentParser) -> None:
    """Add the study's own options."""
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--part", choices=PARTS, nargs="*", default=list(PARTS), help="what to run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="one run for each")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="few texts and a tiny model")
    size.add_argument("--medium", action="store_true", help="fewer texts and a smaller model")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Run what is missing, and return the page of all that the home holds."""
    settings = SMALL if options.small else MEDIUM if options.medium else FULL
    check_size(run.home, settings)
    embedder = CachedEmbedder(embedder_called())
    mauve = embedder if find_spec("mauve") else None
    if mauve is None:
        report("the extra `mauve` is not installed: MAUVE is left out")
    texts = StudyTexts(options.data, run.home, settings)
    for seed in options.seeds:
        models = SeedModels(run.home / f"seed-{seed}", texts, settings, seed)
        if "arms" in options.part:
            for arm in arms_of(settings):
                if not is_stored(ArmResult, arm.name, models.folder):
                    save(run_arm(arm, models, mauve), models.folder)
        if "recipes" in options.part:
            # Only generated texts depend on the seed.
            names = RECIPES if seed == options.seeds[0] else tuple(GENERATED)
            run_recipes(names, models, embedder, mauve)
    arms, recipes = list(arm_results(run.home)), list(recipe_results(run.home))
    if not arms:
        raise InputError("the home folder holds no results", hint="name a part: --part arms")
    body = blocks(arms, recipes, settings)
    return StudyResult(page(TITLE, ABOUT, run, *body), {"arms": arms, "recipes": recipes})
