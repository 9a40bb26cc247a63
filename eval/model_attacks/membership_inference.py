"""Membership inference: does a model's loss show which texts it has read?"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.eval.membership import Membership
from sage_rag.eval.model_attacks.target import TargetModel, TokenScores

MIN_K = 0.2
"""Share of the tokens that Min-K%++ averages. Source: Zhang et al. (2024), arXiv 2404.02936, §4."""
_PASSAGE_CHARACTERS = 256
_LEAST_CHARACTERS = 40
"""Fewer have too few tokens for the lowest 20 % of them."""


class MembershipInference(BaseModel):
    """How well two scores separate texts that the model has read from others.

    `loss`: the mean log-probability of the tokens. `min_k`: Min-K%++.
    """

    model_config = ConfigDict(frozen=True)
    loss: Membership
    min_k: Membership


def infer_membership(
    model: TargetModel, members: Sequence[str], others: Sequence[str]
) -> MembershipInference:
    """Score texts that the model has read, and others of their kind, and compare.

    Raises:
        InputError: without either, or for a text that is longer than the model's context.

    Source: Yeom et al. (2018), arXiv 1709.01604, for the loss; Zhang et al. (2024), arXiv
    2404.02936, §4, for Min-K%++.
    """
    if not members or not others:
        raise InputError("membership needs texts that the model has read, and others")
    scores = [model.token_scores(texts) for texts in (members, others)]
    own, foreign = ([float(s.log_p.mean()) for s in found] for found in scores)
    low, low_foreign = ([min_k_score(s) for s in found] for found in scores)
    return MembershipInference(
        loss=Membership.of(own, foreign), min_k=Membership.of(low, low_foreign)
    )


def min_k_score(scores: TokenScores) -> float:
    """Return the mean of the lowest 20 % of a text's standardized log-probabilities."""
    count = max(1, int(MIN_K * len(scores.standardized)))
    return float(np.sort(scores.standardized)[:count].mean())


def passages(
    model: TargetModel, texts: Sequence[str], count: int, seed: int, side: str = "given"
) -> list[str]:
    """Draw up to `count` different passages of up to 256 characters; none overlaps another.

    Passages that share characters would count as several members. Shorter texts are passages as
    they are. A passage with more tokens than the context is halved until it fits: a character that
    the tokenizer has not learned takes several. `side`: which texts these are, for messages.

    Raises:
        InputError: when no text has 40 characters, or the model reads fewer tokens.
    """
    size = min(_PASSAGE_CHARACTERS, model.context)
    if size < _LEAST_CHARACTERS:
        raise InputError(
            f"membership: the model reads {model.context} tokens, and passages need "
            f"{_LEAST_CHARACTERS}",
            hint="choose other attacks with --attack",
        )
    pieces = (text[start : start + size] for text in texts for start in range(0, len(text), size))
    long = list(dict.fromkeys(piece for piece in pieces if len(piece) >= _LEAST_CHARACTERS))
    if not long:
        raise InputError(
            f"membership: no {side} text has {_LEAST_CHARACTERS} characters for a passage",
            hint="give longer texts, or choose other attacks with --attack",
        )
    draw = random.Random(f"passages {seed}")  # noqa: S311 - measurements, not secrets
    drawn = draw.sample(long, min(count, len(long)))
    return list(dict.fromkeys(_fitting(model, passage) for passage in drawn))


def _fitting(model: TargetModel, passage: str) -> str:
    while len(model.token_ids(passage)) > model.context:
        passage = passage[: len(passage) // 2]
    return passage
