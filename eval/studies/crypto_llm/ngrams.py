"""How regular the tokens of a text are: entropies and sizes of n-grams.

Source: Kobashi et al., Crypto-LLM, appendix A.3, Tables 8 and 9. Differs: the base of the
Jensen-Shannon distance is not stated there; here it is e, as in scipy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError

LONGEST = 4
_BITS = 15
"""Four tokens of this many bits fit a 64-bit number."""


class NgramFigures(BaseModel):
    """The n-grams of one length in a sequence of tokens.

    `unique`: how many differ. `entropy`: of the n-gram, in bits. `conditional_entropy`: of its last
    token given those before it; of a token for n = 1. `distance_to_uniform`: Jensen-Shannon
    distance between the frequencies and equal ones. `effective`: inverse of the probability that
    two n-grams drawn without replacement are equal; `None` where no two are.
    """

    model_config = ConfigDict(frozen=True)
    n: int
    unique: int
    entropy: float
    conditional_entropy: float
    distance_to_uniform: float
    effective: float | None


def ngram_figures(tokens: NDArray[np.int64], longest: int = LONGEST) -> list[NgramFigures]:
    """Measure the n-grams of tokens (n,) for n from 1 to `longest`.

    Entropies of long n-grams are low in short texts, where most occur once: compare texts of about
    equal length.

    Raises:
        InputError: for fewer tokens than an n-gram has, or a vocabulary above 2^15.
    """
    if len(tokens) < longest or tokens.max(initial=0) >= 2**_BITS:
        raise InputError(f"n-grams need at least {longest} tokens, numbered below {2**_BITS}")
    found: list[NgramFigures] = []
    codes = np.zeros(len(tokens) + 1, dtype=np.int64)
    for n in range(1, longest + 1):
        codes = (codes[:-1] << _BITS) | tokens[n - 1 :]
        counts = np.unique(codes, return_counts=True)[1]
        found.append(_figures(n, counts, found))
    return found


def _figures(n: int, counts: NDArray[np.int64], shorter: Sequence[NgramFigures]) -> NgramFigures:
    total = int(counts.sum())
    shares = counts / total
    entropy = float(-(shares * np.log2(shares)).sum())
    equal_pairs = float((counts.astype(np.float64) * (counts - 1)).sum())
    return NgramFigures(
        n=n,
        unique=len(counts),
        entropy=entropy,
        conditional_entropy=entropy - shorter[-1].entropy if shorter else entropy,
        distance_to_uniform=_distance_to_uniform(shares),
        effective=total * (total - 1) / equal_pairs if equal_pairs else None,
    )


def _distance_to_uniform(shares: NDArray[np.float64]) -> float:
    uniform = np.full_like(shares, 1 / len(shares))
    middle = (shares + uniform) / 2
    divergence = shares * np.log(shares / middle) + uniform * np.log(uniform / middle)
    return float(np.sqrt(max(0.0, divergence.sum() / 2)))
