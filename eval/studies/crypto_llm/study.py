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
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, write_file
from sage_rag.eval.studies.crypto_llm.arms import ARMS
from sage_rag.eval.studies.crypto_llm.attacks_part import blocks as attack_blocks
from sage_rag.eval.studies.crypto_llm.attacks_part import run_attacks, stored_attacks, stored_keys
from sage_rag.eval.studies.crypto_llm.corpus import read_works
from sage_rag.eval.studies.crypto_llm.curves import curve_plots
from sage_rag.eval.studies.crypto_llm.page import ABOUT, TITLE, blocks
from sage_rag.eval.studies.crypto_llm.results import stored_results
from sage_rag.eval.studies.crypto_llm.settings import FULL, SMALL, StudySettings
from sage_rag.eval.studies.crypto_llm.training_runs import SeedFolder
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page

_SETTINGS = "settings.json"


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
    parser.add_argument("--small", action="store_true", help="fewer texts and a smaller model")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Train what is missing, and return the page of all that the home holds."""
    settings = SMALL if options.small else FULL
    _check_size(run, settings)
    for seed in options.seeds if options.arms else ():
        folder = SeedFolder(run.home / f"seed-{seed}", settings, seed)
        if options.texts is not None:
            folder.texts.write(read_works(options.texts), settings, seed)
        elif not folder.texts.held_out.exists():
            raise InputError("the home folder holds no texts", hint="name them: --texts FOLDER")
        for name in ARMS:
            if name in options.arms:
                folder.run(ARMS[name])
    if options.attacks:
        for seed in options.seeds:
            run_attacks(SeedFolder(run.home / f"seed-{seed}", settings, seed))
    results = list(stored_results(run.home))
    if not results:
        raise InputError("the home folder holds no results", hint="name an arm: --arms cpt")
    plots = curve_plots(results)
    names = {key: f"{options.out.stem}_{key}.svg" for key in plots}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for key, drawing in plots.items():
        options.out.with_name(names[key]).write_text(drawing, "utf-8")
    attacks, keys = stored_attacks(run.home), stored_keys(run.home)
    body = blocks(results, settings, names, [*attack_blocks(attacks, keys)])
    return StudyResult(page(TITLE, ABOUT, run, *body), {"runs": results, "attacks": attacks})


def _check_size(run: StudyRun, settings: StudySettings) -> None:
    file = run.home / _SETTINGS
    own = settings.model_dump_json(indent=1) + "\n"
    if not file.exists():
        write_file(file, own)
        return
    with reading(file):
        if file.read_text("utf-8") != own:
            raise InputError(
                "the home folder holds a study of another size",
                hint="name another --home, or change --small",
            )
