"""Tidy typed text: shorthand, missing spaces and apostrophes, capitals. Adds no content."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sage_rag.agents.lexicon import lexicon
from sage_rag.common.sentences import sentence_spans

_SPLIT_CONTRACTION = re.compile(
    r"\b(i|you|we|they|he|she|it|that|there|what|don|doesn|didn|isn|wasn|aren|weren|haven|hasn"
    r"|hadn|couldn|shouldn|wouldn|won|can|who)( ?['’`´]+ ?| )(m|ve|re|ll|t|s|d)\b(?!['’-])",
    re.IGNORECASE,
)
_LONG_FORMS = {"m": "am", "ve": "have", "re": "are", "ll": "will"}
_NEGATED = {"won": "will not", "can": "cannot", "don": "do not"}
_GLUED_STOP = re.compile(
    r"(?<=[a-z)\]]{2})([.!?;])(?=\[?[A-Z]|i\b|\()|(?:(?<=[a-z]{3})|(?<=[a-z][+]))([.!?])(?=[a-z]{2})"
)
_SUFFIX = re.compile(r"\S*@|(?:com|org|net|edu|gov|co|uk|html?|php|info|example)\b")
_PARAGRAPH = re.compile(r"(?<=[^\s.!?:;,])[ \t]*\n(?:\s*\n\s*|\s*(?=[-*•–] ))|\n\s*(?=[-*•–] )")
"""The end of a paragraph or of an entry in a list."""
_BULLET = re.compile(r"(?<=\. )[-*•–]+ |(?<=[.!?:;] )[-*•–]+ ")
_SPACE = re.compile(r"\s+")
_DOTS = re.compile(r"(?<![(\[])\s*(?:\.\s*){2,}(?![)\]])|(?<![(\[])\s*…\s*(?![)\]])")
_VAGUE = re.compile(r"\b(?P<lead>past|last|next|first) a(?= few\b)", re.IGNORECASE)
_VAGUE_TWICE = re.compile(
    r"\b(?:about|around|approximately|roughly|almost|nearly) (?=(?:several|many|a few) )"
)
"""Generalised amounts: `for the past a few days`, `about several weeks`."""
_BLANK_COMMA = re.compile(r"\s+([,.!?;:])(?=[\s,.!?;:]|$)")
_TIGHT_COMMA = re.compile(r"(?<=[a-z\])]),(?=[A-Za-z\[])")
_RANGE = re.compile(r"(?<=\d) *[-–—] *(?=\d)")
_DASH = re.compile(r"\s+[-–—]+\s+|\s*—(?!\s*(?:[.\"'”’]|$))\s*")
"""A dash within a sentence. One at its end stays: there the writer broke off."""
_MANY_MARKS = re.compile(r"([!?,])[!?,.]*(?:\s*[!?]+)*")
_TOKEN = re.compile(r"\[[A-Z_]+_\d+\]|<[A-Z_]+>|[^\W\d_]+")
_ITS = re.compile(
    r"\b([Ii])ts(?= (?:a|an|the|been|not|just|very|really|so|like|about|only|been|\d+\w*)\b)"
)
_ON_MONTH = re.compile(
    r"\b([Oo])n (?=(?:(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b(?! \d{1,2}\b)|(?:19|20)\d\d\b(?!-)))"
)
_ENTRY = re.compile(
    r"(?:^|(?<=[a-z.!?)\]])|\s)[\s,:;-]{0,40}\(?(?P<number>\d{1,2})[.)]\s?(?=[\"'(]?\[?(?P<initial>[A-Za-z]))",
    re.MULTILINE,
)
"""The number of an entry in a list, also in running text: `done1. CT thorax2. MRI`. Of the marks
before it 40 are read: with no limit, time would be square in a row of them."""
_ARTICLE = re.compile(r"\b(?P<article>[Aa])n?(?= (?P<number>\d{1,3})(?!\d))")
_AN = re.compile(r"8\d{0,2}|1[18]")
"""Numbers whose spoken form begins with a vowel: eight, eleven, eighteen."""
_VOWEL_FOLLOWS = re.compile(r" ([aeiou]\w+)", re.IGNORECASE)
_LONE_I = re.compile(r"(?<![\w.])i(?![\w.'’-])")
_UNIT = re.compile(r"(?<=\d)(mg|ml|mcg|yrs?|years?|months?|weeks?|days?|hrs?|cm|mm|kg|lbs?)\b")


def tidy(text: str) -> str:
    """Return the text with typing errors of these kinds corrected."""
    text = _without_entry_numbers(text.strip())
    text = _BULLET.sub("", _PARAGRAPH.sub(_end_paragraph, text))
    text = _VAGUE_TWICE.sub("", _VAGUE.sub(r"\g<lead>", text))
    text = _DOTS.sub(_end_or_pause, _calm(_SPACE.sub(" ", text).strip()))
    text = _DASH.sub(", ", _RANGE.sub("-", text))
    text = _GLUED_STOP.sub(_separate, text)
    text = _TIGHT_COMMA.sub(", ", _BLANK_COMMA.sub(r"\1", text))
    text = _MANY_MARKS.sub(_one_mark, text)
    text = _ARTICLE.sub(_article, _UNIT.sub(r" \1", text))
    text = _LONE_I.sub("I", _SPLIT_CONTRACTION.sub(_write_out, text))
    text = _ON_MONTH.sub(lambda match: "In " if match.group(1) == "O" else "in ", text)
    text = _ITS.sub(r"\1t is", text)
    return _LONE_I.sub("I", _TOKEN.sub(_expand, text))


def with_apostrophes(text: str) -> str:
    """Return the text with contractions as they should be typed: `I'm` for `I m` and `I ’m`."""
    return _SPLIT_CONTRACTION.sub(r"\1'\3", text)


def _without_entry_numbers(text: str) -> str:
    """Return a text whose lists have no numbers: 1, 2 and so on.

    Entries that a sentence leads to are one sentence with it, since a part of such a list can
    mislead: `Watch for: a cough; chest pain.` Others are sentences of their own.
    """
    for numbers in reversed(_lists(text)):
        joined = _joined(text, numbers)
        text = _separated(text, numbers) if joined is None else joined
    return text


def _lists(text: str) -> list[list[re.Match[str]]]:
    """Return the numbers of each list in order; a list may follow another, or be its last entry."""
    lists: list[list[re.Match[str]]] = [[]]
    for match in _ENTRY.finditer(text):
        number = int(match["number"])
        if number == 1:
            lists.append([match])
        elif number == len(lists[-1]) + 1 and lists[-1]:
            lists[-1].append(match)
    return [numbers for numbers in lists if len(numbers) > 2 or _are_capital(numbers)]


def _are_capital(numbers: Sequence[re.Match[str]]) -> bool:
    """Return whether these are two numbers at least, each before a capital letter."""
    return len(numbers) > 1 and all(match["initial"].isupper() for match in numbers)


def _separated(text: str, numbers: Sequence[re.Match[str]]) -> str:
    """Return a text with the entries after these numbers as sentences of their own."""
    for match in reversed(numbers):
        before = text[: match.start()].rstrip()
        stop = " " if not before or before.endswith((".", "!", "?")) else ". "
        text = f"{before}{stop}{text[match.end() :]}"
    return text


def _joined(text: str, numbers: Sequence[re.Match[str]]) -> str | None:
    """Return a text with the entries after these numbers in one sentence; `None` if they are not.

    The last entry ends with its first sentence. Entries of several sentences, questions, and
    entries after a finished sentence or without one before them stay as they are.
    """
    lead = text[: numbers[0].start()].rstrip(" \t\n,:;-")
    last = text[numbers[-1].end() :]
    end = sentence_spans(last)[0][1] if last.strip() else 0
    ends = [following.start() for following in numbers[1:]]
    entries = [text[a.end() : b].strip() for a, b in zip(numbers, ends, strict=False)]
    entries.append(last[:end].strip())
    if not lead or lead.endswith((".", "!", "?")) or any("?" in entry for entry in entries):
        return None
    if any(len(sentence_spans(entry)) != 1 for entry in entries):
        return None
    listed = "; ".join(entry.rstrip(" .,;:!") for entry in entries)
    return f"{lead}: {listed}.{last[end:]}"


def _article(match: re.Match[str]) -> str:
    """Return `an` before a number that is spoken with a vowel first, else `a`."""
    return match["article"] + "n" * bool(_AN.fullmatch(match["number"]))


def _end_paragraph(match: re.Match[str]) -> str:
    before = match.string[: match.start()].rstrip()[-1:]
    return " " if before in ".!?:;," else ". "


def _end_or_pause(match: re.Match[str]) -> str:
    """Return a stop for dots, or a comma where the sentence goes on in lower case."""
    goes_on = match.start() > 0 and match.string[match.end() :][:1].islower()
    return ", " if goes_on else ". "


def _separate(match: re.Match[str]) -> str:
    if _SUFFIX.match(match.string, match.end()):
        return match.group()
    return match.group() + " "


def _one_mark(match: re.Match[str]) -> str:
    marks = match.group()
    mark = "?" if "?" in marks else match.group(1)
    return "." if mark == "!" else mark


def _calm(text: str) -> str:
    """Lower the case of a text that is mostly in capitals."""
    letters = re.sub(r"\[[A-Z_]+_\d+\]|[^A-Za-z]", "", text)
    if len(letters) < 20 or sum(map(str.isupper, letters)) < 0.6 * len(letters):
        return text
    return re.sub(r"\[[A-Z_]+_\d+\]|[^\[]+|\[", _lower_unless_markup, text)


def _lower_unless_markup(match: re.Match[str]) -> str:
    piece = match.group()
    return piece if piece.startswith("[") else piece.lower()


def _write_out(match: re.Match[str]) -> str:
    """Write a contraction out, with any spelling of its apostrophe."""
    head, gap, tail = match.group(1), match.group(2).strip(), match.group(3).lower()
    low = head.lower()
    if tail == "t":
        if low not in ("can", "who") and not low.endswith("n"):
            return match.group()
        if re.match(
            r"\s+(?:i|you|he|she|it|we|they|there|this)\b", match.string[match.end() :], re.I
        ):
            return f"{head}'t"
        return _like(_NEGATED.get(low) or f"{low.removesuffix('n')} not", head)
    if (low.endswith("n") and low != "can") or low in ("don", "can"):
        return match.group()
    if tail == "s":
        has = re.match(r"\s+(?:been|got|had)\b", match.string[match.end() :])
        return f"{head} {'has' if has else 'is'}"
    if tail in _LONG_FORMS and (gap or low in ("i", "you", "we", "they")):
        return f"{head} {_LONG_FORMS[tail]}"
    return f"{head}'{tail}" if gap else match.group()


def _like(text: str, model: str) -> str:
    return text[0].upper() + text[1:] if model[0].isupper() else text


def _expand(match: re.Match[str]) -> str:
    word = match.group()
    if word[0] in "[<" or (word.isupper() and len(word) > 1):
        return word
    expanded = lexicon().expansions.get(word.lower())
    before, after = match.string[: match.start()], match.string[match.end() :]
    if word == "n" and _may_be_an(after):
        return word
    if word.isupper() and before.strip() and not before.rstrip().endswith((".", "?", "!")):
        return word  # Exhibit U
    if expanded is None or before.endswith(("'", "’", "-", ".")) or after[:1] in ("'", "’", "-"):
        return word
    return expanded if expanded[0] == "I" else _like(expanded, word)


def _may_be_an(after: str) -> bool:
    """Return whether `n` may be short for "an" before this text: `n accident`, not `n all`."""
    following = _VOWEL_FOLLOWS.match(after)
    return following is not None and following[1].lower() not in lexicon().stop_words
