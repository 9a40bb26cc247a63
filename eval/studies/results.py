"""The results of the study of recipes, as its JSON file holds them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from eval.report import AttackReport
from eval.studies.environment import Environment
from eval.studies.indexing import Indexing
from eval.utility import Utility
from privacy.proportions import Proportion


class RecipeResult(BaseModel):
    """Everything measured for one recipe.

    `indexing` and `attacks` are of the index of all documents, the rest is of the index without
    the held-out ones. `agreement`: the first source of the plain index among this one's first 5.
    """

    model_config = ConfigDict(frozen=True)
    indexing: Indexing
    indexing_part: Indexing
    attacks: tuple[AttackReport, ...]
    utility: Utility
    agreement: Proportion


class Study(BaseModel):
    """The whole study."""

    model_config = ConfigDict(frozen=True)
    command: str
    environment: Environment
    corpus: str
    documents: int
    held_out: int
    prompts: int
    recipes: tuple[RecipeResult, ...]
