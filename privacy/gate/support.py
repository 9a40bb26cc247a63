"""Support: how many subjects of a corpus say what a passage says.

A *subject* is a person, or whatever the records are about; several records may be about one. A
*statement* is a part of a passage between two marks of punctuation or line breaks. What at least k
subjects say is not the record of one of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.stems import stem
from sage_rag.privacy.gate.draft_words import draft_tokens
from sage_rag.privacy.gate.findings import Finding, FindingKind
from sage_rag.privacy.gate.labels import LABELS
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS

VERSION = 6
RUN_WORDS = 4
"""Runs of four words are rare enough to tell records apart (`eval.linkage`)."""
_LONG_RUN_FACTOR = 2
"""A run of `RUN_WORDS` or more needs twice k subjects: k subjects who say it are all members, and a
person who holds their records finds that out by it (docs/results/consensus.md)."""
FEWEST_IN_A_ROW = 2
"""Words in a row that k subjects say, or none, where two statements meet. A statement has any."""
MOST_WORDS = 9
"""The most words of a statement: a run of ten is repeated text (`GateLimits.run_tokens`)."""

_BORDER = re.compile(r"[\n.,;:!?]+")
_FEWEST = 2

Texts = Iterable[str]
_Codes = NDArray[np.uint64]
_NO_CODES: _Codes = np.zeros(0, np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_PARTS = 16
"""Codes are counted in sixteen parts, by their first bits: a part's copies take little memory."""


