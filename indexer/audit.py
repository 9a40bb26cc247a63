"""The last check before publishing: every draft against the whole corpus.

The gate compares a draft with its own original. The audit compares it with all others: it finds a
name that was recognised in one document and missed in another, wording that a draft shares with
another record, and a draft that is similar to another record as a whole.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from sage_rag.indexer.similarity import SimilarityAudit
from sage_rag.privacy.gate.draft_words import draft_words
from sage_rag.privacy.gate.findings import Finding, FindingKind, Verdict
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.tokens import TOKEN

KNOWN_IDENTIFIER = "known-identifier"
"""The reason for refusing a text with a direct identifier of another document."""
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MIN_CHARS = 6
"""Shorter values ("Li", "A 4") occur in ordinary prose by chance."""


def identifier_words(value: str) -> tuple[str, ...]:
    """Return the words by which a value is found in a text."""
    return tuple(_WORD.findall(value))


class IdentifierAudit:
    """Find known direct identifiers, as word sequences, in any text; linear in its length.

    Case-sensitive: otherwise a name that is also two words ("Will Young") would match prose.
    """

    def __init__(self) -> None:
        self._values: dict[str, set[tuple[str, ...]]] = {}

    def add(self, values: Iterable[str]) -> None:
        """Add plain values. Those of one word are left to the gate: words are ambiguous."""
        for value in values:
            tokens = identifier_words(value)
            if len(value) >= _MIN_CHARS and (len(tokens) > 1 or value.isdigit()):
                self._values.setdefault(tokens[0], set()).add(tokens)

    def count(self, text: str) -> int:
        """Return how many known values occur in a text outside its tokens."""
        return len(self.places(text))

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each known value in a text outside its tokens."""
        masked = TOKEN.sub(lambda token: "_" * len(token.group()), text)
        words = list(_WORD.finditer(masked))
        tokens = [word.group() for word in words]
        return [
            (words[index].start(), words[index + len(value) - 1].end())
            for index, token in enumerate(tokens)
            for value in self._values.get(token, ())
            if tuple(tokens[index : index + len(value)]) == value
        ]


class WordingAudit:
    """Find runs of `run_tokens` words that occur in an original; 8 bytes per word of the corpus."""

    def __init__(self, run_tokens: int) -> None:
        self._run_tokens = run_tokens
        self._known = np.zeros(0, dtype=np.int64)

    def reading(self, originals: Iterable[str]) -> Iterator[str]:
        """Yield the originals unchanged; at the end their runs are known."""
        hashes = array("q")
        for text in originals:
            hashes.extend(h for _, _, h in self._windows(text))
            yield text
        self._known = np.unique(np.frombuffer(hashes, dtype=np.int64))

    def runs(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of such runs in a text; tokens and placeholders break a run."""
        windows = list(self._windows(text))
        if not windows or not len(self._known):
            return []
        hashes = np.fromiter((w[2] for w in windows), dtype=np.int64, count=len(windows))
        places = np.minimum(np.searchsorted(self._known, hashes), len(self._known) - 1)
        found: list[tuple[int, int]] = []
        for i in np.flatnonzero(self._known[places] == hashes):
            start, end, _ = windows[i]
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found

    def without_runs(self, text: str) -> str:
        """Return a text without the sentences that share such a run with an original."""
        ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        shared = self.runs(text)
        kept = [
            text[start:end]
            for start, end in pairwise(ends)
            if not any(a < end and start < b for a, b in shared)
        ]
        return "".join(kept).strip()

    def _windows(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and hash of each run of words.

        Two runs with one hash (2^-64 each) only cause a needless rewrite.
        """
        found = draft_words(text)
        for first in range(len(found) - self._run_tokens + 1):
            run = found[first : first + self._run_tokens]
            yield run[0].start, run[-1].end, hash(tuple(word.text for word in run))


class CorpusAudit:
    """Compare drafts with the originals of all documents, by the limits of the gate.

    A limit that is off in the gate is off here, too.
    """

    def __init__(self, originals: Iterable[str], limits: GateLimits) -> None:
        """Read the originals once."""
        self._limits = limits
        self._wording = self._similarity = None
        if limits.run_tokens is not None:
            self._wording = WordingAudit(limits.run_tokens)
            originals = self._wording.reading(originals)
        if limits.rouge_l is not None:
            self._similarity = SimilarityAudit(originals, limits.rouge_l)
        else:
            deque(originals, maxlen=0)

    def judge(self, text: str) -> Verdict:
        """Return the findings about a draft with placeholders.

        `rouge_l` is the value of an original over the limit, or 0; `longest_run` is always 0.
        """
        runs = self._wording.runs(text) if self._wording else []
        findings = [
            Finding(FindingKind.SHARED_RUN, "repeats words of another document", start, end)
            for start, end in runs
        ]
        similar = self._similarity.similar(text) if self._similarity else None
        if similar is not None:
            message = f"ROUGE-L with an original is {similar:.2f}, over {self._limits.rouge_l}"
            findings.append(Finding(FindingKind.SIMILARITY, message))
        return Verdict(tuple(findings), 0, similar or 0.0)

    def without_runs(self, text: str) -> str:
        """Return a text without the sentences that share a run with an original."""
        return self._wording.without_runs(text) if self._wording else text
