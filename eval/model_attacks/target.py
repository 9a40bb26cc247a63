"""The model that is attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TokenScores:
    """How well a model predicts each token of a text but the first, given those before it: (n,).

    `log_p`: log p of the token, in nats. `standardized`: log p minus its mean over the model's
    distribution of that token, divided by its standard deviation there.
    """

    log_p: NDArray[np.float64]
    standardized: NDArray[np.float64]


class TargetModel(Protocol):
    """A causal language model with its tokenizer."""

    @property
    def context(self) -> int:
        """The largest number of tokens of a text."""
        ...

    def token_ids(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        ...

    def text_of(self, ids: Sequence[int]) -> str:
        """Return the text of tokens."""
        ...

    def token_scores(self, texts: Sequence[str]) -> list[TokenScores]:
        """Score each text.

        Raises:
            InputError: for a text that is longer than the context.
        """
        ...

    def mean_log_p(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean log p of the tokens of each text but the first, in nats: (n,).

        Minus this is the logarithm of the perplexity. Texts that begin alike are read together.

        Raises:
            InputError: for a text that is longer than the context.
        """
        ...

    def generate(
        self, prompts: Sequence[str], samples: int, max_tokens: int, seed: int, *, top_k: int = 0
    ) -> list[list[str]]:
        """Return `samples` continuations of each prompt, drawn at temperature 1.

        `top_k`: draw from the likeliest tokens alone; 0: from all.
        """
        ...
