"""Clauses of a sentence: which can be moved, or a question made indirect, without a change.

Every rule here holds only for a sentence of one plain statement. A word that governs more than its
own clause (`said`, `not`, `that`, `only`, a second condition) forbids the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.agents.lexicon import words
from sage_rag.agents.rules.sentences import is_complete, uncapitalize
from sage_rag.common.questions import is_inverted

ClauseEdit = tuple[int, int, str]
"""`[start, end)` and the replacement."""

_GOVERNING = re.compile(
    r"\b(?:sa(?:id|ys?)|told|tells?|thinks?|thought|knows?|knew|believes?|believed|hop(?:e|es|ed)"
    r"|ask(?:s|ed)?|advise[sd]?|suggest(?:s|ed)?|recommend(?:s|ed)?|want(?:s|ed)?|wonder(?:s|ed|ing)?"
    r"|(?:instruct|order|remind|urge|warn|allow|expect|permit|forbid|promise|decide|agree|plan)"
    r"(?:s|e?d|ing)?|planned|forbade|forbidden"
    r"|afraid|worried|if|unless|until|till|when|whenever|while|because|since|although|though|before"
    r"|after|once|in case|so that|provided|that|which|who|whose|where|whether|how|what|why"
    r"|to [a-z]+|not|no|never|none|without|neither|nor|hardly|only|even|just|too|than"
    r"|\w+n['’]t|cannot|and|or|but|so|then)\b",
    re.IGNORECASE,
)
"""Words whose scope another order of clauses could change."""
_CONDITION_FIRST = re.compile(
    r"(?P<word>if|when|before|after) (?P<condition>[^,]+), (?:then )?(?P<main>[^,]+)", re.IGNORECASE
)
_CONDITION_LAST = re.compile(
    r"(?P<main>[^,]+?)(?<! as) (?P<word>if|when) "
    r"(?P<condition>(?:i|you|he|she|it|they|we|the|my|your|his|her|there|this)"
    r"(?:'(?:m|re|s))? [^,]+)",
    re.IGNORECASE,
)
_UNITS = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?)"
_TIME = (
    r"(?:(?:for|over|during) (?:about |around |almost |nearly |more than |over |at least )?"
    r"(?:the )?(?:last|past|\d+|a|one|two|three|four|five|six|several|many|few|couple)"
    rf"(?: of| few| \d+| two| three)* ?{_UNITS}"
    r"|(?:about |around )?(?:\d+|a|one|two|three|four|five|six|several|a few|a couple of)"
    rf" {_UNITS} ago|yesterday|last (?:night|week|month|year)|this morning)"
)
_TIME_LAST = re.compile(rf"(?P<rest>[^,]+?) (?P<time>{_TIME})", re.IGNORECASE)
_TIME_FIRST = re.compile(rf"(?P<time>{_TIME}),? (?P<rest>(?!and\b|or\b|of\b)[^,]+)", re.IGNORECASE)
_WHO = r"(?P<who>it|i|he|she|they|we|there|one)"
_MODAL = r"can|could|should|would|will|may|might|must|is|are|am|was|were"
_YES_OR_NO = re.compile(rf"(?P<verb>{_MODAL}|have|has|had|do) {_WHO} (?P<rest>.+)", re.I)
_OPEN_QUESTION = re.compile(
    rf"(?P<word>what|why|when|where|how(?: (?:long|often|much|soon))?) (?P<verb>{_MODAL}) {_WHO}"
    r" (?P<rest>.+)",
    re.IGNORECASE,
)
_TWO_QUESTIONS = re.compile(
    r"\bbut\b|(?:, |\b(?:or|and) )(?:so )?(?:what|how|why|when|where|who|is|are|am|was|were|do|does"
    r"|did|can|could|should|will|would|may|might|has|have|please)\b",
    re.IGNORECASE,
)
_QUESTION_IF = re.compile(
    r"(?P<main>[^,]+?),? (?P<word>if|when) (?P<condition>(?:i|you|he|she|it|they|we|the|my|your|his"
    r"|her|there|this)\b[^,]+)",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:if|when|unless|until|because)\b", re.IGNORECASE)
_ORDERED = re.compile(
    r"\b(?:if|when|unless|until|because|since|but|so|then|also|too|else|instead|otherwise|rather"
    r"|another|other|same|still|yet|please|both|either|neither|not|n['’]t)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words by which one of two questions depends on the other, or on their order."""
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|him|his|her)\b",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"(?:^|(?<=[.?] ))(?P<condition>[Ii]f [^,.?]+), (?P<then>then )?"
    r"(?=(?:i|you|he|she|it|they|we|the|there|your|my|his|her|this|please)\b)",
    re.IGNORECASE,
)
_FEWEST = 4
"""Fewest words of a statement from which a time is moved."""


