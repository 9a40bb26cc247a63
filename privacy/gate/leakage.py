"""Leakage measures: how much of an original occurs in another text; exact, no model.

Gate, audit and attacks use these measures, so their counts agree. The code of the papers differs
in places; see `eval.detectors.compat`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from sage_rag.privacy.gate.draft_words import draft_tokens, draft_words, sentence_tokens
from sage_rag.privacy.gate.subsequences import Reference, common_length
from sage_rag.privacy.languages import language_of

_PAIRS_PER_TOKEN = 8
"""With fewer shared bigrams per token of both texts, following them is faster than the automaton
(measured: 0.1 µs per bigram, 0.8 µs per token)."""
_WORDS_BY_SENTENCES = 1_000_000
"""A record of 4,000 words and its draft have 0.8 million, which takes up to 0.2 s."""


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A maximal run of tokens of a text that also occurs in the original.

    `start` and `end`: code points in the measured text. `tokens`: the length in tokens.
    """

    start: int
    end: int
    tokens: int


def f1(common: int, one: int, other: int) -> float:
    """Return F (β = 1) of texts of `one` and `other` words, `common` of them common; 0 for none.

    It rounds once, so that a value of exactly 0.5 is 0.5.
    """
    return 2 * common / (one + other) if common else 0.0


class Original:
    """An original, prepared once for measuring many drafts.

    For several measures of one draft, call `compare` once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = draft_tokens(text)

    def compare(self, text: str) -> Comparison:
        """Return the measures of `text` against this original; each is computed when it is read."""
        return Comparison(self, text)

    def shared_runs(self, text: str, *, at_least: int) -> list[SharedRun]:
        """Return the maximal shared runs of at least `at_least` tokens, in order of position."""
        return self.compare(text).shared_runs(at_least=at_least)

    def longest_shared_run(self, text: str) -> int:
        """Return the length in tokens of the longest run in both texts."""
        return self.compare(text).longest_shared_run

    def rouge_l(self, text: str) -> float:
        """Return ROUGE-L F1 of `text`; see `Comparison.rouge_l`."""
        return self.compare(text).rouge_l

    def run_lengths(self, tokens: Sequence[str]) -> dict[int, int]:
        """Return the length of the longest shared run that ends at a token, where it is over 1.

        By index of the token, ascending. Linear in both texts.
        """
        places = self._places
        ends = [
            (end, places[bigram])
            for end, bigram in enumerate(pairwise(tokens), start=1)
            if bigram in places
        ]
        equal_pairs = sum(len(there) for _, there in ends)
        if equal_pairs > _PAIRS_PER_TOKEN * (len(tokens) + len(self.tokens)):
            lengths = self._automaton.match_lengths(tokens)
            return {end: length for end, length in enumerate(lengths) if length > 1}
        return _follow_pairs(ends)

    @cached_property
    def language(self) -> str | None:
        """The language of most of the text, `None` where it is unclear."""
        return language_of(self.text)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The distinct tokens."""
        return frozenset(self.tokens)

    @cached_property
    def references(self) -> list[Reference]:
        """The sentences."""
        return [Reference(tokens) for tokens in sentence_tokens(self.text)]

    @cached_property
    def _places(self) -> dict[tuple[str, str], list[int]]:
        """The indices at which each bigram ends."""
        places: dict[tuple[str, str], list[int]] = {}
        for place, bigram in enumerate(pairwise(self.tokens), start=1):
            if bigram in places:
                places[bigram].append(place)
            else:
                places[bigram] = [place]
        return places

    @cached_property
    def _automaton(self) -> _SuffixAutomaton:
        return _SuffixAutomaton(self.tokens)


class Comparison:
    """One text, tokenised once, measured against an original."""

    def __init__(self, original: Original, text: str) -> None:
        self._original = original
        self._text = text
        self.tokens = draft_tokens(text)

    @cached_property
    def rouge_l(self) -> float:
        """ROUGE-L F1 of the text (β = 1), in [0, 1].

        Source: Lin (2004), ROUGE, §3; used by SAGE, arXiv 2406.14773, A.8. Differs from the
        package rouge-score, whose tokens are `[a-z0-9]+`: here `_` and letters beyond ASCII are
        part of a word. For texts without them the results are equal.
        """
        tokens, others = self.tokens, self._original.tokens
        vocabulary = self._original.vocabulary.intersection(tokens)
        return f1(common_length(tokens, others, vocabulary), len(tokens), len(others))

    @cached_property
    def order_free(self) -> float:
        """ROUGE-Lsum F1 of the text (β = 1), in [0, 1]: likeness whatever the sentences' order.

        A word of the original counts if a longest common subsequence of its sentence with any
        sentence of the text contains it, and not more often than the text has the word.

        For a text of n words and an original of m sentences, n times m over a million, all words in
        common count, which is never less and takes linear time.

        Source: Lin (2004), ROUGE, §3.2, union LCS, with the original as the reference. Differs:
        a word counts no more often than in the text, as in the package rouge-score; words are
        those of `draft_words`, and so are sentences.
        """
        references = self._original.references
        if len(self.tokens) * len(references) > _WORDS_BY_SENTENCES:
            matched = Counter(self._original.tokens)
        else:
            sentences = sentence_tokens(self._text)
            matched = Counter(chain.from_iterable(r.matched(sentences) for r in references))
        common = (matched & Counter(self.tokens)).total()
        return f1(common, len(self.tokens), len(self._original.tokens))

    @cached_property
    def longest_shared_run(self) -> int:
        """The length in tokens of the longest run in both texts."""
        if self._lengths:
            return max(self._lengths.values())
        return int(not self._original.vocabulary.isdisjoint(self.tokens))

    def shared_runs(self, *, at_least: int) -> list[SharedRun]:
        """Return the maximal shared runs of at least `at_least` tokens, in order of position.

        Raises:
            ValueError: for a length under 1.
        """
        if at_least < 1:
            raise ValueError("a run has at least one token")
        if self.longest_shared_run < at_least:
            return []
        lengths = self._lengths
        if at_least == 1:
            single = (
                i for i, token in enumerate(self.tokens) if token in self._original.vocabulary
            )
            lengths = {**dict.fromkeys(single, 1), **lengths}
        places = [(word.start, word.end) for word in draft_words(self._text)]
        return [
            SharedRun(places[end - length + 1][0], places[end][1], length)
            for end, length in lengths.items()
            if length >= at_least and lengths.get(end + 1) != length + 1
        ]

    @cached_property
    def _lengths(self) -> dict[int, int]:
        return self._original.run_lengths(self.tokens)


def _follow_pairs(ends: Sequence[tuple[int, list[int]]]) -> dict[int, int]:
    """Return run lengths by extending the runs that end one token before each shared bigram.

    `ends`: for each shared bigram, its end in the one text and its ends in the other.
    """
    lengths: dict[int, int] = {}
    before: dict[int, int] = {}
    for end, places in ends:
        if end - 1 not in lengths:
            before = {}
        before = {place: before.get(place - 1, 1) + 1 for place in places}
        lengths[end] = max(before.values())
    return lengths


class _SuffixAutomaton:
    """The smallest automaton that accepts every run of a token sequence; linear time and space.

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
        """Return for each token the length of the longest shared run that ends there."""
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
