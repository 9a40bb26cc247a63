"""The association of two entities in a document, by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.training.synthesis.entities import EntityDocument
from sage_rag.training.synthesis.graph import Pair, Scores

Matrix = npt.NDArray[np.float64]
Embed = Callable[[Sequence[str]], Matrix]

VERSION = 2
"""Raised with every change of the scores of the same document."""

DEPENDENCE, INFORMATION, CONTEXT = 0.6, 0.2, 0.2
"""Weights of the three parts. Two entities of which one occurs only together with the other one get
at least 0.6 and stay in the graph; two that never come near each other get at most 0.2 directly."""
NEARBY = 0.5
"""The value of a mention in the sentence before or after, against one in the same sentence."""
INDIRECT = 0.75
"""The share of a path through a third entity that counts for its two ends: they stay in the graph
where both are associated with it by 2/3 or more."""

_DIGITS = 6
"""Further digits differ between processors, and would decide between equal neighbours."""
_TERM = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff]")
_UNSPACED = re.compile(r"[\u3400-\u9fff]+")


class Association(Protocol):
    """Scores how strongly the entities of a document belong together."""

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the scores could change."""
        ...

    def scores(self, document: EntityDocument) -> Scores:
        """Return the association in [0, 1] of pairs of entities; an absent pair has 0.

        Raises:
            SynthesisError: when a score cannot be had.
        """
        ...


class RuleAssociation:
    """Score pairs by where they are mentioned.

    `embed` returns a vector for each of n sentences, `(n, dim)`; `name` changes with it. Without
    it, a sentence's vector is its tf-idf.

    For entities a and b with mentions in the sentence sets A and B, of S sentences:

    - `near(s, B)` is 1 if s is in B, 0.5 if a neighbour of s is, else 0;
      dependence(a, b) = max(mean of near(s, B) over A, mean of near(s, A) over B).
    - In windows of two sentences in a row, p(a) is the share of windows that mention a, p(a, b)
      that of windows that mention both;
      information(a, b) = max(0, ln(p(a, b) / (p(a) p(b))) / -ln p(a, b)), the normalised pointwise
      mutual information; 0 where p(a, b) = 0, and 1, its limit, where p(a, b) = 1.
    - context(a, b) = cosine of the sums of the vectors of the sentences A and of B, at least 0;
      tf-idf has idf = 1 + ln((1 + S) / (1 + sentences with the word)).

    direct(a, b) = 0.6 dependence + 0.2 information + 0.2 context.
    score(a, b) = max(direct(a, b), 0.75 max over c of sqrt(direct(a, c) direct(c, b))).

    All parts are in [0, 1], the weights sum to 1, and so is the score. Two entities that are only
    mentioned together have score 1.

    Differs from Liu et al. (2025), SoE, Appendix C: a model judges causality, dependence and
    indirect association there. Rules do not recognise causes.
    """

    def __init__(self, embed: Embed | None = None, name: str = "words") -> None:
        self._embed = embed or tf_idf
        self.fingerprint = f"rules-{VERSION}-{name}"
        """Changes with `VERSION` and the vectors of sentences."""

    def scores(self, document: EntityDocument) -> Scores:
        """Return the score of each pair above 0, to six digits, in the order of the entities."""
        names = list(document.mentions)
        matrix = association_matrix(incidence(document), context_vectors(document, self._embed))
        found: dict[Pair, float] = {}
        for first, second in zip(*np.nonzero(np.triu(matrix, 1)), strict=True):
            found[names[first], names[second]] = round(float(matrix[first, second]), _DIGITS)
        return found


def incidence(document: EntityDocument) -> Matrix:
    """Return `(entities, sentences)` of 0 and 1: which sentence mentions which entity."""
    found = np.zeros((len(document.mentions), len(document.sentences)))
    for row, numbers in enumerate(document.mentions.values()):
        found[row, numbers] = 1
    return found


def association_matrix(incidence_ES: Matrix, contexts_EV: Matrix) -> Matrix:  # noqa: N803
    """Return `(entities, entities)` of scores with a diagonal of 0; see `RuleAssociation`."""
    parts = (dependence(incidence_ES), information(incidence_ES), similarity(contexts_EV))
    weights = (DEPENDENCE, INFORMATION, CONTEXT)
    direct = np.sum([w * part for w, part in zip(weights, parts, strict=True)], axis=0)
    np.fill_diagonal(direct, 0)
    through = np.zeros_like(direct)
    for third in direct:
        np.maximum(through, np.outer(third, third), out=through)
    scores: Matrix = np.clip(np.maximum(direct, INDIRECT * np.sqrt(through)), 0, 1)
    np.fill_diagonal(scores, 0)
    return scores


def dependence(incidence_ES: Matrix) -> Matrix:  # noqa: N803
    """Return to which share one of two entities is mentioned near the other one."""
    near = incidence_ES.copy()
    near[:, 1:] = np.maximum(near[:, 1:], NEARBY * incidence_ES[:, :-1])
    near[:, :-1] = np.maximum(near[:, :-1], NEARBY * incidence_ES[:, 1:])
    counts = np.maximum(incidence_ES.sum(axis=1, keepdims=True), 1)
    shares = incidence_ES @ near.T / counts
    larger: Matrix = np.maximum(shares, shares.T)
    return larger


def information(incidence_ES: Matrix) -> Matrix:  # noqa: N803
    """Return the normalised pointwise mutual information of two entities, at least 0."""
    windows = incidence_ES
    if incidence_ES.shape[1] > 1:
        windows = np.maximum(incidence_ES[:, 1:], incidence_ES[:, :-1])
    both = windows @ windows.T / max(windows.shape[1], 1)
    alone = np.diag(both)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(both / np.outer(alone, alone)) / -np.log(both)
    found[both == 0] = 0
    found[both >= 1] = 1
    clipped: Matrix = np.clip(found, 0, 1)
    return clipped


def similarity(contexts_EV: Matrix) -> Matrix:  # noqa: N803
    """Return the cosine of two context vectors, at least 0."""
    lengths = np.linalg.norm(contexts_EV, axis=1, keepdims=True)
    unit = contexts_EV / np.where(lengths == 0, 1, lengths)
    cosines: Matrix = np.clip(unit @ unit.T, 0, 1)
    return cosines


def context_vectors(document: EntityDocument, embed: Embed) -> Matrix:
    """Return `(entities, dim)`: the sum of the vectors of the sentences that mention an entity.

    Placeholders are left out of the sentences: they are not words.
    """
    sentences = [
        PLACEHOLDER.sub(" ", document.text[start:end]) for start, end in document.sentences
    ]
    vectors: Matrix = incidence(document) @ embed(sentences)
    return vectors


def tf_idf(sentences: Sequence[str]) -> Matrix:
    """Return `(n, terms)` of term frequency times inverse document frequency."""
    found = [terms(sentence) for sentence in sentences]
    vocabulary = {t: n for n, t in enumerate(sorted({t for s in found for t in s}))}
    counts = np.zeros((len(found), len(vocabulary)))
    for row, sentence in enumerate(found):
        for term in sentence:
            counts[row, vocabulary[term]] += 1
    idf = 1 + np.log((1 + len(found)) / (1 + (counts > 0).sum(axis=0)))
    vectors: Matrix = counts * idf
    return vectors


def terms(text: str) -> Sequence[str]:
    """Return the words of a text in lower case, and each pair of Chinese characters in a row."""
    words = [w for w in _TERM.findall(_UNSPACED.sub(" ", text.lower())) if not w.isdigit()]
    runs = _UNSPACED.findall(text)
    return words + [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))]
