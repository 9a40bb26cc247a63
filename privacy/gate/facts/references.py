"""Words of a sentence that refer to another sentence: one definition for the gate and the rules.

English. A pronoun after a noun of its own sentence refers to that, or may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_rag.privacy.gate.facts.sentences import Token, begins_instruction

THING, GROUP, PLACE, PERSON = "thing", "group", "place", "person"
_THINGS = frozenset("it its they them their both".split())
_GROUPS = frozenset("they them their both".split())
_POINTERS = frozenset("this these those such".split())
_PERSONS = frozenset("he she him his her hers".split())
_DETERMINERS = frozenset(
    "the a an my your our his her its their no each every any some all two three".split()
)
_JOINTS = frozenset("if when while because since although unless until and but or , ; :".split())
_PREPOSITIONS = frozenset(
    "in at to into on from of for during after before until till since by with about within over"
    " under inside near".split()
)
_VERBS = frozenset(
    "is are was were be been am has have had do does did can could will would may might must should"
    " shall not".split()
)
_NOW = frozenset(
    "morning afternoon evening night week month year time times spring summer autumn winter"
    " weekend letter message mail form kind sort type who with of to".split()
)
"""`This week` and `this letter` are those of the writer; `those who` are named after it."""
_SUPPOSING = frozenset("that if whether to when like as".split())
_BEFORE_THEN = frozenset("and but , now back every".split())
_TIMES = frozenset("if when whenever after once before first until while as because".split())
"""`Then` after one of these refers to its own sentence."""
_TURNS = frozenset("then otherwise instead therefore hence thus consequently afterwards".split())
_CONSEQUENCES = frozenset("therefore thus hence consequently".split())
_REASONS = _TIMES | frozenset("and so , ; : - that which who".split())
"""`Thus` after one of these follows from its own sentence: `he was ill, and thus stayed`."""


def references(tokens: Sequence[Token], *, asking: bool = False) -> dict[str, int]:
    """Return the first word that refers to another sentence, by what it stands for, and its place.

    `PERSON`: he or she. `GROUP`: they. `PLACE`: there. `THING`: everything else, a whole statement
    included. `asking`: a question is about the whole record, unless it is `Is that normal?`.
    """
    found: dict[str, int] = {}
    if asking and not {t.text for t in tokens[1:2]} & {"that", "those"}:
        return found
    for at, kind in _references(tokens):
        found.setdefault(kind, at)
    return found


def _references(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    words = [token.text for token in tokens]
    named = placed = False
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        before = words[at - 1] if at else ""
        if word in _PERSONS:
            yield at, PERSON
        elif word in _THINGS:
            if (
                not named
                and not (word == "both" and after not in _VERBS)
                and not _is_empty(words, at)
            ):
                yield at, GROUP if word in _GROUPS else THING
        elif word in _POINTERS or (word == "that" and (not at or before in _PREPOSITIONS)):
            if (word == "that" or after not in _NOW) and not (word == "such" and after == "as"):
                alone = not tokens[min(at + 1, len(tokens) - 1)].content
                if not (named and alone) and not _is_repeated(tokens, at + 1):
                    yield at, THING
        elif word == "there":
            if not placed and after not in _VERBS:
                yield at, PLACE
        elif word in _TURNS:
            later = before not in _BEFORE_THEN and _TIMES.isdisjoint(words[:at])
            follows = word in _CONSEQUENCES and _REASONS.isdisjoint(words[:at])
            if not at or before in _PREPOSITIONS or (word == "then" and later) or follows:
                yield at, THING
        if _names(tokens, at):
            named = True
            placed |= before in _PREPOSITIONS or (at > 1 and words[at - 2] in _PREPOSITIONS)


def _names(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word names a thing: after an article, or at the beginning of a clause."""
    token, before = tokens[at], tokens[at - 1].text if at else ","
    if token.kind == "placeholder" or before in _DETERMINERS:
        return token.content
    if (before in _PREPOSITIONS and before != "to") or tokens[at - 1].kind == "number":
        return token.content  # "to cause" is a verb
    adverb = token.text.endswith("ly") or begins_instruction([token.text])
    return before in _JOINTS and token.content and not adverb


def _is_empty(words: Sequence[str], at: int) -> bool:
    """Return whether `it` stands for nothing: `it is important to`, `it takes a week`."""
    if words[at] != "it":
        return False
    following = words[at + 1 : at + 6]
    return not _SUPPOSING.isdisjoint(following[1:])


def _is_repeated(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word, or its synonym, stands before in its sentence."""
    if at >= len(tokens):
        return False
    return any(not t.keys.isdisjoint(tokens[at].keys) for t in tokens[: at - 1])


def names_something(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence names a thing that another sentence can refer to."""
    return any(_names(tokens, at) for at in range(len(tokens)))
