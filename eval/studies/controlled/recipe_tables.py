"""The tables that compare generated corpora with the recipes of an index."""

from __future__ import annotations

from collections.abc import Sequence

from sage_rag.eval.attack import WHOLE_INDEX
from sage_rag.eval.probes.probe import ProbeKind
from sage_rag.eval.report import Group
from sage_rag.eval.studies.controlled.recipes_part import GENERATED, ordered
from sage_rag.eval.studies.controlled.results import RecipeResult
from sage_rag.eval.studies.sage.tables import pieces_found
from sage_rag.eval.studies.tables import NO_FIGURE, share, table
from sage_rag.training.controlled.codes import Identifiers

_ABOUT = """\
All recipes but `controlled` index the training pieces. `controlled` indexes the texts of ICL w/
privacy enhancement, `controlled-prefix` those of the tuned arm with blocked values, after the
policy and the gate of recipe `controlled`. Passages are measured as a server holds them, against
the training pieces: first by the attacks of the [study of SAGE](sage.md), with its prompts and one
passage for each, then by the measures of this page. A phrase of all judgments that an output has
counts for each original that has it. A recipe without a row published nothing."""


def recipe_tables(recipes: Sequence[RecipeResult]) -> str:
    """Return both tables: attacks, and leakage and utility of the passages."""
    rows = ordered(recipes)
    seeds = {result.seed for result in rows if result.name in GENERATED}
    names = {id(result): _name(result, several=len(seeds) > 1) for result in rows}
    attacked = [(names[id(result)], *_attacked(result)) for result in rows]
    measured = [(names[id(result)], *_measured(result)) for result in rows]
    return f"{_ABOUT}\n\n{table(_ATTACK, attacked)}\n\n{table(_MEASURES, measured)}"


_ATTACK = (
    *("recipe", "passages", "originals repeated", "originals alike", "direct identifiers"),
    *("targeted: repeat prompts", "untargeted: repeat prompts", "ROUGE contexts"),
)
_MEASURES = (
    *("recipe", "published", "PIPP direct", "ELP direct", "PIPP both", "ELP both"),
    *("ROUGE-2", "ROUGE-L", "perplexity", "MAUVE"),
)


def _name(result: RecipeResult, *, several: bool) -> str:
    seed = f", seed {result.seed}" if several and result.name in GENERATED else ""
    return f"`{result.name}`{seed}"


def _attacked(result: RecipeResult) -> tuple[str, ...]:
    whole = result.attack.group(WHOLE_INDEX)
    targeted = result.attack.group(ProbeKind.TARGETED)
    untargeted = result.attack.group(ProbeKind.UNTARGETED)
    return (
        str(result.published),
        *(pieces_found(whole, detector) for detector in ("repeat", "rouge", "canaries")),
        *(_prompts(group) for group in (targeted, untargeted)),
        pieces_found(untargeted, "rouge"),
    )


def _prompts(group: Group) -> str:
    found = group.find("repeat")
    return NO_FIGURE if found is None else share(found.prompts)


def _measured(result: RecipeResult) -> tuple[str, ...]:
    found = result.report
    direct, both = (found.leakage[kind] for kind in (Identifiers.DIRECT, Identifiers.BOTH))
    return (
        f"{result.published} of {result.records}",
        *map(share, (direct.pipp, direct.elp, both.pipp, both.elp)),
        f"{found.rouge_2:.3f}",
        f"{found.rouge_l:.3f}",
        f"{found.perplexity.tuned:.1f}" if found.perplexity else NO_FIGURE,
        NO_FIGURE if found.mauve is None else f"{found.mauve:.3f}",
    )
