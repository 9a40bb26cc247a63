"""Measure what pretraining on ciphertext teaches a small model about plain text.

    python -m sage_rag.eval.studies crypto_llm --texts FOLDER --home HOME --small --out page.md
    python -m sage_rag.eval.studies crypto_llm --texts FOLDER --home HOME --seeds 0 1 --out page.md

`--texts` are JSON lines with the fields `author` and `text`. Every arm that the home folder holds
complete is used as it is, so the study can be run in pieces, one arm or one seed at a time, and a
killed run continues. The page shows what the home holds, of earlier commands too. A home belongs to
one size: use another folder for `--small`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Collection
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies.crypto_llm.arms import ARMS, ATTACKED
from sage_rag.eval.studies.crypto_llm.attacks_part import (
    REPEATED,
    Attacks,
    run_attacks,
    run_key_recovery,
    stored_attacks,
    stored_keys,
)
from sage_rag.eval.studies.crypto_llm.corpus import read_works
from sage_rag.eval.studies.crypto_llm.curves import curve_plots
from sage_rag.eval.studies.crypto_llm.page import ABOUT, TITLE, blocks
from sage_rag.eval.studies.crypto_llm.results import stored_results
from sage_rag.eval.studies.crypto_llm.settings import FULL, SMALL, StudySettings, repeated
from sage_rag.eval.studies.crypto_llm.training_runs import SeedFolder
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page
from sage_rag.eval.studies.stored_figures import check_size


def add_options(parser: ArgumentParser) -> None:
    """Add the study's own options."""
    parser.add_argument(
        "--texts", type=Path, nargs="+", help="files of texts, or folders of them; for new arms"
    )
    parser.add_argument(
        "--arms", choices=ARMS, nargs="*", default=list(ARMS), help="models to train; none: page"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="one run for each")
    parser.add_argument("--attacks", action="store_true", help="attack the trained models, too")
    parser.add_argument(
        "--repeated",
        action="store_true",
        help="also train small models that read some records very often, and attack them",
    )
    parser.add_argument("--small", action="store_true", help="fewer texts and a smaller model")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Train what is missing, and return the page of all that the home holds."""
    settings = SMALL if options.small else FULL
    check_size(run.home, settings)
    for number in options.seeds:
        seed = SeedFolder(run.home / f"seed-{number}", settings, number)
        _train(seed, options)
        if options.attacks:
            run_attacks(seed)
            run_key_recovery(seed)
        if options.repeated:
            part = SeedFolder(seed.folder / REPEATED, repeated(settings), number)
            _train(part, options, {arm.name for arm in ATTACKED})
            run_attacks(part)
    return _page(options, run, settings)


def _train(seed: SeedFolder, options: Namespace, among: Collection[str] = ARMS) -> None:
    """Train the arms that the options name."""
    names = [name for name in ARMS if name in options.arms and name in among]
    if not names:
        return
    if options.texts is not None:
        seed.texts.write(read_works(options.texts), seed.settings, seed.seed)
    elif not seed.texts.held_out.exists():
        raise InputError("the home folder holds no texts", hint="name them: --texts FOLDER")
    for name in names:
        seed.run(ARMS[name])


def _page(options: Namespace, run: StudyRun, settings: StudySettings) -> StudyResult:
    results = list(stored_results(run.home))
    if not results:
        raise InputError("the home folder holds no results", hint="name an arm: --arms cpt")
    plots = curve_plots(results)
    names = {key: f"{options.out.stem}_{key}.svg" for key in plots}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for key, drawing in plots.items():
        options.out.with_name(names[key]).write_text(drawing, "utf-8")
    attacks = Attacks(
        stored_attacks(run.home), stored_attacks(run.home, REPEATED), stored_keys(run.home)
    )
    body = blocks(results, settings, names, attacks)
    figures = {"runs": results, "attacks": attacks.models, "repeated": attacks.repeated}
    return StudyResult(page(TITLE, ABOUT, run, *body), figures)
