"""Common subsequences of token sequences, bit-parallel; exact.

Source: Hyyrö (2004), "Bit-parallel LCS-length computation revisited". Differs: tokens of one side
only are left out first, which shortens the bit vectors and does not change the result.
"""

from __future__ import annotations

from collections.abc import Sequence, Set


def longest_common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    return common_length(a, b, frozenset(a).intersection(b))


def common_length(a: Sequence[str], b: Sequence[str], common: Set[str]) -> int:
    """Return the same, given the tokens that both sides have."""
    masks = dict.fromkeys(common, 0)
    bit = 1
    for token in filter(common.__contains__, a):
        masks[token] |= bit
        bit <<= 1
    row = full = bit - 1
    for mask in map(masks.__getitem__, filter(common.__contains__, b)):
        overlap = row & mask
        row = ((row + overlap) | (row - overlap)) & full
    return full.bit_count() - row.bit_count()


class Reference:
    """A token sequence, prepared once for finding which of its tokens others have in order."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self._full = (1 << len(tokens)) - 1
        self._masks: dict[str, int] = {}
        for index, token in enumerate(tokens):
            self._masks[token] = self._masks.get(token, 0) | 1 << index

    def matched(self, others: Sequence[Sequence[str]]) -> list[str]:
        """Return the tokens that a longest common subsequence with one of `others` holds.

        Each token of the reference counts once. Of several longest subsequences, the one that
        `rouge-score` finds counts.
        """
        union = 0
        for tokens in others:
            union |= self._matched_bits(tokens)
        return [token for index, token in enumerate(self.tokens) if union >> index & 1]

    def _matched_bits(self, tokens: Sequence[str]) -> int:
        rows: list[tuple[int, int]] = []
        row, full = self._full, self._full
        for mask in map(self._masks.get, tokens):
            if mask is not None:
                overlap = row & mask
                row = ((row + overlap) | (row - overlap)) & full
                rows.append((row, mask))
            elif rows and rows[-1][1]:
                rows.append((row, 0))  # one entry for all tokens between two common ones
        return _traced(rows, full)


def _traced(rows: Sequence[tuple[int, int]], full: int) -> int:
    """Return the positions of one longest common subsequence as bits.

    `rows`: for each token, the positions at which the length does not grow, and the positions of
    the token. Walks back from both ends: a match is taken at once; else the reference gives way as
    long as the length stays.
    """
    found, within = 0, full
    for row, mask in reversed(rows):
        match, growth = mask & within, ~row & within
        if match and match.bit_length() >= growth.bit_length():
            last = 1 << match.bit_length() - 1
            found |= last
            within = last - 1
        else:
            within = (1 << growth.bit_length()) - 1
        if not within:
            break
    return found
