"""Infer names from the frequencies of ciphertexts: two attackers on an index of names.

The attacker sees the ciphertext of each value in an index and its *marks*: the blind words of its
parts, and everything else that a cipher repeats (equal blocks under ECB). Equal values have equal
ciphertexts, so the attacker counts the records in which each occurs. The attacker is also given
which marks belong to which value, although an index shows this only where records hold few values:
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
"""Rounds of colour refinement; graphs of names are stable after three or four."""
_LEAST_GRAPH = 8
"""Parts; with fewer, the graph shows no roles."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ObservedValue:
    """A value as an index shows it; its part words and equal blocks have no order.

    `shape` is the value's length as far as the ciphertext shows it.
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
    """The frequencies of whole names, given names and family names that an attacker knows.

    `lone`: frequencies of parts, for an index with only one word of each name.
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
    """Guess each ciphertext's name by rank: match the n-th most frequent of each shape.

    `shape` returns a name's shape, which anyone who knows the cipher can compute.
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
    """Guess the name behind each part word: given names and family names by rank, separately.

    A value of two parts has one of each, so the graph of parts that share a value has two sides;
    the likelihood of the guesses decides which side holds the given names. A part counts once per
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
            # A single mark is a given name: people are mentioned by it alone.
            own = {m: n for m, n in counts.items() if sides.get(m, orientation) == side}
            matched = match_ranks(own, weights, chance)
            likelihood += _log_likelihood(own, matched, weights)
            guesses |= matched
        best = max(best, (likelihood, guesses), key=lambda found: found[0])
    return best[1]


def match_ranks(
    counts: Mapping[str, int], weights: Weights, chance: random.Random
) -> dict[str, str]:
    """Pair ciphertexts with names by rank, the most frequent first, ties in random order."""
    ciphertexts = sorted(counts, key=lambda c: (-counts[c], chance.random()))
    names = sorted(weights, key=lambda n: (-weights[n], chance.random()))
    return dict(zip(ciphertexts, names, strict=False))


def _log_likelihood(
    counts: Mapping[str, int], matched: Mapping[str, str], weights: Weights
) -> float:
    """Return the log-likelihood of counts; a ciphertext without a name is rarer than all names."""
    total, rarest = sum(weights.values()), min(weights.values())
    shares = (weights[matched[c]] if c in matched else rarest / 2 for c in counts)
    return sum(
        n * float(np.log(share / total)) for n, share in zip(counts.values(), shares, strict=True)
    )


def _sides(pairs: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return 1 or -1 for each mark, such that most pairs hold one of each.

    It is the sign of the lowest eigenvector of the normalised adjacency matrix, which tolerates
    names that are given and family names. Covers the largest component alone; empty if there are
    too few pairs.
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
    """Guess with a list of exactly the names in the index, without their records.

    `counts`: the number of records of each value. `own`: for each listed name, its value under the
    attacker's own key, and its number of records. Both numbers are 0 if the list has no counts.
    Both graphs of values and marks are refined by colour; each ciphertext is matched to a random
    name of its colour. Returns guesses by ciphertext.
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
    """Return a colour for each ciphertext; the same role in two indexes has the same colour."""
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
