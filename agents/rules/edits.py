"""Small changes of wording: where a text can be reworded, how, and at what cost.

The cost of an edit is the number of content words that the new wording lacks. A search finds a
record by its content words, so most edits cost nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sage_rag.agents.lexicon import content_stems, load_toml
from sage_rag.agents.rules.contractions import toggles
from sage_rag.agents.rules.joints import joint_edits
from sage_rag.agents.rules.restructuring import list_edits
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.privacy.words import tokenize

_BODY_PART = re.compile(
    r"\b(?P<before>in|on|of|to|from|under|behind|around|at|down|across|into|through|near|inside|along"
    r"|below|above|over) (?P<whose>my|your|his|her)(?= "
    r"(?:(?:left|right|lower|upper|inner|outer|whole|entire|big|middle|back) ){0,2}"
    r"(?:\w+ )?(?:head|neck|back|chest|arms?|hands?|fingers?|thumbs?|legs?|knees?|foot|feet|toes?"
    r"|ankles?|calf"
    r"|thighs?|hips?|stomach|abdomen|belly|tummy|throat|mouth|tongue|teeth|tooth|jaw|face|nose|ears?"
    r"|eyes?|skin|heart|lungs?|liver|kidneys?|bladder|shoulders?|elbows?|wrists?|breasts?|groin"
    r"|patella|knee ?caps?|gums?|biceps?|penis|vagina|anus|rectum|uterus|sinus(?:es)?|nails?"
    r"|scalp|forehead|cheeks?|lips?|spine|ribs?|rib cage|body|muscles|nerves|veins|nipples?"
    r"|testicles?)\b)",
    re.IGNORECASE,
)
_TEENS = tuple(
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", *_TEENS)
_NUMBER = re.compile(
    rf"(?<![\w.,/-])(?<!\bor )(?<!\bto )(?<!\band )(?P<number>\d{{1,2}}|{'|'.join(_DIGITS)})"
    r"(?= (?:minutes?|hours?|days?|weeks?|months?|years?|times|nights?)\b)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?<![\w.,/-])(?<!\bor )(?<!\bto )(?<!\band )(?P<number>{'|'.join(_DIGITS[1:])})"
    rf"(?= \w+s\b|(?P<share> in | out of )(?P<whole>{'|'.join(_DIGITS[1:])})\b)",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(
    r"(?<=[\w)\]]\. )(?<!Dr\. )(?<!no\. )"
    r"(?P<first>I|My|It|He|She|They|We|You|The|This|There|Your|His|Her|A|An|These)"
    r"(?= \w)(?![^.]*\?)"
)
_CONNECTIVES = ("And", "Also,")
NATURAL, STIFF, TERSE = range(3)
"""How an edit reads: as naturally as the original, a little stiffly, or like a note."""

_LOOKING_BACK = re.compile(r"\{(?P<none>not )?after: (?P<words>[^{}]+)\}")
_MARKUP = re.compile(rf"{PLACEHOLDER.pattern}|<[A-Z_]+>")


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacements of `[start, end)` of a text; `options` holds only the cheapest.

    `cost` counts the content words that are lost, `lost` all words.
    """

    start: int
    end: int
    options: tuple[str, ...]
    cost: int
    lost: int

    def touched(self, text: str) -> tuple[int, int]:
        """Return how many words the edit leaves unchanged at its beginning and at its end."""
        old, new = tokenize(text[self.start : self.end]), tokenize(self.options[0])
        first = sum(1 for _ in _equal(old, new))
        last = sum(1 for _ in _equal(old[first:][::-1], new[first:][::-1]))
        return first, last


def edits(text: str, tier: int = NATURAL) -> list[Edit]:
    """Return every edit of a text up to a tier of naturalness, in no order."""
    blank = _MARKUP.sub(lambda match: "\x00" * len(match.group()), text)
    found = [*_phrase_edits(blank, "swap"), *_phrase_edits(blank, "loosen")]
    found += [_edit(text, start, end, (other,)) for start, end, other in toggles(blank)]
    found += [_edit(text, start, end, (other,)) for start, end, other in list_edits(blank)]
    for start, end, other, natural in joint_edits(blank):
        if natural or tier >= STIFF:
            found.append(_edit(text, start, end, (other,)))
    for match in _NEXT_SENTENCE.finditer(blank):
        first = match["first"] if match["first"] == "I" else match["first"].lower()
        options = tuple(f"{connective} {first}" for connective in _CONNECTIVES)
        found.append(_edit(text, *match.span(), options))
    for match in _BODY_PART.finditer(blank):
        found.append(_edit(text, *match.span("whose"), ("the",)))
    for match in _NUMBER.finditer(blank):
        if (respelled := _respell(match["number"].lower())) is not None:
            found.append(_edit(text, *match.span(), (respelled,)))
    if tier >= STIFF:
        found += [*_phrase_edits(blank, "resort"), *_synonym_edits(blank)]
    if tier >= TERSE:
        found += _phrase_edits(blank, "terse")
        found += [_edit(text, *place, (digits,)) for place, digits in _counts(blank)]
    return found


