"""Tasks of lm-evaluation-harness on a model in a folder.

Source: Kobashi et al., Crypto-LLM, §4.3 and Table 3, which measures seven tasks with it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError, extra
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.tables import NO_FIGURE, table
from sage_rag.training.pretraining.trained_model import load_causal

PAPER_TASKS = {
    "hellaswag": (0.265, 0.300, 0.250),
    "openbookqa": (0.134, 0.210, 0.250),
    "winogrande": (0.492, 0.494, 0.500),
    "arc_challenge": (0.173, 0.217, 0.250),
    "arc_easy": (0.365, 0.531, 0.250),
    "boolq": (0.449, 0.618, 0.500),
    "piqa": (0.561, 0.629, 0.500),
}
"""Accuracy of Plain-LLM CPT, of Plain-LLM PT+CPT, and of a guess. Source: Table 3."""
_TITLES = (
    "task", "metric", "value (95 %)", "examples", "paper, Plain-LLM CPT",
    "paper, Plain-LLM PT+CPT", "paper, chance",
)  # fmt: skip
_NORMAL_95 = 1.96
_SHARES = ("acc", "acc_norm", "exact_match")
"""Metrics that are shares of the examples; a normal interval of 0 or 1 of them has no width."""
_RESAMPLES = 1000
_STDERR = "_stderr"


class TaskFigure(BaseModel):
    """One metric of one task. `standard_error`: over the examples, where the harness has one."""

    model_config = ConfigDict(frozen=True)
    task: str
    metric: str
    value: float
    standard_error: float | None
    examples: int


class TaskReport(BaseModel):
    """The figures of a model, by task and metric."""

    model_config = ConfigDict(frozen=True)
    model: str
    harness: str
    figures: tuple[TaskFigure, ...]

    def __str__(self) -> str:
        return table(_TITLES, (_row(figure) for figure in self.figures))


def _row(figure: TaskFigure) -> Iterator[object]:
    yield figure.task
    yield figure.metric
    low, high = _interval(figure)
    yield f"{figure.value:.3f}" + ("" if low is None else f" ({low:.3f}–{high:.3f})")
    yield figure.examples
    paper = PAPER_TASKS.get(figure.task) if figure.metric == "acc" else None
    yield from (f"{value:.3f}" for value in paper) if paper else (NO_FIGURE,) * 3


def _interval(figure: TaskFigure) -> tuple[float, float] | tuple[None, None]:
    """Return the 95 % interval: exact for a share of examples, else from the standard error."""
    if figure.metric.partition(" ")[0] in _SHARES and figure.examples:
        found = Proportion.of(round(figure.value * figure.examples), figure.examples)
        return found.low, found.high
    if figure.standard_error is None:
        return None, None
    margin = _NORMAL_95 * figure.standard_error
    return figure.value - margin, figure.value + margin


def measure_tasks(
    folder: Path,
    names: Sequence[str],
    *,
    definitions: Path | None = None,
    limit: int | None = None,
) -> TaskReport:
    """Measure a model on tasks; all data are read before the first example is asked.

    `definitions`: a folder of task files of your own (the harness's YAML, whose functions are run),
    instead of the harness's. `limit`: examples of each task.

    Raises:
        MissingExtraError: without the extra `lm-eval`.
        InputError: for a folder without a model, an unknown task, or data that are not at hand.
    """
    if definitions is not None and not definitions.is_dir():
        raise InputError(f"`{definitions}` is not a folder of task files")
    model, tokenizer = load_causal(folder)
    with extra("lm-eval", needed_by="eval tasks"):
        import lm_eval
        from lm_eval.models.huggingface import HFLM
        from lm_eval.tasks import TaskManager
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    manager = TaskManager(
        include_path=None if definitions is None else str(definitions),
        include_defaults=definitions is None,
    )
    for name in names:
        _check_data(manager, name)
    asked = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=8)
    found = lm_eval.simple_evaluate(
        model=asked,
        tasks=list(names),
        task_manager=manager,
        limit=limit,
        bootstrap_iters=_RESAMPLES,
        log_samples=False,
    )
    return TaskReport(
        model=folder.name, harness=lm_eval.__version__, figures=tuple(_figures(found or {}))
    )


def _check_data(manager: Any, name: str) -> None:
    """Read the data of a task.

    Raises:
        InputError: for a task that is not known, or whose data cannot be read.
    """
    if name not in manager.all_tasks:
        raise InputError(f"`{name}` is no task of the harness", hint="lm_eval ls tasks")
    try:
        manager.load([name])
    except (OSError, ValueError) as error:  # of datasets: absent, damaged or of another form
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"the data of task `{name}` are not at hand: {reason}",
            hint="--download on a machine with network, or --definitions FOLDER for local data",
        ) from None


def _figures(found: Mapping[str, Any]) -> Iterator[TaskFigure]:
    """Yield each metric of the harness's result; it names them `metric,filter`."""
    for task, figures in found.get("results", {}).items():
        examples = found["n-samples"].get(task, {}).get("effective", 0)
        for key, value in figures.items():
            metric, _, kind = key.partition(",")
            if not kind or metric.endswith(_STDERR) or not isinstance(value, float | int):
                continue
            error = figures.get(f"{metric}{_STDERR},{kind}")
            yield TaskFigure(
                task=task,
                metric=metric if kind == "none" else f"{metric} ({kind})",
                value=float(value),
                standard_error=float(error) if isinstance(error, float | int) else None,
                examples=examples,
            )
