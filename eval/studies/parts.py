"""Studies of several parts: each is run, timed and stored alone; a page takes all that were run."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from sage_rag.eval.studies.environment import Environment
from sage_rag.eval.studies.runner import StudyRun, report

Figures = Mapping[str, Any]
"""What a part measures: fields of its class, by name."""
_PartT = TypeVar("_PartT", bound="PartRun")


class FrozenModel(BaseModel):
    """Figures that are compared by value and never changed."""

    model_config = ConfigDict(frozen=True)


class PartRun(FrozenModel):
    """What every part of a study says of its run. `seconds`: its wall time."""

    command: str
    environment: Environment
    seconds: float


def add_part_options(parser: ArgumentParser, parts: Iterable[str]) -> None:
    """Add `--data`, `--part` and `--share`."""
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--part", action="append", choices=tuple(parts), help="default: all")
    parser.add_argument("--share", type=float, default=1.0, help="share of each data set, 0 to 1")


def measured_part(
    kind: type[_PartT], measure: Callable[[], Figures], run: StudyRun, **about: str
) -> _PartT:
    """Measure one part. `about`: what else `kind` says of the run."""
    started = time.monotonic()
    figures = measure()
    seconds = round(time.monotonic() - started, 1)
    return kind(
        command=run.command, environment=run.environment, seconds=seconds, **about, **figures
    )


def run_parts(
    names: Iterable[str],
    known: Mapping[str, _PartT],
    order: Iterable[str],
    measure: Callable[[str], _PartT],
) -> Iterator[dict[str, _PartT]]:
    """Run each named part, and yield it with all `known` before and after it, in `order`."""
    found = dict(known)
    for name in names:
        found[name] = measure(name)
        yield {kept: found[kept] for kept in order if kept in found}
        report(f"{name}: done in {found[name].seconds:.0f} s")
