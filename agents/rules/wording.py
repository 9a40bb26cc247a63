"""Rewording with as few changes as possible."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

from sage_rag.agents.rules.contractions import short_forms, write_out
from sage_rag.agents.rules.edits import NATURAL, STIFF, TERSE, Edit, apply_edit, edits
from sage_rag.agents.rules.restructuring import invert, move, split
from sage_rag.agents.rules.sentences import capitalize, sentence_places
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

        Breaks every run of 10 words that a rule can break, within a sentence or over its end.
        Sentences without such a run stay unchanged.
        """
        said = " ".join(sentences)
        if before.longest_shared_run(said) >= RUN:
            said = " ".join(self._move_in_run(sentence, before) for sentence in sentences)
        said = self._break_runs(before, said)
        if before.longest_shared_run(said) >= RUN:
            said = " ".join(self._split(before, said))
            for tier in (NATURAL, STIFF, TERSE):
                said = self._break_runs(before, said, tier)
        return [capitalize(said[a:b]) for a, b in sentence_places(said)]

    def vary(self, sentence: str, cost: int, tier: int = NATURAL) -> str:
        """Return a sentence with all edits that cost at most `cost` content words each."""
        said = sentence
        taken = len(sentence) + 1
        for edit in sorted(edits(sentence, tier), key=lambda e: (-e.start, e.cost, -e.end)):
            if edit.cost <= cost and edit.end <= taken:
                said = apply_edit(said, edit, self.choose(edit.options[0], edit.options))
                taken = edit.start
        return capitalize(said)

    def loosen(self, run: str, text: str) -> str:
        """Return the text with changes that break a run of its words; unchanged if none does."""
        before, at_least = Original(run), max(1, min(RUN, _size(run)))
        said = text
        for tier in (NATURAL, STIFF, TERSE):
            said = self._break_runs(before, said, tier, at_least=at_least)
            if before.longest_shared_run(said) < at_least:
                break
        return said

    def move(self, sentence: str) -> str:
        """Move a condition or a time within a sentence, if it has one that can be moved."""
        mark = sentence[-1:] if sentence[-1:] in ".?" else ""
        body = sentence.removesuffix(mark)
        return capitalize(_restore_contractions(move(write_out(body)), short_forms(body))) + mark

    def invert(self, sentence: str) -> str:
        """Return a statement with its second part first, if it has two."""
        mark = sentence[-1:] if sentence[-1:] in ".?" else ""
        body = sentence.removesuffix(mark)
        other = invert(write_out(body)) if mark != "?" and ". " not in body else None
        return _restore_contractions(other, short_forms(body)) + mark if other else sentence

    def _move_in_run(self, sentence: str, before: Original) -> str:
        """Move a condition or a time within a sentence that holds a run."""
        return self.move(sentence) if before.longest_shared_run(sentence) >= RUN else sentence

    def _break_runs(
        self, before: Original, said: str, tier: int = NATURAL, *, at_least: int = RUN
    ) -> str:
        """Apply one edit to every shared run, until none is left or no edit helps."""
        for _ in range(_MOST_CHANGES):
            runs = before.shared_runs(said, at_least=at_least)
            changed, taken = said, len(said) + 1
            known = edits(said, tier) if runs else []
            for run in reversed(runs):
                edit = _best(said, known, run, taken, self._uses)
                if edit is not None:
                    option = self.choose(edit.options[0], edit.options)
                    changed = apply_edit(changed, edit, option)
                    taken = edit.start
            if changed == said:
                break
            said = changed
        return said

    def _split(self, before: Original, said: str) -> list[str]:
        """Split the sentences that still hold a run."""
        parts: list[str] = []
        for a, b in sentence_places(said):
            sentence = said[a:b]
            mark = sentence[-1:] if sentence[-1:] in ".?" else ""
            if mark != "?" and before.longest_shared_run(sentence) >= RUN:
                halves = split(sentence.removesuffix(mark))
                parts.extend(capitalize(half) + (mark or ".") for half in halves)
            else:
                parts.append(sentence)
        return parts

    def choose(self, key: str, options: Sequence[str]) -> str:
        """Choose one of the options: by the seed at first, then in turn."""
        uses = self._uses.get(key, 0)
        self._uses[key] = uses + 1
        return options[(zlib.crc32(f"{self._seed}/{key}".encode()) + uses) % len(options)]


def _best(
    text: str, known: Sequence[Edit], run: SharedRun, taken: int, uses: Mapping[str, int]
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


def _restore_contractions(plain: str, forms: Sequence[str]) -> str:
    """Restore the contractions."""
    for form in forms:
        plain = plain.replace(write_out(form), form, 1)
    return plain
