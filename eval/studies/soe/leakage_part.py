"""Values that stay in clear when samples are encrypted before the synthesis, or only after it.

Source: Liu et al. (2025), SoE, A.4, Table 8 and Figure 8. Differs: the values of the invented
persons are known, so no one has to search for those that the recognizer overlooked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from sage_rag.common.proportions import Proportion
from sage_rag.eval.knowledge.persons import ENTITY_TYPES, Person
from sage_rag.eval.studies.soe.corpora import Population, study_keyset
from sage_rag.eval.studies.soe.training_runs import SeedFolder
from sage_rag.eval.studies.soe.tuples_part import PERSONS_PER_DOCUMENT, source_documents
from sage_rag.eval.studies.stored_figures import all_stored, store
from sage_rag.eval.studies.tables import share, table
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.training.synthesis.encryption import When
from sage_rag.training.synthesis.leakage import leakage
from sage_rag.training.synthesis.synthesis import synthesize

_FILE = "leakage.json"
_QUARTILES = (0, 25, 50, 75, 100)


class LeakageFigures(BaseModel):
    """Mentions of private values in the samples of one seed, by type, and by source document.

    `by_document`: plain and encrypted mentions.
    """

    model_config = ConfigDict(frozen=True)
    seed: int
    when: When
    samples: int
    plain: Mapping[EntityType, int]
    encrypted: Mapping[EntityType, int]
    by_document: tuple[tuple[int, int], ...]


class StoredLeakage(BaseModel):
    """The figures of one seed."""

    model_config = ConfigDict(frozen=True)
    figures: tuple[LeakageFigures, ...]


def run_leakage(seed: SeedFolder) -> None:
    """Count plain values in samples, encrypted before and after, with the default recognizer."""
    file = seed.folder / _FILE
    if file.exists():
        return
    found = tuple(measure_leakage(seed.people, when) for when in When)
    store(StoredLeakage(figures=found), file)


def stored_leakage(home: Path) -> list[LeakageFigures]:
    """Return the figures of all seeds.

    Raises:
        InputError: for a file that does not hold such figures.
    """
    seeds = all_stored(StoredLeakage, home, f"seed-*/{_FILE}")
    return [figures for seed in seeds for figures in seed.figures]


def measure_leakage(
    people: Population, when: When, recognizer: Recognizer | None = None
) -> LeakageFigures:
    """Count plain and encrypted mentions in the samples of each source document."""
    documents = source_documents(people)
    owners = {
        document.id: people.corpus[int(document.id) : int(document.id) + PERSONS_PER_DOCUMENT]
        for document in documents
    }
    samples = synthesize(
        documents,
        cipher=default_cipher(study_keyset("leakage", people.seed), "leakage"),
        samples_per_document=PERSONS_PER_DOCUMENT * people.settings.few_texts,
        tokens_per_document=10**6,
        seed=people.seed,
        when=when,
        recognizer=recognizer,
    )
    plain: Counter[EntityType] = Counter()
    encrypted: Counter[EntityType] = Counter()
    counts, total = [], 0
    for source, group in groupby(samples, key=lambda sample: sample.source):
        texts = [sample.text for sample in group]
        found = leakage(_values(owners[source]), texts)
        plain.update(found.plain)
        encrypted.update(found.encrypted)
        counts.append((found.plain.total(), found.encrypted.total()))
        total += len(texts)
    return LeakageFigures(
        seed=people.seed,
        when=when,
        samples=total,
        plain=plain,
        encrypted=encrypted,
        by_document=tuple(counts),
    )


def _values(persons: Iterable[Person]) -> dict[str, EntityType]:
    found: dict[str, EntityType] = {}
    for person in persons:
        found[person.name] = EntityType.PERSON
        found |= {value: ENTITY_TYPES[a] for a, value in person.values.items()}
    return found


def blocks(found: Sequence[LeakageFigures]) -> Iterator[str]:
    """Yield the tables of the part, where it has been run."""
    if not found:
        return
    types = sorted({t for figures in found for t in (*figures.plain, *figures.encrypted)})
    rows = [
        (figures.when, figures.seed, figures.samples, name, share(_plain_share(figures, kinds)))
        for figures in found
        for name, kinds in [("all", types), *((t, [t]) for t in types)]
    ]
    spread = [
        (figures.when, figures.seed, len(figures.by_document), *_quartiles(figures))
        for figures in found
    ]
    titles = ("encrypted", "seed", "samples", "type", "mentions in clear")
    quartiles = ("encrypted", "seed", "documents", *(f"{q} %" for q in _QUARTILES))
    yield (
        "## Leakage of late encryption\n\nSamples of `sage-rag synthesize` with the default "
        "recognizer, from one document for every two persons. `before`: entities of the source are "
        "encrypted, and a value that the recognizer overlooks there stays in clear. `after`: it "
        "reads each finished sample. The paper counts 1 plain mention per 300 encrypted ones after "
        "the synthesis. Types that share a name under the codebook count as one.\n\n"
        + table(titles, rows)
        + "\n\nPlain mentions per encrypted one, by document (quantiles):\n\n"
        + table(quartiles, spread)
    )


def _plain_share(figures: LeakageFigures, types: Iterable[EntityType]) -> Proportion:
    plain = sum(figures.plain.get(t, 0) for t in types)
    return Proportion.of(plain, plain + sum(figures.encrypted.get(t, 0) for t in types))


def _quartiles(figures: LeakageFigures) -> list[str]:
    ratios = [plain / encrypted for plain, encrypted in figures.by_document if encrypted]
    if not ratios:
        return ["–"] * len(_QUARTILES)
    return [f"{value:.3f}" for value in np.percentile(ratios, _QUARTILES)]
