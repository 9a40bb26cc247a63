"""Other ways of saying the same, with as few changes as it takes."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache

from agents.rules.contractions import short_forms, write_out
from agents.rules.edits import CURT, NATURAL, STIFF, TERSE, Edit, applied, edits
from agents.rules.lexicon import load_toml
from agents.rules.restructuring import invert, move, split
from agents.rules.sentences import capitalize, sentence_places, uncapitalize
from privacy.leakage import Original, tokenize

RUN = 10
"""Source: Zeng et al. (2024), arXiv 2406.14773, §4.3: a run of 10 tokens is repeated text."""

_SMALL_WORD = 0.1
"""What losing a small word counts, where a content word counts 1."""
_MOST_CHANGES = 12
"""How often a text is gone over: each time one change is made in every run that is left."""


class Wording:
    """Choices of wording for one draft: fixed by `seed`, varied within the draft."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._uses: dict[str, int] = {}

    def reword(self, sentences: Sequence[str]) -> list[str]:
        """Return sentences that stand together said otherwise.

        No run of 10 words stays, within a sentence or over its end, if a rule can break it. What
        holds no such run stays as it is.
        """
        before = Original(" ".join(sentences))
        said = " ".join(map(self._move, sentences))
        said = self._break_runs(before, said)
        if before.longest_shared_run(said) >= RUN:
            said = " ".join(self._split(before, said))
            for tier in (STIFF, TERSE, CURT):
                said = self._break_runs(before, said, tier)
        return [capitalize(said[a:b]) for a, b in sentence_places(said)]

    def vary(self, sentence: str, cost: int, tier: int = NATURAL) -> str:
        """Return a sentence with every change made that costs at most `cost` content words each."""
        said = sentence
        taken = len(sentence) + 1
        for edit in sorted(edits(sentence, tier), key=lambda e: (-e.start, e.cost, -e.end)):
            if edit.cost <= cost and edit.end <= taken:
                said = applied(said, edit, self.choose(edit.options[0], edit.options))
                taken = edit.start
        return capitalize(said)

    def loosen(self, run: str) -> str:
        """Return a run of words with changes that break it; the run itself if there are none."""
        before, at_least = Original(run), max(1, min(RUN, _size(run)))
        for tier in (NATURAL, STIFF, TERSE, CURT):
            said = self._break_runs(before, run, tier, at_least=at_least)
            if before.longest_shared_run(said) < at_least:
                break
        return said

    def turn(self, sentence: str) -> str:
        """Turn a whole sentence round, if a frame or a movable part allows it."""
        mark = sentence[-1:] if sentence[-1:] in ".?" else ""
        body = sentence.removesuffix(mark)
        forms, plain = short_forms(body), write_out(body)
        for pattern, options in _frames():
            match = pattern.fullmatch(plain)
            if match and self._uses.get(pattern.pattern, 0) < len(options):
                plain = _fill(self.choose(pattern.pattern, options), match)
                break
        else:
            plain = move(plain)
        return capitalize(_as_typed(plain, forms)) + mark

    def invert(self, sentence: str) -> str:
        """Return a statement with its second part told first, if it has two."""
        mark = sentence[-1:] if sentence[-1:] in ".?" else ""
        body = sentence.removesuffix(mark)
        other = invert(write_out(body)) if mark != "?" and ". " not in body else None
        return _as_typed(other, short_forms(body)) + mark if other else sentence

    def _move(self, sentence: str) -> str:
        """Move a condition or a time within a sentence that is long enough to be a run."""
        mark = sentence[-1:] if sentence[-1:] in ".?" else ""
        body = sentence.removesuffix(mark)
        if _size(body) < RUN:
            return sentence
        return capitalize(_as_typed(move(write_out(body)), short_forms(body))) + mark

    def _break_runs(
        self, before: Original, said: str, tier: int = NATURAL, *, at_least: int = RUN
    ) -> str:
        """Change one thing in every run that stands in both, until none is left or none helps."""
        for _ in range(_MOST_CHANGES):
            runs = before.shared_runs(said, at_least=at_least)
            changed, taken = said, len(said) + 1
            known = edits(said, tier) if runs else []
            for run in reversed(runs):
                if run.end > taken:
                    continue
                edit = _best(said, known, run.start, run.end)
                if edit is not None:
                    option = self.choose(edit.options[0], edit.options)
                    changed = applied(changed, edit, option)
                    taken = edit.start
            if changed == said:
                break
            said = changed
        return said

    def _split(self, before: Original, said: str) -> list[str]:
        """Cut sentences in two that still hold a run."""
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


def _best(text: str, known: Sequence[Edit], start: int, end: int) -> Edit | None:
    """Return the edit inside a run after which the least is lost and left to do."""
    size = _size(text[start:end])
    best: tuple[float, Edit] | None = None
    for edit in known:
        if edit.start < start or edit.end > end:
            continue
        first, last = edit.touched(text)
        before = _size(text[start : edit.start]) + first
        after = _size(text[edit.end : end]) + last
        longest = max(before, after)
        if longest >= size:
            continue
        # Further changes that the two parts will need, words lost, and evenness.
        further, lost = before // RUN + after // RUN, edit.cost + _SMALL_WORD * edit.lost
        value = further + lost + longest / (10 * size)
        if best is None or value < best[0]:
            best = value, edit
    return best[1] if best else None


def _size(text: str) -> int:
    return len(tokenize(text))


def _as_typed(plain: str, forms: Sequence[str]) -> str:
    """Put contractions back where they stood."""
    for form in forms:
        plain = plain.replace(write_out(form), form, 1)
    return plain


def _fill(option: str, match: re.Match[str]) -> str:
    groups = [uncapitalize(group or "") for group in match.groups()]
    for number, group in enumerate(groups, 1):
        option = option.replace(f"\\{number}", group)
    return re.sub(r"\s+", " ", option).strip()


@cache
def _frames() -> list[tuple[re.Pattern[str], list[str]]]:
    table = load_toml("wording.toml")["frame"]
    return [(re.compile(entry["of"], re.IGNORECASE), entry["to"]) for entry in table]
