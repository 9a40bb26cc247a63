"""Recipes: how a corpus is treated. The defaults, and the baselines that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY, GateLimits, Limit

Method = Literal["none", "sage", "paraphrase", "checklist", "zerogen", "attrprompt", "consensus"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A treatment: protect under `policy`, rewrite by `method`, then apply the gate's `limits`.

    `protection` is what a manifest promises. `own_limits` replace limits of recipe and policy.
    """

    name: str
    protection: Literal["none", "identifiers", "synthetic"]
    policy: str | None
    method: Method
    limits: GateLimits | None
    summary: str
    own_limits: Mapping[str, Limit] = field(default_factory=dict, hash=False)

    @property
    def synthesize(self) -> bool:
        """Whether agents rewrite the records."""
        return self.method not in ("none", "consensus")

    @property
    def of_subjects(self) -> bool:
        """Whether a passage says what several subjects say; otherwise it is of one document."""
        return self.method == "consensus"

    @property
    def of_generated(self) -> bool:
        """Whether the corpus has to be one that `sage-rag generate` wrote."""
        return self.name == "controlled"

    @property
    def refine(self) -> bool:
        """Whether drafts are reviewed and rewritten; the gate judges them in any case."""
        return self.method == "sage"

    @property
    def rewords(self) -> bool:
        """Whether agents write a document again, in other words."""
        return self.method in ("sage", "paraphrase", "checklist")

    @property
    def reads_records(self) -> bool:
        """Whether the agents read a document to write its record."""
        return self.method != "attrprompt"


_RESTORABLE = replace(IDENTIFIERS_ONLY, min_tokens=None)
"""Nothing of a record is lost, however much of it are tokens: a list of addresses, a short mail."""
_RECIPES = (
    Recipe("origin", "none", None, "none", None, "the corpus unchanged; a baseline, not protected"),
    Recipe(
        "redacted", "identifiers", "redact-all", "none", IDENTIFIERS_ONLY,
        "identifiers replaced by their type; every other word stays",
    ),
    Recipe(
        "encrypted", "identifiers", "soe-all", "none", _RESTORABLE,
        "identifiers as tokens a key restores; every other word stays",
    ),
    Recipe(
        "surrogates", "identifiers", "surrogates", "none", IDENTIFIERS_ONLY,
        "plain-looking stand-ins for identifiers; every other word stays, nothing restorable",
    ),
    Recipe(
        "paraphrase", "identifiers", "sage", "paraphrase", IDENTIFIERS_ONLY,
        "a baseline: the important part of each record, its wording unedited; leaks by design",
    ),
    Recipe(
        "checklist", "identifiers", "sage", "checklist", IDENTIFIERS_ONLY,
        "a baseline: one rewriting with a privacy checklist, nothing checked but identifiers; "
        "needs a model",
    ),
    Recipe(
        "zerogen", "identifiers", "sage", "zerogen", IDENTIFIERS_ONLY,
        "a baseline: questions whose answers are a record's entities; leaks by design; "
        "needs a model",
    ),
    Recipe(
        "attrprompt", "identifiers", "sage", "attrprompt", IDENTIFIERS_ONLY,
        "a baseline: records made up from attributes alone, no record read; needs a model",
    ),
    Recipe(
        "sage", "synthetic", "sage", "sage", GateLimits(),
        "a synthetic record, identifiers as tokens; the default with a model; by rules the gate "
        "refuses most",
    ),
    Recipe(
        "controlled", "identifiers", "soe-all", "none", IDENTIFIERS_ONLY,
        "what `sage-rag generate` wrote by control codes; what looks like a value is a token",
    ),
    Recipe(
        "consensus", "synthetic", "sage", "consensus", IDENTIFIERS_ONLY,
        "what at least k subjects say, by topic: no passage is anyone's record; the default "
        "without a model",
    ),
)  # fmt: skip

RECIPES = {recipe.name: recipe for recipe in _RECIPES}


def recipe_called(
    name: str, policy: str | None = None, limits: Mapping[str, Limit] | None = None
) -> Recipe:
    """Return a recipe by name; `policy` and single `limits` of the gate replace its own.

    Raises:
        InputError: for an unknown recipe, or a policy or limits for one that protects nothing.
    """
    if name not in RECIPES:
        raise InputError(f"no recipe is called `{name}`", hint=f"one of: {', '.join(RECIPES)}")
    recipe = RECIPES[name]
    if recipe.policy is None and (policy is not None or limits):
        raise InputError(f"recipe `{name}` protects nothing, so no policy or limit applies")
    if recipe.of_subjects and limits:
        raise InputError(
            f"recipe `{name}` has no `gate` limit",
            hint="its one limit is --k: subjects a statement",
        )
    return replace(recipe, policy=policy or recipe.policy, own_limits=limits or {})
