"""Quasi-identifier combinations: the number of documents that an observer cannot distinguish.

A document is *k-anonymous* when k documents of the corpus, itself included, show the same set of
quasi-identifying values. Values count in their published form: an age band, a month and year, or a
token, since equal values have equal tokens. So k measures what an observer can do without a key.

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
"""Documents with a lower k are counted: 2 for unique documents, then the minimum cell sizes of
statistical offices. Source: Sweeney (2002), §3; El Emam and Dankar (2008), "Protecting privacy
using k-anonymity"."""
_LARGEST_COMBINATION = 3
"""The maximum number of types in a combination: three well-chosen values identify most people.
Source: Sweeney (2000), "Simple demographics often identify people uniquely"."""

QuasiValues = Mapping[EntityType, frozenset[str]]
"""The quasi-identifying values of one document by type, as published."""

_CLASSES = (Identifiability.QUASI, Identifiability.SENSITIVE)


def is_quasi(entity_type: EntityType) -> bool:
    """Return whether values of a type identify in combination."""
    return identifiability(entity_type) in _CLASSES


def quasi_values(text: str, spans: Iterable[Span], tokens: Iterable[str] = ()) -> QuasiValues:
    """Return the quasi-identifying values that one document publishes.

    `spans`: those that a recognizer finds in `text`. `tokens`: those that are published outside the
    text, as in a lexical index. Values in clear are compared by `words.normalize`; placeholders are
    not values.

    Does not guarantee: finding values that the recognizer misses, so the real k may be lower.
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
    """The number of documents whose values of these types are unique. Contains no values."""

    types: tuple[EntityType, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class AnonymityReport:
    """k-anonymity of a corpus: counts only, no values and no document ids.

    `classes`: distinct sets of values. `smallest`: the lowest k. `under`: the number of documents
    with k below each of `LEVELS`. `combinations`: sets of up to three types with unique documents,
    most documents first; without those that identify no more documents than a subset does.
    """

    documents: int
    classes: int
    smallest: int
    under: Mapping[int, int]
    combinations: tuple[UniqueCombination, ...]


def anonymity(corpus: Sequence[QuasiValues]) -> AnonymityReport:
    """Return the k-anonymity of a corpus.

    Documents without values form one class. Pass the whole corpus: k within a sample is too low,
    and shares of a sample need an interval.
    """
    classes = Counter(frozenset(document.items()) for document in corpus)
    return AnonymityReport(
        documents=len(corpus),
        classes=len(classes),
        smallest=min(classes.values(), default=0),
        under={k: sum(size for size in classes.values() if size < k) for k in LEVELS},
        combinations=_unique_combinations(corpus),
    )


def _unique_combinations(corpus: Sequence[QuasiValues]) -> tuple[UniqueCombination, ...]:
    """Return the combinations of types with unique documents."""
    present = sorted({entity_type for document in corpus for entity_type in document})
    columns = {entity_type: _value_numbers(corpus, entity_type) for entity_type in present}
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


def _value_numbers(corpus: Sequence[QuasiValues], entity_type: EntityType) -> list[int]:
    """Return a number per document for its values of a type; equal values have equal numbers."""
    numbers: dict[frozenset[str], int] = {}
    none: frozenset[str] = frozenset()
    return [numbers.setdefault(d.get(entity_type, none), len(numbers)) for d in corpus]
