"""Contractions: contract a form that is written out, and the reverse."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_PARTICIPLE = (
    r"(?:(?:been|had|got|gone|taken|seen|done|never|always|already|just|recently)\b"
    r"|\w{2,}ed (?:a|an|the|my|your|his|her|it|that|this|to|on|in|for|from|by|with|me|him|them)\b)"
)
"""Not `have unprotected sex`: there `have` is the verb."""
_CONTRACTIBLE = re.compile(
    r"\b(?:"
    r"(?P<am>I) am|(?P<are>you|we|they) are|(?P<will>I|you|we|they|he|she|it) will"
    r"|(?P<s>it|that|there|what|he|she) is"
    rf"|(?P<ve>I|you|we|they) have (?={_PARTICIPLE})|(?P<has>he|she|it) has (?=been|had|got)"
    r"|(?P<would>I|you|we|they|he|she) would"
    r"|(?P<nt>do|does|did|is|are|was|were|has|have|had|could|should|would) not|(?P<can>can)not"
    r"|(?P<wont>will) not"
    r")(?= \w|(?<= )\w|\b(?= \[))(?! (?:and|or|but|if|when|because)\b| no\.)",
    re.IGNORECASE,
)
_ENDINGS = {
    "am": "'m",
    "are": "'re",
    "will": "'ll",
    "s": "'s",
    "ve": "'ve ",
    "has": "'s ",
    "nt": "n't",
    "can": "'t",
    "wont": "n't",
    "would": "'d",
}
_SHORT = re.compile(
    r"\b(?P<head>I|you|we|they|he|she|it|that|there|what)(?P<tail>'m|'re|'ve|'ll|'s)\b"
    r"|\b(?P<not>do|does|did|is|are|was|were|has|have|had|could|should|would)n't\b"
    r"|\b(?P<can>can)'t\b|\b(?P<wont>wo)n't\b",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(
    r"\b(?:(?:how|what|where|who|than|as)\b[^,.?]{0,25}"
    r"|(?:of|for|with|about|between|from|on|by|to|like) )$",
    re.IGNORECASE,
)
"""`how bad it is now`, `both of you are`: such a verb is not contracted."""
_SUBJECT_FOLLOWS = re.compile(
    r" (?:i|you|he|she|it|we|they|there|this|that|these|those|the|my|your|his|her|our|any\w*)\b",
    re.IGNORECASE,
)
"""`Isn't there a pill?`: `not` would come before its subject."""
_CLAUSE_CHARS = 40
"""The reach of `_ASKED_BEFORE`, so that the text before it is not searched each time."""
_HAS_OR_IS = re.compile(r" (?!been\b)\w+(?:ed|en|ne|me|own)\b")
"""Before these words `it's` may be `it has` or `it is`, so it stays contracted."""
_LONG = {"'m": " am", "'re": " are", "'ve": " have", "'ll": " will"}


def contract(text: str, *, only: Collection[str]) -> str:
    """Return the text with the forms contracted whose short form is in `only`."""

    def short(match: re.Match[str]) -> str:
        form = _short(match)
        return form if form.strip().casefold() in only else match.group()

    return _CONTRACTIBLE.sub(short, text)


def write_out(text: str) -> str:
    """Return the text with contractions written out."""
    return _SHORT.sub(_long, text)


def short_forms(text: str) -> list[str]:
    """Return the contractions of a text, in order."""
    return [match.group() for match in _SHORT.finditer(text)]


def toggles(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the places of contractions and of forms to contract, with the other spelling."""
    for match in _CONTRACTIBLE.finditer(text):
        if _ASKED_BEFORE.search(text, max(match.start() - _CLAUSE_CHARS, 0), match.start()):
            continue
        yield match.start(), match.end(), _short(match)
    for match in _SHORT.finditer(text):
        if (form := _long(match)) != match.group():
            yield match.start(), match.end(), form


def _short(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    head = match.group(kind)
    form = ("wo" if kind == "wont" else head) + _ENDINGS[kind]
    return "W" + form[1:] if head[0].isupper() and kind == "wont" else form


def _long(match: re.Match[str]) -> str:
    if match["tail"] is None and _SUBJECT_FOLLOWS.match(match.string, match.end()):
        return match.group()
    if match["not"]:
        return f"{match['not']} not"
    if match["can"]:
        return f"{match['can']}not"
    if match["wont"]:
        return "Will not" if match["wont"][0].isupper() else "will not"
    if match["tail"].lower() not in _LONG:  # 's, with a long s, too
        following = match.string[match.end() :]
        if _HAS_OR_IS.match(following):
            return match.group()
        has = re.match(r" (?:been|had|got)\b", following)
        return f"{match['head']} {'has' if has else 'is'}"
    return match["head"] + _LONG[match["tail"].lower()]
