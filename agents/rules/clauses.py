"""Clauses and lists of a sentence: which can be separated, moved or exchanged without a change.

Every rule here holds only for a sentence of one plain statement. A word that governs more than its
own clause (`said`, `not`, `that`, `only`, a second condition) forbids the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.agents.lexicon import lexicon, words
from sage_rag.agents.rules.sentences import capitalize, is_complete, is_question, uncapitalize

ClauseEdit = tuple[int, int, str]
"""`[start, end)` and the replacement."""

_SUBJECT = r"(?:I|he|she|it|they|we|you|there|this|my \w+)(?:'\w+)?"
_NEXT_CLAUSE = re.compile(rf",? (?P<joint>and|but) (?P<subject>{_SUBJECT}) (?!and\b|or\b)")
_RESULT = re.compile(rf", so (?P<subject>{_SUBJECT}) (?!that\b|can\b|could\b|may\b|will\b)")
_WHICH = re.compile(
    r", which (?P<verb>is|was|has|had|can|may|might|could|will|would|means|causes|caused|helps"
    r"|helped|made)(?= [^,.?]{12,}[.?])"
)
_SAME_SUBJECT = re.compile(
    r"(?P<who>\b(?:I|he|she|we|they))\b(?P<first>[^.?]*?),? and (?P<verb>(?:have|has|had|was|were"
    r"|am|took|went|got|felt|found|noticed|started|stopped|tried|gave|did|came|saw)\b (?!not\b))"
)
_LAST_MEMBER = re.compile(r"(?<=[a-z]) and (?P<member>[a-z]{4,}(?: [a-z]{4,}){0,2})(?=[.?]|$)")
_NO_ADDITION = re.compile(
    r"\b(?:no|not|never|without|between|both|either|neither|nor|more|over|up|\w+n['’]t|cannot)\b",
    re.I,
)
_LEADS = {"and": "", "but": "However, "}
_DEPENDENT = re.compile(
    r"\b(?:sa(?:id|ys?)|told|tells?|thinks?|thought|knows?|knew|believes?|believed|hop(?:e|es|ed)"
    r"|ask(?:s|ed)?|advise[sd]?|suggest(?:s|ed)?|recommend(?:s|ed)?|wonder(?:s|ed|ing)?|afraid"
    r"|worried|sure|feel like|if|unless|until|till|when|whenever|while|because|since|although"
    r"|though|once|as soon as|in case|so that|so much|provided|that|whether|how|what|why|either"
    r"|neither|both|between)\b",
    re.IGNORECASE,
)
"""Words with a clause of their own, in which what follows might belong, too."""
_GOVERNING = re.compile(
    r"\b(?:sa(?:id|ys?)|told|tells?|thinks?|thought|knows?|knew|believes?|believed|hop(?:e|es|ed)"
    r"|ask(?:s|ed)?|advise[sd]?|suggest(?:s|ed)?|recommend(?:s|ed)?|want(?:s|ed)?|wonder(?:s|ed|ing)?"
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
    r"(?P<main>[^,]+?) (?P<word>if|when) "
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
_YES_OR_NO = re.compile(
    r"(?P<verb>is|are|am|was|were|can|could|should|would|will|may|might|have|has|had|do) "
    r"(?P<who>it|i|he|she|they|we|there) (?P<rest>.+)",
    re.IGNORECASE,
)
_TIME_LAST = re.compile(rf"(?P<rest>[^,]+?) (?P<time>{_TIME})", re.IGNORECASE)
_TIME_FIRST = re.compile(rf"(?P<time>{_TIME}),? (?P<rest>(?!and\b|or\b|of\b)[^,]+)", re.IGNORECASE)
_PAIR = re.compile(
    r"(?<=\s)(?P<one>[^\W\d]\w+) (?P<joint>and|or) (?P<two>[^\W\d]\w+)"
    r"(?=\s+(?P<next>\w+)|\s*$|[,.?])"
)
_MEMBERS = re.compile(
    r"(?<=, )(?P<one>[a-z-]{4,}(?: [a-z-]{4,}){0,2}), (?P<two>[a-z-]{4,}(?: [a-z-]{4,}){0,2})(?=, )"
)
_THEN = re.compile(
    r"(?:^|(?<=[.?] ))(?P<condition>[Ii]f [^,.?]+), (?P<then>then )?"
    r"(?=(?:i|you|he|she|it|they|we|the|there|your|my|his|her|this|please)\b)",
    re.IGNORECASE,
)
_TRIPLE = re.compile(
    r"(?<!\w)(?P<one>[^\W\d]\w+), (?P<two>[^\W\d]\w+(?: [^\W\d]\w+)?)(?=, |,? (?:and|or) )"
)
_BEFORE_NOUNS = frozenset("have has had having any some include includes causes no".split())
"""A list begins after these words; after a preposition only its first member may follow: `blood in
stool and fever`."""
_AFTER_NOUNS = frozenset(
    "in on of for with without from since is are was were has have had can could may might will"
    " would should but when if because at to by after before which that during as and or".split()
)
_STOP = re.compile(r"[.?]")
_SEARCHED_CHARS = 1000
"""Longer texts are not sentences, and each joint would read them again."""
_FEWEST = 4
"""Fewest words of a clause that becomes a sentence or is moved."""


def new_sentences(text: str) -> Iterator[ClauseEdit]:
    """Yield edits that end a plain statement at a joint of clauses and begin a new sentence."""
    for match in _NEXT_CLAUSE.finditer(text):
        if _can_end(text, match.start(), match.end()):
            subject, lead = match["subject"], _LEADS[match["joint"]]
            start = lead + (subject if lead else capitalize(subject))
            yield match.start(), match.end() - 1, f". {start}"
    for match in _RESULT.finditer(text):
        if _can_end(text, match.start(), match.end()):
            yield match.start(), match.end() - 1, f". Therefore, {match['subject']}"
    for match in _WHICH.finditer(text):
        if _can_end(text, match.start(), match.end()):
            yield match.start(), match.end(), f". This {match['verb']}"
    for match in _SAME_SUBJECT.finditer(text):
        end, who = match.end("first"), capitalize(match["who"])
        opens = match.start() == 0 or text[match.start() - 2] in ".?\n"
        alone = not re.search(rf"\b{_SUBJECT} ", match["first"])
        if opens and alone and _can_end(text, end, match.end()):
            yield end, match.end(), f". {who} {match['verb']}"


def additions(text: str) -> Iterator[ClauseEdit]:
    """Yield the places of `and` before the last member of a list of nouns: `as well as`."""
    for match in _LAST_MEMBER.finditer(text):
        member = match["member"].split()
        head = _head(text, match.start())
        known = lexicon()
        nouns = not any(w in known.verbs or w in known.stop_words for w in member)
        if nouns and not member[0].endswith(("ed", "ly")) and not _NO_ADDITION.search(head):
            yield match.start() + 1, match.start() + 4, "as well as"


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


def indirect(question: str) -> str | None:
    """Return a question of yes or no as an indirect one, or `None`; without marks."""
    match = _YES_OR_NO.fullmatch(question)
    if match is None or " or " in question:
        return None
    who = "I" if match["who"].casefold() == "i" else match["who"].lower()
    verb = "" if match["verb"].casefold() == "do" else f"{match['verb'].lower()} "
    return f"I would like to know whether {who} {verb}{match['rest']}"


def list_edits(text: str) -> Iterator[ClauseEdit]:
    """Yield the places of pairs and lists, `nausea and vomiting`, with two members exchanged."""
    for match in _PAIR.finditer(text):
        following = (match["next"] or "").lower()
        if (not following or following in _AFTER_NOUNS) and _begins_list(match):
            yield match.start(), match.end(), f"{match['two']} {match['joint']} {match['one']}"
    for match in _TRIPLE.finditer(text):
        if _begins_list(match):
            yield match.start(), match.end(), f"{match['two']}, {match['one']}"
    for match in _MEMBERS.finditer(text):
        if _are_nouns(match):
            yield match.start(), match.end(), f"{match['two']}, {match['one']}"


def consequences(text: str) -> Iterator[ClauseEdit]:
    """Yield the places after a condition where `then` can be added or left out."""
    for match in _THEN.finditer(text):
        then = "" if match["then"] else "then "
        yield match.end("condition"), match.end(), f", {then}"


def _head(text: str, place: int) -> str:
    """Return the sentence up to a place."""
    near = max(place - _SEARCHED_CHARS, 0)
    start = max(text.rfind(mark, near, place) for mark in (". ", "? ", "\n")) + 1
    return text[start or near : place].strip()


def _can_end(text: str, place: int, after: int) -> bool:
    """Return whether the sentence up to a place is a statement that governs nothing after it."""
    head = _head(text, place)
    stop = _STOP.search(text, after, after + _SEARCHED_CHARS)
    return (
        not (stop and stop.group() == "?")
        and len(words(head)) >= _FEWEST
        and not is_question(head)
        and not _DEPENDENT.search(head)
        and is_complete(head)
    )


def _is_plain_statement(text: str) -> bool:
    """Return whether a text is a whole statement without a word that governs another clause."""
    return (
        "," not in text
        and len(words(text)) >= _FEWEST
        and not is_question(text)
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
        and min(len(words(main)), len(words(condition)) + 1) >= _FEWEST - 1
        and not is_question(main)
        and is_complete(main)
    )


def _begins_list(match: re.Match[str]) -> bool:
    """Return whether two members of a list are plain nouns after a word that lists follow."""
    before = match.string[: match.start()].split()
    return bool(before) and before[-1].lower() in _BEFORE_NOUNS and _are_nouns(match)


def _are_nouns(match: re.Match[str]) -> bool:
    """Return whether no member of a list holds a verb, an adverb or a function word."""
    known = lexicon()
    members = [word.lower() for part in ("one", "two") for word in match[part].split()]
    return not any(
        w in known.stop_words or w in known.verbs or w.endswith(("ed", "ing", "ly"))
        for w in members
    )
