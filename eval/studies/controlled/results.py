"""The figures of the study, as they are stored in its home and read for its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, write_file
from sage_rag.eval.synthetic_text.leakage import Leakage
from sage_rag.eval.synthetic_text.report import TextReport
from sage_rag.training.controlled.codes import Identifiers

_RESULTS = "results"
_T = TypeVar("_T", bound=BaseModel)


class Excerpt(BaseModel):
    """The beginning of a sample, and the likeness of the whole to its nearest source."""

    model_config = ConfigDict(frozen=True)
    text: str
    rouge_l: float


class ArmResult(BaseModel):
    """One arm: its texts against all training cases (`report`), and against its own examples.

    `rouge_2`, `rouge_l`: as the paper measures the arm, against examples or training cases.
    `again`: attempts after the first ones. Texts that were dropped are in `samples` alone.
    """

    model_config = ConfigDict(frozen=True)
    name: str
    title: str
    known: bool
    seed: int
    samples: int
    again: int
    report: TextReport
    of_examples: Mapping[Identifiers, Leakage] | None
    rouge_2: float
    rouge_l: float
    excerpts: tuple[Excerpt, ...] = ()

    def as_in_the_paper(self, kind: Identifiers) -> Leakage:
        """Return PIPP and ELP by the paper's definition for the arm."""
        return (self.of_examples or self.report.leakage)[kind]


class RecipeResult(BaseModel):
    """The passages of an index of the same pieces, or of texts that were generated from them."""

    model_config = ConfigDict(frozen=True)
    name: str
    seed: int
    published: int
    records: int
    report: TextReport


def save(result: ArmResult | RecipeResult, folder: Path) -> None:
    """Write a result to the folder of its seed."""
    place = folder / _RESULTS / type(result).__name__
    place.mkdir(parents=True, exist_ok=True)
    write_file(place / f"{result.name}.json", result.model_dump_json(indent=1) + "\n")


def is_stored(kind: type[BaseModel], name: str, folder: Path) -> bool:
    """Return whether a result exists."""
    return (folder / _RESULTS / kind.__name__ / f"{name}.json").exists()


def arm_results(home: Path) -> Iterator[ArmResult]:
    """Yield the results of arms of all seeds."""
    for path in sorted(home.glob(f"seed-*/{_RESULTS}/ArmResult/*.json")):
        yield _read(ArmResult, path)


def recipe_results(home: Path) -> Iterator[RecipeResult]:
    """Yield the results of recipes of all seeds."""
    for path in sorted(home.glob(f"seed-*/{_RESULTS}/RecipeResult/*.json")):
        yield _read(RecipeResult, path)


def _read(kind: type[_T], path: Path) -> _T:
    try:
        with reading(path):
            return kind.model_validate_json(path.read_text("utf-8"))
    except ValidationError:
        raise InputError(
            f"`{path}` is not a result of this version of the study",
            hint="delete it; the next run measures again",
        ) from None
