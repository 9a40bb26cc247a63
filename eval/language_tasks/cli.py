"""`sage-rag eval tasks`: public benchmarks of a trained model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.eval.printing import print_figures


def tasks(
    checkpoint: Annotated[Path, typer.Argument(help="Folder of the exported model.")],
    task: Annotated[
        list[str] | None,
        typer.Option(help="Name of a task; more than once. Default: the paper's seven."),
    ] = None,
    definitions: Annotated[
        Path | None,
        typer.Option(help="Folder of task files (YAML) of your own. Their functions are run."),
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch data that this machine lacks.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Examples of each task.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for stdout.")
    ] = None,
) -> None:
    """Measure a model on tasks of lm-evaluation-harness, next to Crypto-LLM's Table 3.

    Nothing is fetched without --download: a task whose data are absent is an error of one line.

    Example: sage-rag eval tasks run/second/model --task piqa --task arc_easy
    """
    from sage_rag.eval.language_tasks.tasks import PAPER_TASKS, measure_tasks

    if not download:  # Hugging Face's libraries read these when they are imported
        os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    names = task or list(PAPER_TASKS)
    report = measure_tasks(checkpoint, names, definitions=definitions, limit=limit)
    print_figures(report, str(report), json_file)
