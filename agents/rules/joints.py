"""Edits of conjunctions and determiners: where clauses meet and where a noun is introduced.

These words occur in nearly every run of words and carry no content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_rag.agents.lexicon import lexicon, words
from sage_rag.agents.rules.sentences import is_complete, is_question

JointEdit = tuple[int, int, str, bool]
"""`[start, end)`, the replacement, and whether it reads as naturally as the original."""

_SUBJECT = r"(?:I|he|she|it|they|we|you|there|this)(?:'\w+)?"
_NEXT_CLAUSE = re.compile(rf",? (?P<joint>and|but|so) (?P<subject>{_SUBJECT}) ")
_WHICH = re.compile(
    r",? which (?P<verb>is|was|has|can|may|might|could|will|would|means|causes|helps|led|made)"
    r"(?= [^,.?]{12,}[.?])"
)
_BECAUSE = re.compile(rf",? because (?P<subject>{_SUBJECT}|(?:my|the|your|his|her) \w+) ")
_AND = re.compile(r"(?<=[\w),] )and(?= (?P<next>[\w-]+))", re.IGNORECASE)
_OR = re.compile(
    r"(?P<before>(?<![\w'’])(?:[\w'’]+,? ){1,4}|[)],? )(?P<or>or)"
    r"(?! not(?:[.,?]|$| to\b))"
    r"(?! (?:\w+ )?(?:else|so|more|less|what|how|why|if|when|two|three|four|five|six|\d)\b)"
    r"(?= [a-z]{3,})"
)
_NO_CHOICE = re.compile(r"\b(?:no|not|never|without|any|either|whether|than|\w+n['’]t)\b", re.I)
_ONE_THING = re.compile(r" an? (?:[a-z]+ ){0,2}[a-z]+(?=[.,?]|$)")
_SAID_OF_ONE = r"(?:is|was|has|does|comes|goes|feels|looks|hurts|seems|started|began|will|can|may)"
_SAID_OF_MANY = r"(?:are|were|have|do|come|go|feel|look|hurt|seem)"
_INTRODUCED = (
    (re.compile(rf"(?<![a-z] )\bthe(?= [a-z]+[^s\W] {_SAID_OF_ONE}\b)", re.IGNORECASE), "this"),
    (re.compile(rf"(?<![a-z] )\bthe(?= [a-z]+s {_SAID_OF_MANY}\b)", re.IGNORECASE), "these"),
    (re.compile(r"(?<=\b(?:for|all|see|had|has) )(?:this|these)(?= [a-z]{4,})"), "the"),
    (re.compile(r"(?<=\b(?:have|with|from) )(?:this|these)(?= [a-z]{4,})"), "the"),
    (re.compile(r"(?<=\b(?:of|in|on|to|by) )(?:this|these)(?= [a-z]{4,})"), "the"),
)
_IN_YEAR = re.compile(
    r"(?<!back )\bin(?= (?:(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December) )?(?:19|20)\d\d\b)"
)
_DO = re.compile(
    r"(?P<before>(?<![\w'’])[\w'’]+ )?\b(?:I|we|you|they)(?P<gap> )(?:"
    r"have(?= (?:an?|the|this|these|some|severe|mild|slight|trouble|difficulty|pains?|high|low|many"
    r"|several|problems?)\b)|(?:feel|take|need|want|suggest|recommend|advise|believe|hope|use|smoke"
    r"|drink|exercise|understand|notice|suffer)\b(?! (?:to know|not|no|none|never)\b))",
    re.IGNORECASE,
)
_BEFORE_DO = frozenset("and but that because so when if since as although though".split())
_ADVERB = re.compile(
    r"\b(?P<verb>has|have|had|can|may|might|will|would|should|could|must) "
    r"(?P<adverb>always|also|already|now|still|often|usually|probably|never|just)"
    r"(?= \w+(?:ed|en|ing|be|have|t)\b)"
)
_AFTER_AND = frozenset(
    "also then a an half so if not no one two three now that off on i he she we you they".split()
)
_NOT_FINITE = frozenset("to for of in on at from with without by as if when".split())
_STOP = re.compile(r"[.?](?= |$)")
_STATEMENT_CHARS = 1000
"""Longer texts are not sentences, and each joint would read them again."""
_JOINTS = {"and": "", "but": "Still, ", "so": "That is why "}


def joint_edits(text: str) -> Iterator[JointEdit]:
    """Yield the edits of a text's conjunctions and determiners."""
    yield from _new_sentences(text)
    for match in _AND.finditer(text):
        following = match["next"].lower()
        thing = _ONE_THING.match(text, match.end())
        if thing and not any(map(_is_verb, words(thing.group()))):
            yield match.start(), match.end(), "as well as", True
        elif following not in _AFTER_AND:
            yield match.start(), match.end(), "and also", False
    for match in _OR.finditer(text):
        if not _NO_CHOICE.search(match["before"]):
            yield *match.span("or"), "or else", False
    for pattern, other in _INTRODUCED:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), other, True
    for match in _ADVERB.finditer(text):
        yield match.start(), match.end(), f"{match['adverb']} {match['verb']}", True
    for match in _DO.finditer(text):
        before = (match["before"] or "").strip().lower()
        if not before or before in _BEFORE_DO:
            yield *match.span("gap"), " do ", False
    for match in _IN_YEAR.finditer(text):
        yield match.start(), match.end(), "back in", False


def _new_sentences(text: str) -> Iterator[JointEdit]:
    """Yield edits that end a statement at a conjunction and begin a new one."""
    for match in _NEXT_CLAUSE.finditer(text):
        if _can_end(text, match.start()):
            subject = match["subject"]
            lead = _JOINTS[match["joint"]]
            start = lead + (subject if lead or subject == "I" else _capital(subject))
            yield match.start(), match.end() - 1, f". {start}", True
    for match in _WHICH.finditer(text):
        if _can_end(text, match.start()):
            yield match.start(), match.end(), f". This {match['verb']}", True
    for match in _BECAUSE.finditer(text):
        if _can_end(text, match.start()):
            yield match.start(), match.end() - 1, f". The reason is that {match['subject']}", False


def _can_end(text: str, place: int) -> bool:
    """Return whether the text up to a place is a whole statement, and not part of a question."""
    near = max(place - _STATEMENT_CHARS, 0)
    start = max(text.rfind(mark, near, place) for mark in (". ", "? ", "\n")) + 1
    stop = _STOP.search(text, place, place + _STATEMENT_CHARS)
    head = text[start or near : place].strip()
    if (stop and stop.group() == "?") or is_question(head) or "," in head:
        return False
    first = head.split(" ", 1)[0].lower()
    inside = {word.lower() for word in words(head)[1:]}
    leans = inside & {"if", "that", "whether", "because", "when", "although", "since"}
    return len(words(head)) > 3 and first not in _NOT_FINITE and not leans and is_complete(head)


def _is_verb(word: str) -> bool:
    known = lexicon().verbs
    return word in known or (len(word) > 4 and word.endswith("ed")) or word.endswith("n't")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