def move(body: str) -> str:
    """Move a condition or a time to the other end of its sentence, if a rule allows it."""
    if (match := _CONDITION_FIRST.fullmatch(body)) and _are_plain(match):
        return f"{match['main']} {match['word'].lower()} {uncapitalize(match['condition'])}"
    if (match := _CONDITION_LAST.fullmatch(body)) and _are_plain(match):
        return f"{match['word']} {match['condition']}, {uncapitalize(match['main'])}"
    if (match := _TIME_FIRST.fullmatch(body)) and _is_plain_statement(match["rest"]):
        return f"{match['rest']} {match['time'].lower()}"
    if (match := _TIME_LAST.fullmatch(body)) and _is_plain_statement(match["rest"]):
        return f"{match['time']}, {uncapitalize(match['rest'])}"
    return body


def swap(question: str) -> str:
    """Exchange two questions that `or` or `and` joins, or put a condition first; without marks.

    Unchanged where the second question refers to a word of the first.
    """
    for joint in re.finditer(r",? (?P<word>or|and) ", question, re.IGNORECASE):
        one, two = question[: joint.start()], question[joint.end() :]
        if _are_two_questions(one, two):
            return f"{two}, {joint['word'].lower()} {uncapitalize(one)}"
    match = _QUESTION_IF.fullmatch(question)
    if match is None or _TWO_QUESTIONS.search(question) or not is_inverted(match["main"]):
        return question
    if _GOVERNING.search(match["main"]) or _WHEN.search(match["condition"]):
        return question
    return f"{match['word']} {match['condition']}, {uncapitalize(match['main'])}"


def _are_two_questions(one: str, two: str) -> bool:
    """Return whether two texts are questions of which neither depends on the other."""
    if not (is_inverted(one) and is_inverted(two)) or _ORDERED.search(f"{one} / {two}"):
        return False
    before, after = ({w.casefold() for w in _REFERS.findall(part)} for part in (one, two))
    return after <= before


def indirect(question: str) -> str | None:
    """Return a question as an indirect one, or `None` where its order is not plain; no marks."""
    match = _YES_OR_NO.fullmatch(question) or _OPEN_QUESTION.fullmatch(question)
    if match is None or _TWO_QUESTIONS.search(question):
        return None
    word = match["word"].lower() if match.re is _OPEN_QUESTION else "whether"
    who = "I" if match["who"].casefold() == "i" else match["who"].lower()
    verb = "" if match["verb"].casefold() == "do" else f"{match['verb'].lower()} "
    return f"I would like to know {word} {who} {verb}{match['rest']}"


def consequences(text: str) -> Iterator[ClauseEdit]:
    """Yield the places after a condition where `then` can be added or left out."""
    for match in _THEN.finditer(text):
        then = "" if match["then"] else "then "
        yield match.end("condition"), match.end(), f", {then}"


def _is_plain_statement(text: str) -> bool:
    """Return whether a text is a whole statement without a word that governs another clause."""
    return (
        "," not in text
        and len(words(text)) >= _FEWEST
        and not is_inverted(text)
        and not _GOVERNING.search(text)
        and is_complete(text)
    )


def _are_plain(match: re.Match[str]) -> bool:
    """Return whether a condition and its main clause have one order of meaning only.

    The main clause may be negated or an instruction: the condition governs all of it either way.
    """
    main, condition = match["main"], match["condition"]
    inside = [m.group().casefold() for m in _GOVERNING.finditer(f"{main} / {condition}")]
    allowed = {"not", "cannot", "no"}
    free = all(w in allowed or w.startswith("to ") or w.endswith(("n't", "n’t")) for w in inside)
    return (
        free
        and len(words(main)) > 2
        and len(words(condition)) > 1
        and not is_inverted(main)
        and is_complete(main)
    )
