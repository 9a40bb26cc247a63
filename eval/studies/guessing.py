"""Guess names behind ciphertexts from their frequencies: two attackers on an index of names.

The attacker sees, of each value in an index, its ciphertext and its *marks*: the blind words of
its parts, and what else a cipher repeats (equal blocks under ECB). What is the same value is the
same ciphertext, so each counts in how many records it occurs. Which marks belong to which value is
given to the attacker for free, although an index shows it only where records hold few values:
the figures are upper bounds in that respect.

Source: Naveed, Kamara and Wright (2015), "Inference attacks on property-preserving encrypted
databases", CCS, §4.1 (frequency analysis); Lacharité and Paterson (2015), "A note on the optimality
of frequency analysis vs. ℓp-optimization" (matching ranks is the maximum-likelihood guess);
Weisfeiler and Leman (1968) (colour refinement, which the strongest attacker uses).
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

_ROUNDS = 12
"""Of colour refinement; graphs of names are stable after three or four."""
_LEAST_GRAPH = 8
"""Parts, below which there is no graph to read roles from."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ObservedValue:
    """A value as an index shows it, its part words and equal blocks in no order.

    `shape` is what the ciphertext tells of the value's length.
    """

    ciphertext: str
    shape: int
    parts: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()

    @property
    def marks(self) -> frozenset[str]:
        """Part words and blocks."""
        return self.parts | self.blocks


@dataclass(frozen=True, slots=True)
class AttackerKnowledge:
    """What an attacker knows: how frequent whole names, given names and family names are.

    `lone`: the same of parts where an index has one word of each name only.
    """

    names: Weights
    given: Weights
    family: Weights
    lone: Weights


def by_rank(
    records: Sequence[Iterable[ObservedValue]],
    names: Weights,
    shape: Callable[[str], int],
    seed: int,
) -> dict[str, str]:
    """Guess each ciphertext's name: the n-th frequent of a shape is the n-th frequent name of it.

    `shape` tells a name's shape, as anybody can who knows the cipher.
    Returns guesses by ciphertext; ties in random order.
    """
    counts = Counter(seen for record in records for seen in set(record))
    ciphertexts: dict[int, Counter[str]] = defaultdict(Counter)
    for seen, count in counts.items():
        ciphertexts[seen.shape][seen.ciphertext] = count
    candidates: dict[int, dict[str, float]] = defaultdict(dict)
    for name, weight in names.items():
        candidates[shape(name)][name] = weight
    chance = random.Random(seed)  # noqa: S311 - order of ties
    guesses: dict[str, str] = {}
    for size, seen_counts in sorted(ciphertexts.items()):
        guesses |= match_ranks(seen_counts, candidates[size], chance)
    return guesses


def by_parts(
    records: Sequence[Iterable[ObservedValue]], known: AttackerKnowledge, seed: int
) -> dict[str, str]:
    """Guess what each part word stands for: given names and family names by rank, apart.

    A value of two parts has one of either, so the graph of parts that share a value falls into
    two sides; which side is which, the likelihood of the guesses decides. A part counts once per
    distinct value, not per record: a doctor in every tenth record makes no name more frequent
    among people. Returns guesses by word.
    """
    values = sorted({seen.ciphertext: seen for record in records for seen in record}.items())
    held = [sorted(seen.parts) for _, seen in values]
    counts = Counter(part for parts in held for part in parts)
    chance = random.Random(seed)  # noqa: S311 - order of ties
    if max(map(len, held), default=0) < 2:
        return match_ranks(counts, known.lone, chance)
    sides = _sides([parts for parts in held if len(parts) == 2])
    best: tuple[float, dict[str, str]] = (-np.inf, {})
    for orientation in (1, -1):
        guesses: dict[str, str] = {}
        likelihood = 0.0
        for side, weights in ((orientation, known.given), (-orientation, known.family)):
            # A mark that stands alone is a given name: so people are mentioned by one.
            own = {m: n for m, n in counts.items() if sides.get(m, orientation) == side}
            matched = match_ranks(own, weights, chance)
            likelihood += _log_likelihood(own, matched, weights)
            guesses |= matched
        best = max(best, (likelihood, guesses), key=lambda found: found[0])
    return best[1]


