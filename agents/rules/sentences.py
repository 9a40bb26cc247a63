"""Split typed text, also run-on or without punctuation, into clean sentences."""

from __future__ import annotations

import re

from sage_rag.agents.lexicon import is_boilerplate, lexicon, words
from sage_rag.agents.rules.contractions import contract, short_forms
from sage_rag.agents.rules.tidy import tidy, with_apostrophes

_ABBREVIATIONS = frozenset(
    "dr mr mrs ms st prof vs approx no e.g i.e eg ie fig sr jr mt tab cap inj".split()
)
_END = re.compile(
    r"(?<=[.?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)(?<!\bSt\.)(?<!\bno\.)"
    r" +(?=[\"'(]?\[?[A-Z0-9\"])|\n+"
)
_TITLES = frozenset("dr mr mrs ms prof sister nurse".split())
_STOP = re.compile(r"[.!?]+[\"')\]]*(?=\s)|\n+|;(?=\s)")
_SUBJECT = (
    r"(?:i|we|he|she|it|they|you|there|this)\b(?! (?:too|also)\b)"
    r"|(?:my|his|her|the|our|their|your)(?: [\w-]+){1,2} "
    r"(?:is|are|was|were|has|have|had|will|would|can|could|does|did|said|told|feels?|gets?|got|hurts?)\b"
)
_JOINT = re.compile(
    rf"\s*[,:]?\s+(?:and then|and now|and so|and also|and|but"
    rf"|so(?! \w+ (?:do not|can|could|may|will))|however) (?={_SUBJECT})"
    rf"|\s*,\s+(?={_SUBJECT})"
    r"|(?<=\w)\s+(?=(?:I|i) (?:am|have|had|was|went|took|do not|did not|also)\b)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"[\s,]+(?:and |but |so )?(?=(?:what|how|why"
    r"|(?:is|are|can|could|should|would|will|do|does|did|has|have)"
    r" (?:i|it|this|that|there|he|she|they|we|you|my))\b)",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"(?<=\w)\s+(?:and |but |then |so )?(?=(?:i|he|she|they|it|we|there) "
    r"(?:am|is|are|was|were|have|has|had|went|took"
    r"|did|do|got|get|feel|felt|started|still|can|cannot|also|just|think)\b)",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(
    r"\b(?:if|when|whenever|while|because|since|although|though|as|until|unless|after|before|once"
    r"|due to|every time|that|for|in|at|on|during|with)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:^|\s)(?:if|when|whenever|while|because|since|although|that|which|who|what|where|why|how"
    r"|as|until|unless|after|before|once|whether|and|or|but|so|than|the|a|medicine|time|like|said"
    r"|told|says|know|think|feel|wonder\w*|day|thing|last|every|now|sure|hope|to|even|from)$",
    re.IGNORECASE,
)
_SUBORDINATE_START = re.compile(
    r"(?:if|when|whenever|while|because|since|although|though|as|until|unless|after|before|once"
    r"|whether|due to|even|every time|till|in case|should you)\b",
    re.IGNORECASE,
)
_LEANING = re.compile(rf"(?:and|or|but)\b|{_SUBORDINATE_START.pattern}", re.IGNORECASE)
_INVERTED = re.compile(
    r"(?:(?:what|why|how|where|who|which)(?: \w+){0,3}? )?"
    r"(?:is|are|am|can|could|should|would|will|do|does|did|has|have|may|might) "
    r"(?:i|it|this|that|there|he|she|they|we|you|my|the|these|his|her|any\w*)\b",
    re.IGNORECASE,
)

_RELATIVE = re.compile(r",? (?:which|who|whom) [^,]*$", re.IGNORECASE)

_NEVER_LAST = frozenset("a an the and or but however then though".split())

RUN_ON = 28
"""Words from which a clause is also cut at a weak sign of a new one."""

LONG_SENTENCE = 16
"""Words from which a sentence is searched for clauses that can stand alone."""


def split_sentences(text: str) -> list[str]:
    """Return tidy sentences in order: each begins with a capital and ends with `.` or `?`.

    Run-on sentences are cut where a new clause with its own subject begins. Greetings, thanks,
    closings and fillers are left out. Contractions of the text stay.
    """
    found: list[str] = []
    for sentence in _stops(tidy(text)):
        clean = clean_sentence(sentence)
        if clean:
            found.extend(filter(None, map(clean_sentence, _clauses(clean))))
    typed = frozenset(form.casefold() for form in short_forms(with_apostrophes(text)))
    return [contract(sentence, only=typed) for sentence in found]


def clean_sentence(sentence: str) -> str:
    """Return a sentence without openings, fillers and unfinished ends; may be empty."""
    known = lexicon()
    text = sentence.strip()
    mark, ended = ("?" if text.endswith("?") else ""), text.endswith((".", "?", "!"))
    text = known.fillers.sub("", text)
    match = known.openings.match(text)
    text = text[match.end() :] if match else text
    if is_boilerplate(text):
        return ""
    text = _trim(text, known.dangling if not ended else _NEVER_LAST)
    if not text:
        return ""
    mark = "?" if mark or is_question(text) else "."
    return capitalize(text) + mark


def sentence_places(text: str) -> list[tuple[int, int]]:
    """Return `[start, end)` of each sentence of a clean text: with marks and capitals."""
    places, start = [], 0
    for match in _END.finditer(text):
        places.append((start, match.start()))
        start = match.end()
    return [(a, b) for a, b in (*places, (start, len(text))) if text[a:b].strip()]


def is_question(sentence: str) -> bool:
    """Return whether a sentence is a question, with or without a question mark."""
    return bool(_INVERTED.match(sentence))


def is_clause(sentence: str) -> bool:
    """Return whether a sentence holds a verb of the word list, or a word like one."""
    known = lexicon().verbs
    return any(w.lower() in known or _inflected(w.lower()) or "'" in w for w in words(sentence))


def is_complete(text: str) -> bool:
    """Return whether the beginning of a sentence has a main clause."""
    if not _SUBORDINATE_START.match(text.strip()):
        return is_clause(text)
    segments = re.split(r",\s*", text)[1:]
    return any(is_clause(part) and not _LEANING.match(part) for part in segments)


def capitalize(text: str) -> str:
    """Return the text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def uncapitalize(text: str) -> str:
    """Return the text with its first letter in lower case, unless its first word is a name."""
    first = text.split(" ", 1)[0]
    if first.rstrip(".").lower() in _TITLES:
        return text
    bare = first.strip(",.:'")
    if first[:1] == "[" or bare == "I" or bare.startswith("I'") or not bare[1:].islower():
        return text if len(bare) != 1 or bare == "I" else text[:1].lower() + text[1:]
    return text[:1].lower() + text[1:]


def _stops(text: str) -> list[str]:
    parts, start = [], 0
    for match in _STOP.finditer(text):
        before = text[start : match.start()]
        last = before.rsplit(" ", 1)[-1].lower().lstrip("(")
        if match.group().startswith(".") and (
            last in _ABBREVIATIONS or re.fullmatch(r"[a-z]", last)
        ):
            continue
        parts.append(text[start : match.end()])
        start = match.end()
    return [part for part in (*parts, text[start:]) if part.strip()]


def _clauses(sentence: str) -> list[str]:
    """Cut a long sentence where a new main clause begins."""
    mark = sentence[-1]
    clauses = [sentence.rstrip(".?")]
    if mark == "?" and not is_question(sentence):
        clauses = _cut(_ASIDE, clauses)
    if len(words(sentence)) >= LONG_SENTENCE:
        if not is_question(sentence):
            clauses = [part for c in clauses for part in _cut(_JOINT, [c])]
        clauses = [part for c in clauses for part in _cut(_LOOSE, [c], at_least=RUN_ON)]
    return [*(clause.rstrip(" ,") + "." for clause in clauses[:-1]), clauses[-1] + mark]


def _cut(joint: re.Pattern[str], clauses: list[str], at_least: int = 0) -> list[str]:
    parts = []
    for clause in clauses:
        start = 0
        if len(words(clause)) >= at_least:
            for match in joint.finditer(clause):
                left, right = clause[start : match.start()], clause[match.end() :]
                if _can_part(left, right, match.group()):
                    parts.append(left)
                    start = match.end()
        parts.append(clause[start:])
    return parts


def _can_part(left: str, right: str, joint: str) -> bool:
    if len(words(left)) < 4 or len(words(right)) < 3 or not is_clause(left) or _OPEN.search(left):
        return False
    bound = joint.strip(" ,:").lower()
    tail = left.rsplit(",", 1)[-1]
    relative = _RELATIVE.search(left)
    if not is_complete(left) or (relative and not is_clause(relative.group())):
        return False
    if is_question(right):
        return True
    if not bound:  # only a comma or nothing: the left part must not depend on the right one
        leans = [m.start() for m in _CONJUNCTION.finditer(tail)]
        return not _SUBORDINATE_START.match(tail.strip()) and (
            not leans or ("," not in joint and leans[-1] < len(tail) // 2)
        )
    return True


def _trim(text: str, ends: frozenset[str]) -> str:
    """Cut dangling words at the end of an unfinished sentence, and marks at both ends."""
    text = re.sub(r"\s+", " ", text).strip(" ,.!?;:-*'\"/")
    text = re.sub(r"(?<=[a-z)])\.\s*\d{1,2}$", "", text)
    while text:
        head, _, last = text.rpartition(" ")
        if last.lower().strip(",") not in ends or not head:
            break
        text = head.rstrip(" ,;:-")
    if text.count('"') % 2:
        text = text.replace('"', "")
    if text.count("(") != text.count(")"):
        text = text.replace("(", "").replace(")", "")
    return text


def _inflected(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed")
