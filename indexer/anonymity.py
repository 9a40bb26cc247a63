"""Count published documents with the same quasi-identifying values (k-anonymity)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sage_rag.common.counting import counted
from sage_rag.indexer.ledger import Result
from sage_rag.indexer.recipes import Recipe
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.quasi import QuasiValues, anonymity, is_quasi, quasi_values
from sage_rag.privacy.policy import Operator, Policy, load_policy
from sage_rag.privacy.protect import join_fields
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span
from sage_rag.privacy.tokens import PLACEHOLDER

_COMBINATIONS = 5
"""Combinations of types that a report lists."""


def anonymity_figures(
    recipe: Recipe, published: Sequence[Result], recognizer: Recognizer
) -> dict[str, Any] | None:
    """Return the k-anonymity figures of a version; `None` for a plain corpus.

    They contain only counts and names of types, since a report goes to the server. They are exact:
    they cover all published documents, so there is no interval.

    Values in clear count only if the policy can leave some. The gate found them when it judged the
    draft; the recognizer reads a draft whose stored result is older than that. A placeholder counts
    as its token, even if the new text leaves it out, since the lexical index contains it.
    """
    if recipe.policy is None:
        return None
    reads = recognizer if _leaves_values(load_policy(recipe.policy)) else None
    view = anonymity([_values(result, reads) for result in published])
    return {
        "documents": view.documents,
        "classes": view.classes,
        "smallest_class": view.smallest,
        "in_classes_under": {str(level): count for level, count in view.under.items()},
        "singled_out_by": [
            {"types": list(map(str, c.types)), "documents": c.documents}
            for c in view.combinations[:_COMBINATIONS]
        ],
    }


def anonymity_line(figures: Mapping[str, Any]) -> str:
    """Return the k-anonymity figures of a version in one line, without values."""
    alone, of_all = figures["in_classes_under"]["2"], counted(figures["documents"], "passage")
    if not alone:
        smallest = figures["smallest_class"]
        others = f"{smallest - 1:,} or more"
        return f"k-anonymity: of {of_all}, each shares its quasi-identifiers with {others}"
    have = "has" if alone == 1 else "have"
    line = f"k-anonymity: of {of_all}, {alone:,} {have} quasi-identifiers that no other one has"
    if not figures["singled_out_by"]:
        return line
    combination = figures["singled_out_by"][0]
    types = " and ".join(combination["types"])
    remedy = "a policy that redacts or generalises these makes it fewer"
    return f"{line}, {combination['documents']:,} by {types}; {remedy}"


def _leaves_values(policy: Policy) -> bool:
    """Return whether the policy leaves quasi-identifying values in clear, unchanged or coarser."""
    removed = (Operator.ENCRYPT, Operator.REDACT)
    return any(is_quasi(t) and policy.operator(t) not in removed for t in EntityType)


def _values(result: Result, recognizer: Recognizer | None) -> QuasiValues:
    text = join_fields(result.fields or {})
    return quasi_values(text, _spans(result, text, recognizer), result.tokens.values())


def _spans(result: Result, text: str, recognizer: Recognizer | None) -> Sequence[Span]:
    if recognizer is None:
        return ()
    if result.quasi is not None:
        return result.quasi
    return recognizer.recognize(PLACEHOLDER.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
