"""Exact binomial tests of accuracies."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.special import betainc


def at_least(successes: int, trials: int, chance: float) -> float:
    """Return P(X >= successes) for X ~ B(trials, chance): the one-sided p value against guessing.

    Raises:
        ValueError: unless 0 <= successes <= trials and 0 < chance < 1.
    """
    if not (0 <= successes <= trials and 0 < chance < 1):
        raise ValueError(f"{successes} of {trials} at {chance} is not a binomial test")
    return float(betainc(successes, trials - successes + 1, chance)) if successes else 1.0


def better_than(own: Sequence[bool], other: Sequence[bool]) -> float:
    """Return the one-sided p value that one model answers more of the same questions correctly.

    The exact form of McNemar's test: among questions that only one of the two answers correctly,
    each is as likely to be the one.

    Source: McNemar (1947), "Note on the sampling error of the difference between correlated
    proportions or percentages"; the exact version is the binomial (sign) test.

    Raises:
        ValueError: when the numbers of questions differ.
    """
    wins = sum(a and not b for a, b in zip(own, other, strict=True))
    losses = sum(b and not a for a, b in zip(own, other, strict=True))
    return at_least(wins, wins + losses, 0.5)


def differ(own: Sequence[bool], other: Sequence[bool]) -> float:
    """Return the two-sided p value that two models are right equally often; see `better_than`.

    Raises:
        ValueError: when the numbers of questions differ.
    """
    return min(1.0, 2 * min(better_than(own, other), better_than(other, own)))
