"""Rewording with as few changes as possible, and none of the meaning."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sage_rag.agents.rules.clauses import indirect, move, swap
from sage_rag.agents.rules.contractions import short_forms, write_out
from sage_rag.agents.rules.edits import Edit, apply_edit, edits
from sage_rag.agents.rules.sentences import capitalize
from sage_rag.privacy.gate.leakage import Original, SharedRun
from sage_rag.privacy.words import tokenize

RUN = 10
"""Source: Zeng et al. (2024), arXiv 2406.14773, §4.3: a run of 10 tokens is repeated text."""

_SMALL_WORD = 0.1
"""The cost of losing a small word; a content word costs 1."""
_AGAIN = 0.15
"""The cost of repeating a change in the same draft, for each earlier use."""
_MOST_CHANGES = 12
"""The most passes over a text; each makes one change in every remaining run."""


class Wording:
    """Choices of wording for one draft: fixed by `seed`, varied within the draft."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._uses: dict[str, int] = {}

    def reword(self, sentences: Sequence[str], before: Original) -> list[str]:
        """Return neighbouring sentences reworded against the text `before`.

        Breaks the runs of 10 words that an edit can break, within a sentence or over its end.
        Sentences without such a run stay unchanged, and so does a run that no edit breaks.
        """
        said = self._break_runs(before, list(sentences))
        if before.longest_shared_run("\n".join(said)) < RUN:
            return said
        moved = [_moved(s) if before.longest_shared_run(s) >= RUN else s for s in said]
        return self._break_runs(before, moved)

    def loosen(self, run: str, sentence: str) -> str:
        """Return a sentence with edits that break a run of its words; unchanged if none does."""
        at_least = max(1, min(RUN, _size(run)))
        return self._break_runs(Original(run), [sentence], at_least=at_least)[0]

    def _choose(self, key: str, options: Sequence[str]) -> str:
        """Choose one of the options: by the seed at first, then in turn."""
        uses = self._uses.get(key, 0)
        self._uses[key] = uses + 1
        return options[(zlib.crc32(f"{self._seed}/{key}".encode()) + uses) % len(options)]

    def _break_runs(
        self, before: Original, sentences: list[str], *, at_least: int = RUN
    ) -> list[str]:
        """Apply one edit to every shared run, until none is left or no edit helps."""
        for _ in range(_MOST_CHANGES):
            said = "\n".join(sentences)
            changed, taken = said, len(said) + 1
            for run in reversed(before.shared_runs(said, at_least=at_least)):
                edit = _best(said, _edits_in(sentences, run), run, taken, self._uses)
                if edit is not None:
                    option = self._choose(edit.options[0], edit.options)
                    changed = apply_edit(changed, edit, option)
                    taken = edit.start
            if changed == said:
                break
            sentences = changed.split("\n")
        return sentences


def _edits_in(sentences: Sequence[str], run: SharedRun) -> Iterator[Edit]:
    """Yield the edits of the sentences that hold a part of a run, at their places in the text."""
    start = 0
    for sentence in sentences:
        end = start + len(sentence)
        if start < run.end and run.start < end:
            for edit in edits(sentence):
                yield replace(edit, start=start + edit.start, end=start + edit.end)
        start = end + 1


def _moved(sentence: str) -> str:
    """Return a sentence in another order: its conditions, times or questions; else unchanged."""
    mark = sentence[-1:] if sentence[-1:] in ".?" else ""
    body = sentence.removesuffix(mark)
    if mark == "?":
        if (other := swap(body)) != body:
            return f"{capitalize(other)}?"
        return f"{asked}." if (asked := indirect(body)) else sentence
    other = move(write_out(body))
    for form in short_forms(body):
        other = other.replace(write_out(form), form, 1)
    return capitalize(other) + mark


def _best(
    text: str, known: Iterable[Edit], run: SharedRun, taken: int, uses: Mapping[str, int]
) -> Edit | None:
    """Return the edit in a run, before `taken`, with the least loss and the fewest further
    edits."""
    size = _size(text[run.start : run.end])
    best: tuple[float, Edit] | None = None
    for edit in known:
        if edit.end <= run.start or edit.start >= run.end or edit.end > taken:
            continue
        first, last = edit.touched(text)
        before = _size(text[run.start : edit.start]) + first
        after = _size(text[edit.end : run.end]) + last
        longest = max(before, after)
        if longest >= size:
            continue
        # Further edits that the two parts will need, words lost, and evenness.
        further, lost = before // RUN + after // RUN, edit.cost + _SMALL_WORD * edit.lost
        value = further + lost + _AGAIN * uses.get(edit.options[0], 0) + longest / (10 * size)
        if best is None or value < best[0]:
            best = value, edit
    return best[1] if best else None


def _size(text: str) -> int:
    return len(tokenize(text))
