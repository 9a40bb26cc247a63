"""Leakage measures: how much of an original stands in another text. Pure, exact, no model.

Tokens are runs of `\\w`, case-folded; in scripts that write no spaces every character is one, or a
whole copied clause would count as a single word. The papers' code differs in places; see
`eval.detectors`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Han."""
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Word:
    """One token of a text with its range in code points."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A maximal run of tokens of a text that also stands in the original.

    `start` and `end` are code points in the text measured, `tokens` its length in tokens.
    """

    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class RougeL:
    """ROUGE-L of a text against an original, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


def words(text: str) -> list[Word]:
    """Return the case-folded tokens of a text with their places."""
    return [Word(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(text)]


def tokenize(text: str) -> list[str]:
    """Return the case-folded tokens of a text."""
    return [token.casefold() for token in _WORD.findall(text)]


class Original:
    """An original, prepared once so that many drafts can be measured against it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self._automaton: _SuffixAutomaton | None = None

    def shared_runs(self, text: str, *, at_least: int) -> list[SharedRun]:
        """Return the maximal shared runs of at least `at_least` tokens, in order of position."""
        found = words(text)
        runs: list[SharedRun] = []
        lengths = self._matches([word.text for word in found])
        for index, length in enumerate(lengths):
            grows_on = index + 1 < len(lengths) and lengths[index + 1] == length + 1
            if length >= at_least and not grows_on:
                first = found[index - length + 1]
                runs.append(SharedRun(first.start, found[index].end, length))
        return runs

    def longest_shared_run(self, text: str) -> int:
        """Return the length in tokens of the longest run that both texts hold."""
        return max(self._matches(tokenize(text)), default=0)

    def rouge_l(self, text: str) -> RougeL:
        """Return ROUGE-L of `text`, with F at β = 1.

        Source: Lin (2004), ROUGE, §3; used by SAGE, arXiv 2406.14773, A.8.
        """
        tokens = tokenize(text)
        if not tokens or not self.tokens:
            return RougeL(0.0, 0.0, 0.0)
        common = longest_common_subsequence(tokens, self.tokens)
        precision, recall = common / len(tokens), common / len(self.tokens)
        f1 = 2 * precision * recall / (precision + recall) if common else 0.0
        return RougeL(precision, recall, f1)

    def _matches(self, tokens: Sequence[str]) -> list[int]:
        if self._automaton is None:
            self._automaton = _SuffixAutomaton(self.tokens)
        return self._automaton.match_lengths(tokens)


def longest_common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, bit-parallel.

    Source: Hyyrö (2004), "Bit-parallel LCS-length computation revisited".
    """
    if not a or not b:
        return 0
    positions: dict[str, int] = {}
    for index, token in enumerate(a):
        positions[token] = positions.get(token, 0) | (1 << index)
    full = (1 << len(a)) - 1
    row = full
    for token in b:
        matches = positions.get(token)
        if matches is not None:
            overlap = row & matches
            row = ((row + overlap) | (row - overlap)) & full
    return len(a) - row.bit_count()


class _SuffixAutomaton:
    """The smallest automaton that reads every run of a token sequence; linear time and space.

    Source: Blumer et al. (1985), "The smallest automaton recognizing the subwords of a text".
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        last = 0
        for token in tokens:
            last = self._extend(last, token)

    def _extend(self, last: int, token: str) -> int:
        current = self._state(self._length[last] + 1, {})
        state = last
        while state != -1 and token not in self._next[state]:
            self._next[state][token] = current
            state = self._link[state]
        if state == -1:
            self._link[current] = 0
            return current
        target = self._next[state][token]
        if self._length[target] == self._length[state] + 1:
            self._link[current] = target
            return current
        clone = self._state(self._length[state] + 1, dict(self._next[target]))
        self._link[clone] = self._link[target]
        while state != -1 and self._next[state].get(token) == target:
            self._next[state][token] = clone
            state = self._link[state]
        self._link[target] = self._link[current] = clone
        return current

    def _state(self, length: int, following: dict[str, int]) -> int:
        self._next.append(following)
        self._length.append(length)
        self._link.append(0)
        return len(self._length) - 1

    def match_lengths(self, tokens: Sequence[str]) -> list[int]:
        """Return, for each token, the length of the longest shared run that ends there."""
        state = length = 0
        lengths = []
        for token in tokens:
            while state and token not in self._next[state]:
                state = self._link[state]
                length = self._length[state]
            if token in self._next[state]:
                state = self._next[state][token]
                length += 1
            lengths.append(length)
        return lengths


def normalize(text: str) -> str:
    """Return the form in which identifiers are compared: NFKC, case-folded, one space between."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def digits(text: str) -> str:
    """Return the decimal digits of a text as ASCII."""
    return "".join(
        str(unicodedata.digit(c)) for c in unicodedata.normalize("NFKC", text) if c.isdecimal()
    )
