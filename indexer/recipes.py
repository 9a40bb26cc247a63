"""Recipes: how a corpus is treated. The product's default and the baselines it is compared to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from privacy.exceptions import InputError
from privacy.gate import GateLimits

_IDENTIFIERS_ONLY = GateLimits(run_tokens=None, rouge_l=None)


@dataclass(frozen=True, slots=True)
class Recipe:
    """An ordered treatment: protect under `policy`, then `synthesize`, then the gate's `limits`.

    `protection` says in a manifest what a reader of the index may expect of it.
    """

    name: str
    protection: Literal["none", "identifiers", "synthetic"]
    policy: str | None
    synthesize: bool
    limits: GateLimits | None
    summary: str


_RECIPES = (
    Recipe("origin", "none", None, False, None, "the corpus as it is; a baseline, not protected"),
    Recipe(
        "redacted", "identifiers", "redact-all", False, _IDENTIFIERS_ONLY,
        "identifiers replaced by their type; every other word stays",
    ),
    Recipe(
        "encrypted", "identifiers", "soe-all", False, _IDENTIFIERS_ONLY,
        "identifiers as tokens a key restores; every other word stays",
    ),
    Recipe(
        "surrogates", "identifiers", "surrogates", False, _IDENTIFIERS_ONLY,
        "plain-looking stand-ins for identifiers; every other word stays, nothing restorable",
    ),
    Recipe(
        "sage", "synthetic", "sage", True, GateLimits(),
        "a synthetic record, identifiers as tokens; the default",
    ),
)  # fmt: skip

RECIPES = {recipe.name: recipe for recipe in _RECIPES}


def recipe_called(name: str, policy: str | None = None) -> Recipe:
    """Return a recipe by name, with another policy in place of its own where one is given.

    Raises:
        InputError: for an unknown recipe, or a policy for the recipe that protects nothing.
    """
    if name not in RECIPES:
        raise InputError(f"no recipe is called `{name}`", hint=f"one of: {', '.join(RECIPES)}")
    if policy is None:
        return RECIPES[name]
    if RECIPES[name].policy is None:
        raise InputError(f"recipe `{name}` protects nothing, so no policy applies")
    return replace(RECIPES[name], policy=policy)