def least_subjects(words: int, k: int) -> int:
    """Return how many subjects must say a run of `words`: k, or 2k from four words on."""
    return k if words < RUN_WORDS else _LONG_RUN_FACTOR * k


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that are no function words."""
    return frozenset(stem(word) for word in draft_tokens(text) if word not in FUNCTION_WORDS)


class SupportCounts:
    """Counts of distinct subjects by run of one to nine words, and the subjects of each stem.

    `records`: pairs of a subject and the texts of one record; a run continues in the next text, as
    it does where the record is read as a whole. `originals`: the same with the texts before
    protection, of which only `in_any_form` counts the runs. A run is stored as 64 bits of a hash:
    two of n runs are mixed up with a probability of about n² / 2⁶⁵, which is 10⁻⁵ for 10,000
    records of 200 words.
    """

    def __init__(
        self, records: Iterable[tuple[str, Texts]], originals: Iterable[tuple[str, Texts]] = ()
    ) -> None:
        self._word_codes: dict[str, np.uint64] = {}
        self._stems: dict[str, set[str]] = {}
        codes: dict[str, _Codes] = {}
        for subject, texts in records:
            tokens = [word for text in texts for word in draft_tokens(text)]
            held = self._stems.setdefault(subject, set())
            held.update(stem(word) for word in set(tokens) if word not in FUNCTION_WORDS)
            codes[subject] = self._distinct(tokens, codes.get(subject, _NO_CODES))
        hidden: dict[str, _Codes] = {}
        for subject, texts in originals:
            tokens = [word for text in texts for word in draft_tokens(text)]
            found = self._distinct(tokens, hidden.get(subject, _NO_CODES))
            said = codes.get(subject, _NO_CODES)
            hidden[subject] = np.setdiff1d(found, said, assume_unique=True)
        self._said = _CodeCounts(list(codes.values()))
        self._hidden = _CodeCounts(list(hidden.values()))

    @property
    def subjects(self) -> int:
        """The number of distinct subjects."""
        return len(self._stems)

    def of_runs(self, tokens: Sequence[str], size: int) -> NDArray[np.int64]:
        """Return, for each run of `size` words in `tokens`, the number of subjects that say it.

        Shape: `(len(tokens) - size + 1,)`, empty for fewer tokens.
        """
        if not 1 <= size <= MOST_WORDS:
            raise ValueError(f"runs have 1 to {MOST_WORDS} words, not {size}")
        runs = list(self._runs(tokens, size))
        return self._said.of(runs[-1]) if len(runs) == size else np.zeros(0, np.int64)

    def of_all_runs(self, tokens: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return `of_runs` for one word, two, … up to nine words or all of `tokens`."""
        return [self._said.of(codes) for codes in self._runs(tokens, MOST_WORDS)]

    def in_any_form(self, tokens: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return `of_all_runs` with the subjects whose originals alone have a run."""
        runs = self._runs(tokens, MOST_WORDS)
        return [self._said.of(codes) + self._hidden.of(codes) for codes in runs]

    def together(self, stems: frozenset[str], subjects: Iterable[str] | None = None) -> int:
        """Return how many of `subjects` (default: all) have records that contain all `stems`."""
        if subjects is not None:
            return sum(stems <= self._stems.get(subject, set()) for subject in subjects)
        holders = sorted((self._holders.get(word, set()) for word in stems), key=len)
        return len(set.intersection(*holders)) if holders else self.subjects

    @cached_property
    def _holders(self) -> dict[str, set[str]]:
        holders: dict[str, set[str]] = {}
        for subject, stems in self._stems.items():
            for word in stems:
                holders.setdefault(word, set()).add(subject)
        return holders

    def _distinct(self, tokens: Sequence[str], known: _Codes) -> _Codes:
        """Return the codes of all runs of a text, and the `known` ones, in ascending order."""
        return np.unique(np.concatenate([known, *self._runs(tokens, MOST_WORDS)]))

    def _runs(self, tokens: Sequence[str], most: int) -> Iterator[_Codes]:
        """Yield the codes of all runs of one word, of two, … and of `most` words."""
        words = np.fromiter(map(self._word_code, tokens), dtype=np.uint64, count=len(tokens))
        codes = words
        for size in range(1, min(most, len(tokens)) + 1):
            if size > 1:
                codes = codes[:-1] * _FACTOR + words[size - 1 :]
            yield codes

    def _word_code(self, word: str) -> np.uint64:
        code = self._word_codes.get(word)
        if code is None:
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            code = self._word_codes[word] = np.uint64(int.from_bytes(digest, "little"))
        return code


class _CodeCounts:
    """How many subjects have each code. `subjects`: the codes of each, in ascending order."""

    def __init__(self, subjects: Sequence[_Codes]) -> None:
        limits = np.arange(1, _PARTS, dtype=np.uint64) * np.uint64(2**64 // _PARTS)
        parts = [np.split(codes, np.searchsorted(codes, limits)) for codes in subjects]
        found = [
            np.unique(np.concatenate(part), return_counts=True) for part in zip(*parts, strict=True)
        ]
        self._codes = np.concatenate([_NO_CODES, *(codes for codes, _ in found)])
        self._counts = np.concatenate(
            [np.zeros(0, np.int32), *(counts.astype(np.int32) for _, counts in found)]
        )

    def of(self, wanted: _Codes) -> NDArray[np.int64]:
        """Return `(len(wanted),)`: the number of subjects that have each code."""
        if not len(self._codes):
            return np.zeros(len(wanted), np.int64)
        places = np.searchsorted(self._codes, wanted)
        places[places == len(self._codes)] = 0
        found = self._codes[places] == wanted
        return np.where(found, self._counts[places], 0).astype(np.int64)


class SupportGate:
    """Judge passages by the support of their statements: at least `k` subjects each."""

    def __init__(self, counts: SupportCounts, k: int) -> None:
        if k < _FEWEST:
            raise ValueError(f"k is {k}: support needs at least {_FEWEST} subjects")
        self._counts = counts
        self.k = k

    def judge(
        self, fields: Mapping[str, str], subjects: frozenset[str] | None = None
    ) -> list[Finding]:
        """Return a finding for each statement that fewer than k subjects support.

        `subjects`: those of the passage's topic; `None` for all subjects of the corpus.
        """
        if subjects is not None and len(subjects) < self.k:
            message = f"the topic has {len(subjects)} subjects, fewer than {self.k}"
            return [Finding(FindingKind.TOO_FEW_SUBJECTS, message)]
        parts = [part for text in fields.values() for part in split_parts(text)]
        refused = [p for p in parts if p not in LABELS and not self.supports(p, subjects)]
        tokens: list[str] = []
        for part in parts:
            if not self.joins(tokens, part):
                refused.append(part)
            tokens += draft_tokens(part)
        return [_finding(statement) for statement in dict.fromkeys(refused)]

    def supports(self, statement: str, subjects: frozenset[str] | None = None) -> bool:
        """Return whether k subjects support a statement of at most nine words.

        All its words in a row are said by k subjects of the corpus, four or more words by 2k, and
        the content words occur together in the records of k subjects of the topic.
        """
        tokens = draft_tokens(statement)
        if not 1 <= len(tokens) <= MOST_WORDS:
            return False
        if self._counts.of_runs(tokens, len(tokens))[0] < least_subjects(len(tokens), self.k):
            return False
        return self._counts.together(content_stems(statement), subjects) >= self.k

    @property
    def subjects(self) -> int:
        """The number of subjects of the corpus."""
        return self._counts.subjects

    def support(self, stems: frozenset[str], subjects: Iterable[str] | None = None) -> int:
        """Return how many of `subjects` (default: all) have records that contain all `stems`."""
        return self._counts.together(stems, subjects)

    def joins(self, before: Sequence[str], statement: str) -> bool:
        """Return whether a statement, or the label of one, may follow the words `before`.

        A run of two to eight words across the border is said by k subjects, from four words on by
        2k, or by none; one of nine words is said by none, so that no ten words in a row are an
        original's. Runs count in protected records and in originals, where a word may be in clear
        that is hidden elsewhere.
        """
        first, second = before[1 - MOST_WORDS :], draft_tokens(statement)[: MOST_WORDS - 1]
        tokens, border = [*first, *second], len(first)
        for size, found in enumerate(self._counts.in_any_form(tokens), 1):
            counts = found[max(0, border - size + 1) : border]
            enough = least_subjects(size, self.k) if size < MOST_WORDS else np.inf
            if size >= FEWEST_IN_A_ROW and ((counts > 0) & (counts < enough)).any():
                return False
        return True


def split_statements(text: str) -> list[str]:
    """Return the statements of a passage's field, without the labels."""
    return [part for part in split_parts(text) if part not in LABELS]


def split_parts(text: str) -> list[str]:
    """Return the statements and labels of a passage's field, in their order."""
    return [part for found in _BORDER.split(text) if (part := found.strip())]


def _finding(statement: str) -> Finding:
    message = f"a statement of {len(draft_tokens(statement))} words"
    return Finding(FindingKind.UNSUPPORTED_DETAIL, message)