def match_ranks(
    counts: Mapping[str, int], weights: Weights, chance: random.Random
) -> dict[str, str]:
    """Pair ciphertexts with names by rank, the most frequent first, equal ones in random order."""
    ciphertexts = sorted(counts, key=lambda c: (-counts[c], chance.random()))
    names = sorted(weights, key=lambda n: (-weights[n], chance.random()))
    return dict(zip(ciphertexts, names, strict=False))


def _log_likelihood(
    counts: Mapping[str, int], matched: Mapping[str, str], weights: Weights
) -> float:
    """Return how likely counts are under guesses; what no name is left for is rarer than all."""
    total, rarest = sum(weights.values()), min(weights.values())
    shares = (weights[matched[c]] if c in matched else rarest / 2 for c in counts)
    return sum(
        n * float(np.log(share / total)) for n, share in zip(counts.values(), shares, strict=True)
    )


def _sides(pairs: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return 1 or -1 for each mark, such that pairs mostly hold one of either.

    By the sign of the lowest eigenvector of the normalised adjacency matrix, which tolerates that
    some names are given and family names. Of the largest component alone; empty where
    there are hardly any pairs.
    """
    marks = sorted({mark for pair in pairs for mark in pair})
    if len(marks) < _LEAST_GRAPH:
        return {}
    place = {mark: i for i, mark in enumerate(marks)}
    ends = np.array([[place[a], place[b]] for a, b in pairs], dtype=int)
    rows, columns = np.concatenate([ends, ends[:, ::-1]]).T
    shape = (len(marks), len(marks))
    _, component = connected_components(csr_matrix((np.ones(len(rows)), (rows, columns)), shape))
    largest = np.flatnonzero(component == np.bincount(component).argmax())
    degree = np.bincount(rows, minlength=len(marks))
    data = 1.0 / np.sqrt(degree[rows] * degree[columns])
    adjacency = csr_matrix((data, (rows, columns)), shape)[largest][:, largest]
    start = np.sqrt(degree[largest]) * np.linspace(1, 2, len(largest))
    _, vectors = eigsh(adjacency, k=1, which="SA", v0=start)
    return {marks[m]: 1 if vectors[i, 0] > 0 else -1 for i, m in enumerate(largest)}


def by_structure(
    counts: Mapping[ObservedValue, int], own: Mapping[str, tuple[ObservedValue, int]], seed: int
) -> dict[str, str]:
    """Guess with a list of the very names: who is in the index, but not in which records.

    `counts`: in how many records each value is; `own`: for each name on the list, what the
    attacker's own key makes of it, and the number of records if the list has it, else 0 for both.
    Both graphs of values and marks are refined by colour; a ciphertext is one of the names of its
    colour, at random. Returns guesses by ciphertext.
    """
    name_of = {seen.ciphertext: name for name, (seen, _) in own.items()}
    theirs = _colours(counts)
    ours = _colours(dict(own.values()))
    candidates: dict[Hashable, list[str]] = defaultdict(list)
    for ciphertext, colour in sorted(ours.items()):
        candidates[colour].append(name_of[ciphertext])
    chance = random.Random(seed)  # noqa: S311 - order of ties
    for names in candidates.values():
        chance.shuffle(names)
    return {
        ciphertext: candidates[colour].pop()
        for ciphertext, colour in sorted(theirs.items())
        if candidates[colour]
    }


def _colours(counts: Mapping[ObservedValue, int]) -> dict[str, Hashable]:
    """Return a colour for each ciphertext: equal in two indexes where their roles are the same."""
    colours: dict[ObservedValue, int] = {
        s: hash((n, s.shape, len(s.marks))) for s, n in counts.items()
    }
    holders: dict[str, list[ObservedValue]] = defaultdict(list)
    for seen in counts:
        for mark in seen.marks:
            holders[mark].append(seen)
    for _ in range(_ROUNDS):
        marks = {m: hash(tuple(sorted(colours[s] for s in held))) for m, held in holders.items()}
        colours = {
            s: hash((colour, *sorted(marks[m] for m in s.marks))) for s, colour in colours.items()
        }
    return {seen.ciphertext: colour for seen, colour in colours.items()}
