"""Restructuring: put the parts of a statement in another order, or split it in two sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.agents.lexicon import lexicon, words
from sage_rag.agents.rules.sentences import capitalize, is_clause, is_complete, uncapitalize

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
_GROUND = r"(?:based on|depending on|according to|in addition to|in case of)"
_GROUND_FIRST = re.compile(rf"(?P<ground>{_GROUND} [^,]+), (?P<main>[^,]+)", re.IGNORECASE)
_GROUND_LAST = re.compile(rf"(?P<main>[^,]+?),? (?P<ground>{_GROUND} [^,]+)", re.IGNORECASE)
_PURPOSE = (
    r"(?:in order )?to (?:confirm|determine|diagnose|rule out|exclude|check|assess|evaluate|treat"
    r"|prevent|reduce|relieve|find out|make sure|measure|manage|avoid|see) [^,]+"
)
_PURPOSE_FIRST = re.compile(rf"(?P<purpose>{_PURPOSE}), (?P<main>(?:we|i|you|it) [^,]+)", re.I)
_PURPOSE_LAST = re.compile(
    r"(?P<main>(?:we|i) (?:will |would |may |might |can |should |also )*(?:need to|like to|have to"
    r"|recommend|suggest|conduct|perform|prescribe)\b(?: \w+){2,}?)"
    rf" (?P<purpose>{_PURPOSE})",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\b(?:and|but|or|so|then)\b", re.IGNORECASE)
_PAIR = re.compile(
    r"(?<=\s)(?P<one>[^\W\d]\w+) (?P<joint>and|or) (?P<two>[^\W\d]\w+)"
    r"(?=\s+(?P<next>\w+)|\s*$|[,.?])"
)
_TRIPLE = re.compile(
    r"(?<!\w)(?P<one>[^\W\d]\w+), (?P<two>[^\W\d]\w+(?: [^\W\d]\w+)?)(?=, |,? (?:and|or) )"
)
_MEMBER = r"[^,.;:?()\n\x00]{3,45}(?: ?\([^(),]{1,40}\))?"
_DESCRIBED = re.compile(r"\b\w+ed (?=[a-z])", re.IGNORECASE)
"""`computed tomography`, `blurred vision`."""
_LONGEST_MEMBER = 8
_STRETCH = re.compile(r"[^.;:?\n\x00]+")
_LIST_LEAD = re.compile(r"\b(?:including|includes?|included|such as|like|among them) (?=[^ ]+)")
_LAST = re.compile(rf"(?P<joint>(?:and|or) )(?P<member>{_MEMBER})")
_NO_MEMBER = re.compile(
    r"\b(?:and|or|but|which|who|that|then|so|because|if|when|while|I|i|he|she|it|they|we|you|my|etc"
    r"|also|is|are|was|were|have|has|had|do|does|did|can|will|may|should|not|no|\w+ed|then)\b"
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

_COORDINATED = re.compile(r",? (?:and|but|so|then|yet|though|however),? (?!then\b)|; |, ")
_SUBORDINATED = re.compile(
    r",? (?P<word>because|since|although|if|when|while|after|before|until|so that|in case|as) "
    r"(?=(?:I|he|she|it|they|we|you|there|this|that|my|your|his|her|the|a|an|\w+ing)\b)"
)
_SUBJECT_START = re.compile(
    r"(?:i|he|she|it|they|we|you|there|this|that|these|my|your|his|her|our|their|the)\b|\[",
    re.IGNORECASE,
)

_SHORTEST = 4
"""Fewest words that a split may leave on either side."""


def move(body: str) -> str:
    """Move a condition or a time to the other end of its sentence, if a rule allows it."""
    joined = bool(_JOINED.search(body))
    if (match := _CONDITION.fullmatch(body)) and _stands(match["main"]) and not joined:
        return f"{match['main']} {match['word'].lower()} {uncapitalize(match['condition'])}"
    if (match := _GROUND_FIRST.fullmatch(body)) and _stands(match["main"]):
        return f"{match['main']}, {uncapitalize(match['ground'])}"
    if (match := _PURPOSE_FIRST.fullmatch(body)) and _stands(match["main"]):
        return f"{match['main']} {uncapitalize(match['purpose'])}"
    if (match := _PURPOSE_LAST.fullmatch(body)) and not _JOINED.search(match["main"]):
        return f"{match['purpose']}, {uncapitalize(match['main'])}"
    if (match := _GROUND_LAST.fullmatch(body)) and _stands(match["main"]):
        return f"{match['ground']}, {uncapitalize(match['main'])}"
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


def list_edits(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the places of pairs and lists, `nausea and vomiting`, with their members exchanged."""
    for match in _PAIR.finditer(text):
        if (other := _exchange_pair(match)) != match.group():
            yield match.start(), match.end(), other
    for match in _TRIPLE.finditer(text):
        if (other := _exchange_first_two(match)) != match.group():
            yield match.start(), match.end(), other
    for match in _STRETCH.finditer(text):
        if (edit := _reversed_list(match.group())) is not None:
            start, end, other = edit
            yield match.start() + start, match.start() + end, other


