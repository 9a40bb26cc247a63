"""A model that spells texts by words, and whose scores and outputs a test decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sage_rag.eval.model_attacks.target import TokenScores


class FakeModel:
    context = 128

    def __init__(
        self,
        score: Callable[[str], float] = lambda text: 0.0,
        write: Callable[[str, int], str] = lambda prompt, sample: "",
    ) -> None:
        self._score = score
        self._write = write
        self._tokens: list[str] = []

    def token_ids(self, text: str) -> list[int]:
        found = re.findall(r"\s*\S+|\s+", text)
        self._tokens += [token for token in dict.fromkeys(found) if token not in self._tokens]
        return [self._tokens.index(token) for token in found]

    def text_of(self, ids: Sequence[int]) -> str:
        return "".join(self._tokens[i] for i in ids)

    def mean_log_p(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.array([self._score(text) for text in texts])

    def token_scores(self, texts: Sequence[str]) -> list[TokenScores]:
        rows = [np.full(len(text.split()), self._score(text)) for text in texts]
        return [TokenScores(row, row) for row in rows]

    def generate(
        self, prompts: Sequence[str], samples: int, max_tokens: int, seed: int, *, top_k: int = 0
    ) -> list[list[str]]:
        written = [[self._write(prompt, i) for i in range(samples)] for prompt in prompts]
        return [[" ".join(text.split()[:max_tokens]) for text in texts] for texts in written]
