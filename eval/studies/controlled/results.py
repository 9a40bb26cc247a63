"""The figures of the study, as they are stored in its home and read for its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sage_rag.eval.report import AttackReport
from sage_rag.eval.studies.stored_figures import all_stored, store
from sage_rag.eval.synthetic_text.leakage import Leakage
from sage_rag.eval.synthetic_text.report import TextReport
from sage_rag.training.controlled.codes import Identifiers

_RESULTS = "results"


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
    attack: AttackReport
    report: TextReport


def save(result: ArmResult | RecipeResult, folder: Path) -> None:
    """Write a result to the folder of its seed."""
    store(result, folder / _RESULTS / type(result).__name__ / f"{result.name}.json")


def is_stored(kind: type[BaseModel], name: str, folder: Path) -> bool:
    """Return whether a result exists."""
    return (folder / _RESULTS / kind.__name__ / f"{name}.json").exists()


def arm_results(home: Path) -> Iterator[ArmResult]:
    """Yield the results of arms of all seeds."""
    return all_stored(ArmResult, home, f"seed-*/{_RESULTS}/ArmResult/*.json")


def recipe_results(home: Path) -> Iterator[RecipeResult]:
    """Yield the results of recipes of all seeds."""
    return all_stored(RecipeResult, home, f"seed-*/{_RESULTS}/RecipeResult/*.json")
