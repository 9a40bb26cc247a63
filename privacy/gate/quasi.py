"""Quasi-identifier combinations: how many documents of a corpus look alike to an observer.

A document is *k-anonymous* when k documents of the corpus, itself among them, show the same set
of quasi-identifying values. Values count as they stand in what is published: an age band, a month
and year, or a token, since equal values have equal tokens. So the figure tells what an observer
can group by without any key.

Source: Sweeney (2002), "k-anonymity: a model for protecting privacy", §3; quasi-identifiers in
running text: Pilán et al. (2022), arXiv 2202.00443, §3. Differs: one row is one document, and the
attributes are the entity types, with as many values each as the document shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.spans import Span, resolve_overlaps
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN
from sage_rag.privacy.words import normalize

LEVELS = (2, 5, 10)
"""Classes under so many documents are counted: one alone, then the cell sizes that statistical
offices ask for. Source: Sweeney (2002), §3; El Emam and Dankar (2008), "Protecting privacy using
k-anonymity"."""
_LARGEST_COMBINATION = 3
"""Types taken together: three well-chosen values already single most people out. Source: Sweeney
(2000), "Simple demographics often identify people uniquely"."""

QuasiValues = Mapping[EntityType, frozenset[str]]
"""The quasi-identifying values of one document by type, as published."""

_CLASSES = (Identifiability.QUASI, Identifiability.SENSITIVE)


def is_quasi(entity_type: EntityType) -> bool:
    """Return whether values of a type identify in combination."""
    return identifiability(entity_type) in _CLASSES


def quasi_values(text: str, spans: Iterable[Span], tokens: Iterable[str] = ()) -> QuasiValues:
    """Return the quasi-identifying values that one document publishes.

    `spans`: what a recognizer finds in `text`. `tokens`: those published apart from the text, as
    in a lexical index; those in the text are found. Values in clear are compared under NFKC, case
    folding and equal white space; placeholders stand for no value.

    Does not guarantee: to see values that the recognizer overlooks, so k may be lower than shown.
    """
    found: dict[EntityType, set[str]] = {}
    markup = [match.span() for match in PLACEHOLDER.finditer(text)]
    for match in [*TOKEN.finditer(text), *filter(None, map(TOKEN.fullmatch, tokens))]:
        entity_type = EntityType(match[1])
        if is_quasi(entity_type):
            found.setdefault(entity_type, set()).add(match.group())
        if match.string is text:
            markup.append(match.span())
    for span in resolve_overlaps(spans):
        hidden = any(span.start < end and start < span.end for start, end in markup)
        if is_quasi(span.entity_type) and not hidden:
            value = normalize(text[span.start : span.end])
            found.setdefault(span.entity_type, set()).add(value)
    return {entity_type: frozenset(values) for entity_type, values in found.items()}


@dataclass(frozen=True, slots=True)
class UniqueCombination:
    """How many documents are the only ones with their values of these types. No values."""

    types: tuple[EntityType, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class AnonymityReport:
    """A k-anonymity view of a corpus: counts alone, no value and no document's name.

    `classes`: distinct sets of values. `smallest`: the lowest k. `under`: documents whose k is
    below each of `LEVELS`. `combinations`: what sets of up to three types single out, most
    documents first; without those that single out nobody, or no more than a part of them does.
    """

    documents: int
    classes: int
    smallest: int
    under: Mapping[int, int]
    combinations: tuple[UniqueCombination, ...]


def class_sizes(corpus: Sequence[QuasiValues]) -> list[int]:
    """Return k for each document: how many documents publish the same values."""
    keys = [frozenset(document.items()) for document in corpus]
    sizes = Counter(keys)
    return [sizes[key] for key in keys]


def anonymity(corpus: Sequence[QuasiValues]) -> AnonymityReport:
    """Return the k-anonymity view of a corpus.

    Documents without any value are alike, too. The figure is of these documents, all of them: of
    a sample of a larger corpus it needs an interval, and k within a sample is too low.
    """
    sizes = class_sizes(corpus)
    return AnonymityReport(
        documents=len(corpus),
        classes=len({frozenset(document.items()) for document in corpus}),
        smallest=min(sizes, default=0),
        under={level: sum(size < level for size in sizes) for level in LEVELS},
        combinations=_singling_out(corpus),
    )


def _singling_out(corpus: Sequence[QuasiValues]) -> tuple[UniqueCombination, ...]:
    """Return the combinations of types that single documents out."""
    present = sorted({entity_type for document in corpus for entity_type in document})
    columns = {entity_type: _numbered(corpus, entity_type) for entity_type in present}
    unique: dict[tuple[EntityType, ...], int] = {}
    for size in range(1, _LARGEST_COMBINATION + 1):
        for types in combinations(present, size):
            rows = Counter(zip(*(columns[entity_type] for entity_type in types), strict=True))
            alone = sum(count == 1 for count in rows.values())
            parts = combinations(types, size - 1)
            if alone > max((unique.get(part, 0) for part in parts), default=0):
                unique[types] = alone
    ordered = sorted(unique.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
    return tuple(UniqueCombination(types, documents) for types, documents in ordered)


def _numbered(corpus: Sequence[QuasiValues], entity_type: EntityType) -> list[int]:
    """Return one number per document for its values of a type, equal for equal values."""
    numbers: dict[frozenset[str], int] = {}
    none: frozenset[str] = frozenset()
    return [numbers.setdefault(d.get(entity_type, none), len(numbers)) for d in corpus]
