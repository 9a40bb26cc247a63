"""Other ways of saying the same: whole sentences turned round, phrases swapped in place."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from functools import cache

from agents.rules.contractions import short_forms, write_out
from agents.rules.lexicon import WORD, load_toml
from agents.rules.restructuring import move, reorder_lists, split
from agents.rules.sentences import capitalize, sentence_places, uncapitalize
from privacy.leakage import Original, tokenize

_BODY_PART = re.compile(
    r"\b(?P<before>in|on|of|to|from|under|behind|around|at|down|across|into|through|near|inside|along"
    r"|below|above|over) (?:my|your|his|her) "
    r"(?P<part>(?:(?:left|right|lower|upper|inner|outer|whole|entire|big|middle|back) ){0,2}"
    r"(?:\w+ )?(?:head|neck|back|chest|arms?|hands?|fingers?|thumbs?|legs?|knees?|foot|feet|toes?"
    r"|ankles?|calf"
    r"|thighs?|hips?|stomach|abdomen|belly|tummy|throat|mouth|tongue|teeth|tooth|jaw|face|nose|ears?"
    r"|eyes?|skin|heart|lungs?|liver|kidneys?|bladder|shoulders?|elbows?|wrists?|breasts?|groin"
    r"|scalp|forehead|cheeks?|lips?|spine|ribs?|rib cage|body|muscles|nerves|veins|nipples?"
    r"|testicles?))\b",
    re.IGNORECASE,
)

RUN = 10
"""Source: Zeng et al. (2024), arXiv 2406.14773, §4.3: a run of 10 tokens is repeated text."""


_MOST_CHANGES = 6
"""How often a sentence is gone over: each time every run is broken near its middle."""

_TEENS = tuple(
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", *_TEENS)
_NUMBER = re.compile(
    rf"(?<![\w.,/-])(?<!\bor )(?<!\bto )(?<!\band )(?P<number>\d{{1,2}}|{'|'.join(_DIGITS)})"
    r"(?= (?:minutes?|hours?|days?|weeks?|months?|years?|times|nights?)\b)",
    re.IGNORECASE,
)


class Wording:
    """Choices of wording for one draft: fixed by `seed`, varied within the draft."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._uses: dict[str, int] = {}

    def reword(self, sentences: Sequence[str]) -> list[str]:
        """Return sentences that stand together said otherwise.

        No run of 10 words stays, within a sentence or over its end, if a rule can break it.
        """
        said = [sentence for old in sentences for sentence in self._reword_one(old)]
        before = Original(" ".join(sentences))
        text = self._break_runs(before, " ".join(said))
        return [capitalize(text[a:b]) for a, b in sentence_places(text)]

    def _reword_one(self, sentence: str) -> list[str]:
        mark = sentence[-1:] if sentence[-1:] in ".?" else ""
        body = sentence.removesuffix(mark)
        said = self.swap(reorder_lists(self.turn(body)))
        parts = [said]
        if mark != "?" and Original(body).longest_shared_run(said) >= RUN:
            parts = split(said)
        return [capitalize(part) + mark for part in parts]

    def _break_runs(self, before: Original, said: str) -> str:
        """Loosen every run that stands in both, until none is left or no rule helps."""
        for _ in range(_MOST_CHANGES):
            runs = before.shared_runs(said, at_least=RUN)
            changed = said
            for run in reversed(runs):
                section = self.loosen(said[run.start : run.end])
                changed = changed[: run.start] + section + changed[run.end :]
            if changed == said:
                break
            said = changed
        return said

    def turn(self, body: str) -> str:
        """Turn the whole sentence round, if a frame or a movable part allows it."""
        forms, plain = short_forms(body), write_out(body)
        for pattern, options in _frames():
            match = pattern.fullmatch(plain)
            if match and self._uses.get(pattern.pattern, 0) < len(options):
                plain = _fill(self.choose(pattern.pattern, options), match)
                break
        else:
            plain = move(plain)
        for form in forms:
            plain = plain.replace(write_out(form), form, 1)
        return _BODY_PART.sub(r"\g<before> the \g<part>", plain)

    def swap(self, body: str) -> str:
        """Swap every phrase that has another name."""
        body = _NUMBER.sub(_respell, body)
        return self._substitute(body, "swap")

    def loosen(self, run: str) -> str:
        """Change one word near the middle of a run of words; the run itself if none can be."""
        for table in ("loosen", "resort"):
            pattern, alternatives = _phrases(table)
            best: tuple[int, re.Match[str], list[str]] | None = None
            for match in pattern.finditer(run):
                options = alternatives[int((match.lastgroup or "g0")[1:])]
                spent = table == "resort" and self._uses.get(options[0], 0) >= len(options)
                left = _longest_left(run, match, options[0])
                if (
                    match.start()
                    and not spent
                    and left < _enough(run, table)
                    and (best is None or left < best[0])
                ):
                    best = left, match, options
            if best is not None:
                _, match, options = best
                word = self.choose(options[0], options).replace("\\0", match.group())
                changed = run[: match.start()] + word + run[match.end() :]
                return re.sub(r"\s{2,}", " ", changed)
        return run

    def _substitute(self, body: str, table: str) -> str:
        pattern, alternatives = _phrases(table)

        def other(match: re.Match[str]) -> str:
            options = alternatives[int((match.lastgroup or "g0")[1:])]
            word = self.choose(match.group().lower(), options)
            return capitalize(word) if match.group()[0].isupper() else word

        return _outside_markup(pattern, other, body)

    def choose(self, key: str, options: Sequence[str]) -> str:
        """Choose one of the options: by the seed at first, then in turn."""
        uses = self._uses.get(key, 0)
        self._uses[key] = uses + 1
        return options[(zlib.crc32(f"{self._seed}/{key}".encode()) + uses) % len(options)]


