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
from sage_rag.privacy.recognizers.wordlists import FUNCTION_WORDS

VERSION = 2
RUN_WORDS = 4
"""Runs of four words are rare enough to tell records apart (`eval.linkage`)."""
MOST_WORDS = 9
"""The most words of a statement: a run of ten is repeated text (`GateLimits.run_tokens`)."""

OFTEN = "Often"
"""The label of a statement that at least half of the topic's subjects support."""
OFTEN_SHARE = 0.5
_BORDER = re.compile(r"[\n.,;:!?]+")
_FEWEST = 2

Texts = Iterable[str]
_Codes = NDArray[np.uint64]
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that are no function words."""
    return frozenset(stem(word) for word in draft_tokens(text) if word not in FUNCTION_WORDS)


class SupportCounts:
    """Counts of distinct subjects by run of one to nine words, and the subjects of each stem.

    `records`: pairs of a subject and its texts; a run does not continue in the next text. A run is
    stored as 64 bits of a hash: two of n runs are mixed up with a probability of about n² / 2⁶⁵,
    which is 10⁻⁵ for 10,000 records of 200 words.
    """

    def __init__(self, records: Iterable[tuple[str, Texts]]) -> None:
        self._word_codes: dict[str, np.uint64] = {}
        self._stems: dict[str, set[str]] = {}
        codes: dict[str, _Codes] = {}
        for subject, texts in records:
            own = [codes[subject]] if subject in codes else []
            held = self._stems.setdefault(subject, set())
            for text in texts:
                tokens = draft_tokens(text)
                held.update(stem(word) for word in tokens if word not in FUNCTION_WORDS)
                own += self._runs(tokens)
            codes[subject] = np.unique(np.concatenate(own)) if own else np.zeros(0, np.uint64)
        everything = [*codes.values()] or [np.zeros(0, np.uint64)]
        self._codes, self._counts = np.unique(np.concatenate(everything), return_counts=True)

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
        if len(tokens) < size:
            return np.zeros(0, np.int64)
        wanted = list(self._runs(tokens))[size - 1]
        places = np.searchsorted(self._codes, wanted)
        places[places == len(self._codes)] = 0
        if not len(self._codes):
            return np.zeros(len(wanted), np.int64)
        found = self._codes[places] == wanted
        return np.where(found, self._counts[places], 0).astype(np.int64)

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

    def _runs(self, tokens: Sequence[str]) -> Iterator[_Codes]:
        """Yield the codes of all runs of one word, of two, … as long as there are any."""
        words = np.fromiter(map(self._word_code, tokens), dtype=np.uint64, count=len(tokens))
        codes = words
        for size in range(1, min(MOST_WORDS, len(tokens)) + 1):
            if size > 1:
                codes = codes[:-1] * _FACTOR + words[size - 1 :]
            yield codes

    def _word_code(self, word: str) -> np.uint64:
        code = self._word_codes.get(word)
        if code is None:
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            code = self._word_codes[word] = np.uint64(int.from_bytes(digest, "little"))
        return code


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
        statements = [s for text in fields.values() for s in split_statements(text)]
        refused = [s for s in statements if not self.supports(s, subjects)]
        tokens: list[str] = []
        for statement in statements:
            if not self.joins(tokens, statement):
                refused.append(statement)
            tokens += draft_tokens(statement)
        return [_finding(statement) for statement in dict.fromkeys(refused)]

    def supports(self, statement: str, subjects: frozenset[str] | None = None) -> bool:
        """Return whether k subjects support a statement of at most nine words.

        All its words in a row are said by k subjects of the corpus, and the content words occur
        together in the records of k subjects of the topic.
        """
        tokens = draft_tokens(statement)
        if not 1 <= len(tokens) <= MOST_WORDS:
            return False
        if self._counts.of_runs(tokens, len(tokens))[0] < self.k:
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
        """Return whether a statement may follow the words `before`.

        A run of four to nine words across the border is said by k subjects, or by none.
        """
        first, second = before[1 - MOST_WORDS :], draft_tokens(statement)[: MOST_WORDS - 1]
        tokens, border = [*first, *second], len(first)
        for size in range(RUN_WORDS, MOST_WORDS + 1):
            counts = self._counts.of_runs(tokens, size)[max(0, border - size + 1) : border]
            if ((counts > 0) & (counts < self.k)).any():
                return False
        return True


def split_statements(text: str) -> list[str]:
    """Return the statements of a passage's field, without the labels."""
    parts = (part.strip() for part in _BORDER.split(text))
    return [part for part in parts if part and part != OFTEN]


def _finding(statement: str) -> Finding:
    message = f"a statement of {len(draft_tokens(statement))} words"
    return Finding(FindingKind.UNSUPPORTED_DETAIL, message)
