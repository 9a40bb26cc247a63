"""How much synthetic texts copy from their sources, and how much they repeat themselves.

Source: Zhao and Field (2025), B: ROUGE-2 and ROUGE-L as F1; Lin (2004). distinct-n: Li et al.
(2016), arXiv 1510.03055. A ciphertext token is one word: its letters of Base64 would hide a copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from pydantic import BaseModel, ConfigDict

from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.leakage import f1
from sage_rag.privacy.gate.subsequences import longest_common_subsequence

_Gram = tuple[str, ...]


class Overlap(BaseModel):
    """F1 with the nearest source, which can differ between the two."""

    model_config = ConfigDict(frozen=True)
    rouge_2: float
    rouge_l: float


class Sources:
    """Source texts, prepared once for many texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [draft_tokens(text) for text in texts]
        self._single = [Counter(words) for words in self._words]
        self._pairs = [Counter(grams(words, 2)) for words in self._words]

    def nearest(self, text: str) -> Overlap:
        """Return the highest F1 of each measure over all sources; exact.

        A source is left out only where its common words already exclude a higher value.
        """
        words = draft_tokens(text)
        pairs = Counter(grams(words, 2))
        size = max(0, len(words) - 1)
        shared = ((pairs & own).total() for own in self._pairs)
        totals = (own.total() for own in self._pairs)
        rouge_2 = max((f1(n, size, m) for n, m in zip(shared, totals, strict=True)), default=0.0)
        return Overlap(rouge_2=rouge_2, rouge_l=self._rouge_l(words))

    def _rouge_l(self, words: list[str]) -> float:
        own = Counter(words)
        bounds = [
            f1((own & other).total(), len(words), len(self._words[place]))
            for place, other in enumerate(self._single)
        ]
        best = 0.0
        for place in sorted(range(len(bounds)), key=bounds.__getitem__, reverse=True):
            if bounds[place] <= best:
                break
            common = longest_common_subsequence(words, self._words[place])
            best = max(best, f1(common, len(words), len(self._words[place])))
        return best


def grams(words: Sequence[str], size: int) -> Iterator[_Gram]:
    """Yield the runs of `size` words."""
    return zip(*(islice(words, start, None) for start in range(size)), strict=False)


def distinct(texts: Sequence[str], size: int) -> float:
    """Return the share of different runs of `size` words among all runs; 0 without any."""
    found = [gram for text in texts for gram in grams(draft_tokens(text), size)]
    return len(set(found)) / len(found) if found else 0.0
