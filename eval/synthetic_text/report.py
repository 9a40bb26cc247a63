"""All measures of one set of synthetic texts, and their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError
from sage_rag.eval.synthetic_text.backends.perplexity import (
    Perplexity,
    TuningSettings,
    tuned_perplexity,
)
from sage_rag.eval.synthetic_text.leakage import Leakage, ValueSearch, leakage
from sage_rag.eval.synthetic_text.mauve_score import mauve
from sage_rag.eval.synthetic_text.similarity import Sources, distinct
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.wordlists import TITLES
from sage_rag.training.controlled.codes import AnnotatedDocument, Identifiers, PrivateValue
from sage_rag.training.controlled.spellings import MIN_PART

_SIZES = (1, 2, 3)


class TextReport(BaseModel):
    """`leakage`: by which values count as private. `rouge_2`, `rouge_l`: mean over texts of the F1
    with the nearest source. `distinct`: by the length of the runs of words."""

    model_config = ConfigDict(frozen=True)
    texts: int
    sources: int
    leakage: Mapping[Identifiers, Leakage]
    rouge_2: float
    rouge_l: float
    distinct: Mapping[int, float]
    mauve: float | None = None
    perplexity: Perplexity | None = None

    def __str__(self) -> str:
        """Return the figures, a line each."""
        lines = [f"{self.texts} texts, {self.sources} sources"]
        for kind, found in self.leakage.items():
            lines.append(f"{kind}: PIPP {found.pipp}; ELP {found.elp}")
        lines.append(f"ROUGE-2 {self.rouge_2:.4f}, ROUGE-L {self.rouge_l:.4f} (nearest source)")
        shown = ", ".join(f"distinct-{n} {value:.3f}" for n, value in self.distinct.items())
        lines.append(shown)
        if self.mauve is not None:
            lines.append(f"MAUVE {self.mauve:.3f}")
        if self.perplexity is not None:
            tuned = self.perplexity
            lines.append(
                f"perplexity {tuned.tuned:.2f} after tuning on the texts, {tuned.untuned:.2f} "
                f"before ({tuned.tokens:,} tokens of real text)"
            )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Reference:
    """Real texts that the synthetic ones are to resemble, and what compares them.

    `embedder`: for MAUVE; `base`: the model that is tuned for perplexity, in `folder`.
    """

    texts: Sequence[str]
    embedder: Embedder | None = None
    base: Path | None = None
    folder: Path | None = None
    tuning: TuningSettings | None = None


def measure_texts(
    texts: Sequence[str],
    sources: Sequence[AnnotatedDocument],
    reference: Reference | None = None,
) -> TextReport:
    """Measure texts against their sources.

    Raises:
        InputError: when there is no text, or no source.
        MissingExtraError: for MAUVE without the extra `mauve`.
    """
    if not texts or not sources:
        raise InputError("there is no text to measure" if sources else "there is no source text")
    prepared = Sources([document.text for document in sources])
    overlaps = [prepared.nearest(text) for text in texts]
    return TextReport(
        texts=len(texts),
        sources=len(sources),
        leakage={kind: leakage(texts, values_of(sources, kind)) for kind in Identifiers},
        rouge_2=fmean(found.rouge_2 for found in overlaps),
        rouge_l=fmean(found.rouge_l for found in overlaps),
        distinct={size: distinct(texts, size) for size in _SIZES},
        mauve=_mauve(texts, reference),
        perplexity=_perplexity(texts, reference),
    )


def values_of(documents: Sequence[AnnotatedDocument], kind: Identifiers) -> ValueSearch:
    """Return the private values of documents; names without the titles before them."""
    return ValueSearch(_untitled(v) for d in documents for v in d.values if kind.cover(v))


def _untitled(value: PrivateValue) -> str:
    """Return `Jan Quist` for `Mr Jan Quist`: a title identifies no one, and a text may omit it.

    Other values stay as they are, as do names of which less than three letters would be left.
    """
    if value.entity_type is not EntityType.PERSON:
        return value.text
    words = value.text.split()
    rest = list(dropwhile(lambda word: word.strip(".").casefold() in TITLES, words))
    return " ".join(rest) if sum(map(str.isalpha, "".join(rest))) >= MIN_PART else value.text


def _mauve(texts: Sequence[str], reference: Reference | None) -> float | None:
    if reference is None or reference.embedder is None:
        return None
    return mauve(texts, reference.texts, reference.embedder)


def _perplexity(texts: Sequence[str], reference: Reference | None) -> Perplexity | None:
    if reference is None or reference.base is None or reference.folder is None:
        return None
    return tuned_perplexity(
        reference.base, texts, reference.texts, reference.folder, reference.tuning
    )