def _reversed_list(stretch: str) -> tuple[int, int, str] | None:
    """Return the place of a list in a stretch without full stops, and the reversed list.

    The first member is included only if a word such as `including` shows its beginning.
    """
    leads = list(_LIST_LEAD.finditer(stretch))
    start = leads[-1].end() if leads else stretch.find(", ") + 2
    members = stretch[start:].split(", ") if start > 1 else []
    joint = ""
    if len(members) > 1 and (last := _LAST.fullmatch(members[-1])):
        joint, members[-1] = last["joint"], last["member"]
    elif members:
        members = members[:-1]
    end = start + len(", ".join(members)) + len(joint)
    if joint and not _is_member(members[-1]):
        end -= len(joint) + len(members[-1]) + 2
        joint, members = "", members[:-1]
    if len(members) < 2 or not all(map(_is_member, members)):
        return None
    turned = members[::-1]
    if joint:
        turned[-1] = joint + turned[-1]
    return start, end, ", ".join(turned)


def _is_member(text: str) -> bool:
    bare = _DESCRIBED.sub("", text)
    fits = re.fullmatch(_MEMBER, text) and not _NO_MEMBER.search(bare) and not is_clause(bare)
    return bool(fits) and not text.endswith("ly") and len(words(text)) <= _LONGEST_MEMBER


def split(body: str) -> list[str]:
    """Split a sentence into two clauses with subjects of their own, or return it whole."""
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


def invert(body: str) -> str | None:
    """Return a statement with its second part first, or `None` if it has no second part.

    A subordinate clause is put before the main clause; two main clauses become sentences.
    """
    if body.split(" ", 1)[0].lower() in _LEANING_STARTS:
        return None
    middle = len(body) / 2
    for match in sorted(_COORDINATED.finditer(body), key=lambda m: abs(m.start() - middle)):
        first, second = body[: match.start()], body[match.end() :]
        if _both_stand(first, second) and _SUBJECT_START.match(second):
            return f"{capitalize(second)}. {capitalize(first)}"
    for match in sorted(_SUBORDINATED.finditer(body), key=lambda m: abs(m.start() - middle)):
        first, second = body[: match.start()], body[match.end() :]
        if _both_stand(first, second) and "," not in second and not _JOINED.search(second):
            return f"{capitalize(match['word'])} {second}, {uncapitalize(first)}"
    return None


def _both_stand(first: str, second: str) -> bool:
    return (
        min(len(words(first)), len(words(second))) >= _SHORTEST
        and is_complete(first)
        and is_clause(second)
        and words(first)[-1].lower() not in _OPEN_ENDS
    )


def _after_which(match: re.Match[str]) -> str:
    return f"This {match['rest']}"


def _after_and(match: re.Match[str]) -> str:
    return f"{capitalize(match['who'])} {match['then'] or ''}{match['second']}"


def _after_joint(match: re.Match[str]) -> str:
    return _JOINTS[match["joint"].lower()] + uncapitalize(match["second"])


def _exchange_first_two(match: re.Match[str]) -> str:
    """Exchange the first two members of a list, if the first is certainly one word."""
    if not _follows_function_word(match) or not _is_plain(match["one"], match["two"]):
        return match.group()
    return f"{match['two']}, {match['one']}"


def _exchange_pair(match: re.Match[str]) -> str:
    following = (match["next"] or "").lower()
    adjectives = match["one"].endswith(_ENDINGS[0]) and match["two"].endswith(_ENDINGS[0])
    if following and following not in _AFTER_NOUNS and not adjectives:
        return match.group()
    if not _is_plain(match["one"], match["two"]):
        return match.group()
    if not _follows_function_word(match) and not _are_of_a_kind(match["one"], match["two"]):
        return match.group()
    return f"{match['two']} {match['joint']} {match['one']}"


def _follows_function_word(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].split()
    return bool(before) and before[-1].lower() in _BEFORE_NOUNS


def _are_of_a_kind(one: str, two: str) -> bool:
    """Return whether two words have the same kind of ending: both adjectives or both nouns."""
    return any(one.endswith(kind) and two.endswith(kind) for kind in _ENDINGS)


def _is_plain(*members: str) -> bool:
    known = lexicon()
    found = [word.lower() for member in members for word in member.split()]
    return not any(
        w in known.stop_words or w in known.verbs or w.endswith(("ed", "ing")) for w in found
    )


def _stands(text: str) -> bool:
    """Return whether a clause can stand alone after a moved part."""
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
    " so then based depending given according due despite during with without for in on at by from"
    " to regarding besides like unlike apart including however following".split()
)
_OPEN_ENDS = frozenset(
    "even only just or and as like feel see know wonder ask that than sure how what if not so more"
    " wondering asking tell told curious unsure doubt check idea me soon well long far such same"
    " much many less especially usually days weeks months years is are was were be been may might"
    " can could will would should must".split()
)
_BEFORE_NOUNS = frozenset("have has had having any some include includes causes no".split())
"""A list begins after these words; after a preposition only its first member may follow: `blood in
stool and fever`."""
_ENDINGS = (("al", "ic", "ous", "ive", "ary"), ("tion", "ment", "ness", "itis", "ity"), "ly")
_AFTER_NOUNS = frozenset(
    "in on of for with without from since is are was were has have had can could may might will"
    " would should but when if because at to by after before which that during as and or".split()
)
