"""Utility: how well answers match references, and whether an index still finds the same records."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sage_rag.agents.lexicon import content_stems, is_boilerplate
from sage_rag.common.exceptions import InputError
from sage_rag.common.proportions import Proportion
from sage_rag.common.sentences import sentence_spans
from sage_rag.privacy.words import tokenize

_CITATION = re.compile(r"\s*\[\d+\]")


def strip_citations(answer: str) -> str:
    """Return an answer without its `[n]` marks."""
    return _CITATION.sub("", answer)


def without_courtesies(text: str) -> str:
    """Return the sentences that do more than greet, thank or wish well, joined by spaces.

    Courtesies are alike in all answers, so with them a score of common words rises without any
    common content.
    """
    sentences = (text[start:end] for start, end in sentence_spans(text, full_width=False))
    return " ".join(sentence for sentence in sentences if not is_boilerplate(sentence))


@dataclass(frozen=True, slots=True)
class ContentWeights:
    """The idf of content stems over a corpus of `texts` texts: ln(1 + texts / texts with it).

    A content stem is the stem of a word that is no stop word (`agents.lexicon.content_stems`). A
    stem that the corpus does not have weighs as much as one that a single text has.
    """

    texts: int
    spread: Counter[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> ContentWeights:
        """Count in how many texts each stem occurs.

        Raises:
            InputError: without texts.
        """
        sets = [set(content_stems(text)) for text in texts]
        if not sets:
            raise InputError("there are no texts to weigh words by")
        return cls(len(sets), Counter(stem for stems in sets for stem in stems))

    def f1(self, answer: str, reference: str) -> float:
        """Return the F1 of the sets of content stems, each stem counted by its idf, in [0, 1].

        Precision is the weight of common stems as a share of the answer's, recall as a share of the
        reference's. 0 if either text has no content. Order and repetitions do not matter.
        """
        given, wanted = set(content_stems(answer)), set(content_stems(reference))
        common = self._weight(given & wanted)
        # The sums add the same numbers in different orders, so the ratio may pass 1 by a bit.
        total = self._weight(given) + self._weight(wanted)
        return min(1.0, 2 * common / total) if common else 0.0

    def _weight(self, stems: Iterable[str]) -> float:
        return sum(math.log(1 + self.texts / max(1, self.spread[stem])) for stem in stems)


def bleu_1(answer: str, reference: str) -> float:
    """Return sentence BLEU-1 against one reference: clipped unigram precision times brevity.

    No smoothing. Tokens are case-folded `\\w+`. Source: Zeng et al. (2024), arXiv 2406.14773,
    A.8. Differs: the authors' code splits at spaces, so a word before a comma is another word.
    """
    candidate, gold = tokenize(answer), tokenize(reference)
    if not candidate or not gold:
        return 0.0
    clipped = (Counter(candidate) & Counter(gold)).total()
    brevity = min(1.0, math.exp(1 - len(gold) / len(candidate)))
    return brevity * clipped / len(candidate)


def agreement(
    reference: Sequence[Sequence[str]], other: Sequence[Sequence[str]], top_k: int
) -> Proportion:
    """Count the questions whose first source in `reference` is in the first `top_k` of `other`.

    Both hold, per question, the source ids of the retrieved passages, best first. A question for
    which the reference found nothing counts as a miss.

    Raises:
        InputError: unless both answer the same questions, at least one.
    """
    if not reference or len(reference) != len(other):
        raise InputError(f"{len(reference)} rankings cannot be compared with {len(other)}")
    pairs = zip(reference, other, strict=True)
    agreeing = sum(bool(first) and first[0] in found[:top_k] for first, found in pairs)
    return Proportion.of(agreeing, len(reference))