def apply_edit(text: str, edit: Edit, option: str) -> str:
    """Return a text with an edit applied, in the case of the original words."""
    old = text[edit.start : edit.end]
    if old[:1].isupper() and option[:1].islower() and old != "I" and not old.startswith("I "):
        option = option[:1].upper() + option[1:]
    before, after = text[: edit.start], text[edit.end :]
    if not option:  # a word left out takes one of its spaces with it
        after = after.removeprefix(" ")
    return before + option + after


def _phrase_edits(blank: str, table: str) -> Iterator[Edit]:
    pattern, alternatives = _phrases(table)
    for match in pattern.finditer(blank):
        options = alternatives[int((match.lastgroup or "g0")[1:])]
        yield _edit(blank, *match.span(), tuple(options))


def _synonym_edits(blank: str) -> Iterator[Edit]:
    for match in _synonym_pattern().finditer(blank):
        # Without case `ı` matches an i and `ſ` an s; `lower` leaves both unchanged.
        if (others := _synonyms().get(match.group().lower())) is not None:
            yield _edit(blank, *match.span(), others)


def _edit(text: str, start: int, end: int, options: tuple[str, ...]) -> Edit:
    old = text[start:end]
    costs = [_cost(old.casefold(), option.casefold()) for option in options]
    least = min(costs)
    cheapest = tuple(o for o, cost in zip(options, costs, strict=True) if cost == least)
    lost = (Counter(tokenize(old)) - Counter(tokenize(cheapest[0]))).total()
    return Edit(start, end, cheapest, least, lost)


@lru_cache(maxsize=8192)
def _cost(old: str, new: str) -> int:
    return (Counter(content_stems(old)) - Counter(content_stems(new))).total()


def _equal(old: list[str], new: list[str]) -> Iterator[str]:
    for one, other in zip(old, new, strict=False):
        if one != other:
            return
        yield one


def _counts(blank: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the places of counts written as words, with their digits; of a share both numbers."""
    for match in _COUNT.finditer(blank):
        number, whole = (_respell((match[name] or "").lower()) for name in ("number", "whole"))
        if number is None or (match["whole"] and whole is None):
            continue  # without case `ı` matches an i
        share = f"{match['share']}{whole}" if whole else ""
        yield (match.start(), match.end("whole") if whole else match.end()), number + share


def _respell(number: str) -> str | None:
    """Return a small number as a word if it is in digits, and the other way round."""
    if number in _DIGITS:
        return str(_DIGITS.index(number) + 1)
    if not number.isdecimal():
        return None
    return _DIGITS[int(number) - 1] if 1 <= int(number) <= len(_DIGITS) else None


@cache
def _phrases(name: str) -> tuple[re.Pattern[str], list[list[str]]]:
    """Return one pattern for a table's phrases, longest first, and their alternatives."""
    table = {
        _looking_back(k): others for k, others in load_toml("rules/wording.toml")[name].items()
    }
    phrases = sorted(table, key=lambda phrase: (-phrase.count(" "), -len(phrase), phrase))
    groups = (f"(?P<g{number}>{phrase})" for number, phrase in enumerate(phrases))
    pattern = re.compile(rf"(?<![\w'’-])(?:{'|'.join(groups)})(?![\w'’-])", re.IGNORECASE)
    return pattern, [table[phrase] for phrase in phrases]


def _looking_back(phrase: str) -> str:
    """Expand `{after: a|b}` and `{not after: a|b}`: one, or none, of these words comes before.

    Each word becomes a look-behind of its own, since Python requires a fixed length.
    """

    def written(match: re.Match[str]) -> str:
        before = match["words"].split("|")
        if match["none"]:
            return "".join(f"(?<!{word} )" for word in before)
        return "(?:" + "|".join(f"(?<={word} )" for word in before) + ")"

    return _LOOKING_BACK.sub(written, phrase)


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Return the synonyms of words and phrases, in the same grammatical form."""
    table = load_toml("rules/synonyms.toml")
    pairs: list[tuple[str, str]] = []
    for line in (*table["verbs"].split("\n"), *table["nouns"].split("\n")):
        ones, others = _sides(line)
        forms = list(zip(ones.split(), others.split(), strict=False)) if " " in ones else []
        pairs += forms or [(ones, others), (_plural(ones), _plural(others))]
    pairs += map(_sides, table["others"].split("\n"))
    pairs += [(other, one) for one, other in pairs]
    pairs += map(_sides, table["phrases"].split("\n"))
    found: dict[str, tuple[str, ...]] = {}
    for one, other in pairs:
        if one and other:
            found[one] = tuple(dict.fromkeys((*found.get(one, ()), other)))
    return found


def _sides(line: str) -> tuple[str, str]:
    one, _, other = line.partition("=")
    return one.strip(), other.strip()


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


@cache
def _synonym_pattern() -> re.Pattern[str]:
    known = sorted(_synonyms(), key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(map(re.escape, known))})(?![\w'’-])", re.I)