def _respell(match: re.Match[str]) -> str:
    """Write a small count of time as a word if it is in digits, and the other way round."""
    number = match["number"].lower()
    if number in _DIGITS:
        return str(_DIGITS.index(number) + 1)
    return _DIGITS[int(number) - 1] if 1 <= int(number) <= len(_DIGITS) else match.group()


def _longest_left(run: str, match: re.Match[str], option: str) -> int:
    """Return the length in words of the longer part that a change there leaves of a run.

    Words that the change keeps at its edges still belong to the run.
    """
    old, new = tokenize(match.group()), tokenize(option.replace("\\0", match.group()))
    kept_first = old[:1] == new[:1]
    kept_last = bool(new) and old[-1:] == new[-1:]
    before, after = tokenize(run[: match.start()]), tokenize(run[match.end() :])
    return max(len(before) + kept_first, len(after) + kept_last)


def _enough(run: str, table: str) -> int:
    """Return the length below which a part of a run is worth a change.

    The natural changes are worth it only if they help much; the last resort if they help at all.
    """
    size = len(tokenize(run))
    return max(RUN, size * 3 // 4) if table == "loosen" else max(RUN, size - 3)


def _fill(option: str, match: re.Match[str]) -> str:
    groups = [uncapitalize(group or "") for group in match.groups()]
    for number, group in enumerate(groups, 1):
        option = option.replace(f"\\{number}", group)
    return re.sub(r"\s+", " ", option).strip()


@cache
def _frames() -> list[tuple[re.Pattern[str], list[str]]]:
    table = load_toml("wording.toml")["frame"]
    return [(re.compile(entry["of"], re.IGNORECASE), entry["to"]) for entry in table]


@cache
def _phrases(name: str) -> tuple[re.Pattern[str], list[list[str]]]:
    """Return one pattern for a table's phrases, longest first, and their alternatives."""
    table = load_toml("wording.toml")[name]
    phrases = sorted(table, key=lambda phrase: (-phrase.count(" "), -len(phrase), phrase))
    groups = (f"(?P<g{number}>{phrase})" for number, phrase in enumerate(phrases))
    pattern = re.compile(rf"(?<![\w'’-])(?:{'|'.join(groups)})(?![\w'’-])", re.IGNORECASE)
    return pattern, [table[phrase] for phrase in phrases]


def _outside_markup(
    pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str], text: str
) -> str:
    """Substitute everywhere but inside placeholders."""
    pieces = re.split(r"(\[[A-Z_]+_\d+\]|<[A-Z_]+>)", text)
    return "".join(
        p if WORD.fullmatch(p) and p[0] in "[<" else pattern.sub(replace, p) for p in pieces
    )
