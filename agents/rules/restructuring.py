"""Restructuring: the same statement with its parts in another order, or in two sentences."""

from __future__ import annotations

import re

from agents.rules.lexicon import lexicon, words
from agents.rules.sentences import capitalize, is_clause, is_complete, uncapitalize

_CONDITION = re.compile(
    r"(?P<word>if|when|because|since|although|while|unless|once|as soon as|before|after) "
    r"(?P<condition>[^,]+), (?:then )?(?P<main>[^,]+)",
    re.IGNORECASE,
)
_MAIN_FIRST = re.compile(
    r"(?P<main>[^,]+?),? (?P<word>if|when|because|although|unless|once|as soon as|before|after) "
    r"(?P<condition>(?:i|you|he|she|it|they|we|the|my|your|his|her|there|this)"
    r"(?:'(?:m|re|s))? [^,]+)",
    re.IGNORECASE,
)
_UNITS = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?)"
_TIME = (
    r"(?:(?:for|over|in|during|since) "
    r"(?:about |around |almost |nearly |more than |over |at least )?"
    r"(?:the )?(?:last|past|\d+|a|one|two|three|four|five|six|several|many|few|couple)"
    rf"(?: of| or| few| to| \d+| two| three)* ?{_UNITS}"
    r"|(?:about |around )?(?:\d+|a|one|two|three|four|five|six|several|few|couple of)"
    rf"(?: few| couple of)? {_UNITS} ago"
    r"|yesterday|last (?:night|week|month|year)|this morning"
    r"|every (?:day|night|morning)|at the moment|currently)"
)
_TIME_LAST = re.compile(rf"(?P<rest>[^,]+?),? (?P<time>{_TIME})", re.IGNORECASE)
_TIME_FIRST = re.compile(rf"(?P<time>{_TIME}),? (?P<rest>(?!and\b|or\b|of\b)[^,]+)", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|but|or|so|then)\b", re.IGNORECASE)
_PAIR = re.compile(
    r"(?<=\s)(?P<one>[^\W\d]\w+) (?P<joint>and|or) (?P<two>[^\W\d]\w+)"
    r"(?=\s+(?P<next>\w+)|\s*$|[,.?])"
)
_TRIPLE = re.compile(
    r"(?P<one>[^\W\d]\w+), (?P<two>[^\W\d]\w+(?: [^\W\d]\w+)?)(?=, |,? (?:and|or) )"
)
_VERBAL = (
    r"(?:have|has|had|was|were|am|is|are|can|cannot|can't|could|feel|felt|feels|get|got|gets|went|took|said|says|told"
    r"|do|don't|did|didn't|does|doesn't|will|started|gave|still)"
)
_TWO_VERBS = re.compile(
    rf"(?P<who>I|he|she|they|we|you|it)(?P<first>\b.+?),? and "
    rf"(?P<then>also )?(?P<second>{_VERBAL}\b.+)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?P<first>.+?),? (?P<joint>but|so|and) "
    r"(?P<second>(?:I|he|she|they|we|you|it|there|this|that|my|the|his|her)"
    r"(?:'\w+)?\b .+)",
    re.IGNORECASE,
)
_JOINTS = {"but": "Still, ", "so": "That's why ", "and": ""}
_WHICH = re.compile(
    r"(?P<first>.+), which "
    r"(?P<rest>(?:is|can|may|might|could|has|was|will|causes|helps|would|means)\b.+)"
)

_SHORTEST = 4
"""Fewest words of a sentence that a split may leave on either side."""


def move(body: str) -> str:
    """Move a condition or a time to the other end of its sentence, where that is safe."""
    joined = bool(_JOINED.search(body))
    if (match := _CONDITION.fullmatch(body)) and _stands(match["main"]) and not joined:
        return f"{match['main']} {match['word'].lower()} {uncapitalize(match['condition'])}"
    if (match := _TIME_FIRST.fullmatch(body)) and _stands(match["rest"]) and not joined:
        return f"{match['rest']} {match['time'].lower()}"
    if (
        (match := _MAIN_FIRST.fullmatch(body))
        and _stands(match["main"])
        and not _JOINED.search(match["main"])
    ):
        return f"{match['word']} {match['condition']}, {uncapitalize(match['main'])}"
    if (match := _TIME_LAST.fullmatch(body)) and _stands(match["rest"]) and not joined:
        return f"{match['time']}, {uncapitalize(match['rest'])}"
    return body


def reorder_lists(body: str) -> str:
    """Exchange the members of pairs and lists of single words: `nausea and vomiting`."""
    body = _TRIPLE.sub(_exchange_first_two, body)
    return _PAIR.sub(_exchange_pair, body)


def split(body: str) -> list[str]:
    """Cut a sentence in two that each have a subject; a list of one where there is no place."""
    if body.split(" ", 1)[0].lower() in _LEANING_STARTS:
        return [body]
    for pattern, second in (
        (_WHICH, _after_which),
        (_TWO_VERBS, _after_and),
        (_CONTRAST, _after_joint),
    ):
        match = pattern.fullmatch(body)
        if match:
            first = match["first"] if pattern is not _TWO_VERBS else match["who"] + match["first"]
            rest = second(match)
            if (
                is_complete(first)
                and is_clause(rest)
                and min(len(words(first)), len(words(rest))) >= _SHORTEST
            ):
                return [first.rstrip(" ,"), rest]
    return [body]


def _after_which(match: re.Match[str]) -> str:
    return f"This {match['rest']}"


def _after_and(match: re.Match[str]) -> str:
    return f"{capitalize(match['who'])} {match['then'] or ''}{match['second']}"


def _after_joint(match: re.Match[str]) -> str:
    return _JOINTS[match["joint"].lower()] + uncapitalize(match["second"])


def _exchange_first_two(match: re.Match[str]) -> str:
    """Exchange the first two members of a list, if the first is known to be one word."""
    if not _follows_function_word(match) or not _is_plain(match["one"], match["two"]):
        return match.group()
    return f"{match['two']}, {match['one']}"


def _exchange_pair(match: re.Match[str]) -> str:
    following = (match["next"] or "").lower()
    if following and following not in _AFTER_NOUNS:
        return match.group()
    if not _follows_function_word(match) or not _is_plain(match["one"], match["two"]):
        return match.group()
    return f"{match['two']} {match['joint']} {match['one']}"


def _follows_function_word(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].split()
    return bool(before) and before[-1].lower() in _BEFORE_NOUNS


def _is_plain(*members: str) -> bool:
    known = lexicon()
    found = [word.lower() for member in members for word in member.split()]
    return not any(
        w in known.stop_words or w in known.verbs or w.endswith(("ed", "ing")) for w in found
    )


def _stands(text: str) -> bool:
    """Return whether a clause can follow what is put in front of it."""
    found = words(text)
    return (
        len(found) > 2
        and found[0].lower() not in _LEANING_STARTS
        and found[-1].lower() not in _OPEN_ENDS
        and is_clause(text)
    )


_LEANING_STARTS = frozenset(
    "what why how where who which is are can could should would will do does did has have may must"
    " if when although because since please any and or but while unless once before after as that"
    " so then".split()
)
_OPEN_ENDS = frozenset(
    "even only just or and as like feel see know wonder ask that than sure how what if not so more"
    " less especially usually days weeks months years".split()
)
_BEFORE_NOUNS = frozenset("have has had having any some include includes causes no".split())
"""After these a list begins; after a preposition it may be its first member alone that follows:
`blood in stool and fever`."""
_AFTER_NOUNS = frozenset(
    "in on of for with without from since is are was were has have had can could may might will"
    " would should but when if because at to by after before which that during as and or".split()
)
