"""What a reader counted in published drafts; `readings.toml` says how."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion

COUNTS = ("altered", "serious", "orphaned", "question_lost", "ungrammatical")


class DraftReading(BaseModel):
    """The counts of one reading; `serious` drafts are also `altered`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    corpus: str
    commit: str
    drafts: int = Field(gt=0)
    altered: int = Field(ge=0)
    serious: int = Field(ge=0)
    orphaned: int = Field(default=0, ge=0)
    question_lost: int = Field(ge=0)
    ungrammatical: int = Field(ge=0)

    @model_validator(mode="after")
    def _counts_fit(self) -> DraftReading:
        if any(getattr(self, name) > self.drafts for name in COUNTS):
            raise ValueError(f"counts more than the {self.drafts} drafts that were read")
        if self.serious > self.altered:
            raise ValueError("counts more serious changes than changes")
        return self

    def share(self, count: str) -> Proportion:
        """Return one of `COUNTS` as a share of the drafts."""
        return Proportion.of(getattr(self, count), self.drafts)


def parse_readings(text: str) -> Mapping[str, DraftReading]:
    """Return the last reading of each corpus.

    Raises:
        InputError: for a reading with a missing, unknown or impossible count.
    """
    readings = tomllib.loads(text).get("reading", [])
    try:
        parsed = [DraftReading.model_validate(reading) for reading in readings]
    except ValidationError as error:
        raise InputError(f"readings.toml: {error.errors()[0]['msg']}") from None
    return {reading.corpus: reading for reading in parsed}


def read_readings() -> Mapping[str, DraftReading]:
    """Return the readings of this repository."""
    file = resources.files("sage_rag.eval.studies.sage") / "readings.toml"
    return parse_readings(file.read_text("utf-8"))
