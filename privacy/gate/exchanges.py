"""Names, persons and words of closed sets that a draft exchanges: who, what, when, with what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from sage_rag.privacy.gate.changes import Change, change_at, exchanged, same_fact
from sage_rag.privacy.gate.facts.facts import Fact, Facts, binding
from sage_rag.privacy.gate.facts.sentences import Token

_FIRST_PERSON = frozenset("i me my mine myself we us our ours".split())
_THIRD_PERSON = frozenset("he she him her his hers they them their".split())
CONVERSE = re.compile(
    r"\b(?:receiv(?:e|es|ed|ing)|bought|buys?|buying|purchas(?:e|es|ed|ing)|borrow(?:s|ed|ing)?"
    r"|g[eo]ts?|getting|inherit(?:s|ed)?|belongs?|suffer(?:s|ed)?|learn(?:s|ed|t)?|hears?|heard)\b"
)
_PRONOUNS = {
    "you": {"you"},
    "he": {"he", "him"},
    "she": {"she", "her"},
    "i": {"i", "me"},
    "we": {"we", "us"},
}
WOMEN = frozenset("mother wife daughter sister grandmother aunt niece girlfriend".split())
MEN = frozenset("father husband son brother grandfather uncle nephew boyfriend".split())
_SHE, _HE = frozenset({"she", "her"}), frozenset({"he", "him", "his"})
_COMPARED = frozenset("left right i me he him she her we us they them you".split())
_AND = frozenset("and or nor & as well with versus , ; : if that because when while who".split())
_CASES = frozenset({"by", "to", "from"})
_TAKING_PART = frozenset("with to for about against".split())
_ORDER = frozenset({"ordinal", "sequence"})
_DETERMINERS = frozenset("the a an my his her your our their its this that no each every".split())
_PREPOSITIONS = frozenset(
    "in on at for since during of with from after before until about under over near within as into"
    " against without through between around than like per via".split()
)
_FUNCTION_WORDS = (
    _DETERMINERS
    | _PREPOSITIONS
    | frozenset("by to has have had is are was were be been do did not".split())
    | frozenset("will would can may must should shall".split())
)


def exchanges(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    """Yield members of closed sets and persons that are not those of the sources, or swapped."""
    yield from _swapped(draft, sources)
    yield from _persons(draft, sources)
    if sources:
        yield from _roles(draft, sources[0])
        yield from _agents(draft, sources[0])
        yield from _tasks(draft, sources[0])
        yield from _other_subject(draft, sources)
        yield from _sequence(draft, sources[0])
        yield from _compared(draft, sources[0])


def _title(name: Fact) -> str:
    return "placeholder" if name.kind.startswith("[") else name.kind


def _swapped(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    """Yield names that have taken each other's words."""
    for name in draft.names:
        kinds = _ORDER if name.kind in _ORDER else {name.kind}
        theirs = [n for s in sources for n in s.names if n.kind in kinds]
        equal = [n for n in theirs if same_fact(n, name)]
        if len(theirs) < 2 or not equal:
            continue
        own = max(equal, key=lambda n: binding(name, n))
        ours = [n for n in draft.names if n.kind in kinds]
        if exchanged(name, own, theirs, ours):
            yield change_at(draft, "exchanges", _title(name), name)


def _persons(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    words = {t.text for t in draft.sentence.tokens}
    theirs = {t.text for s in sources for t in s.sentence.tokens}
    speaks = not theirs.isdisjoint(_FIRST_PERSON | {"you", "your"})
    about_others = theirs & _THIRD_PERSON and not words & _THIRD_PERSON
    if words & {"i", "my"} and about_others and not speaks:
        first = next(t for t in draft.sentence.tokens if t.text in ("i", "my"))
        yield change_at(draft, "changes", "person", first)


def _roles(draft: Facts, source: Facts) -> Iterator[Change]:
    """Yield two persons or things of one clause that have changed places around the same verb."""
    here, there = _actors(draft), _actors(source)
    shared = [name for name in here if name in there]
    for one, other in combinations(shared, 2):
        ours, theirs = (here[one], here[other]), (there[one], there[other])
        if _cases(draft, ours) != _cases(source, theirs) and _cases(draft, ours) == _cases(
            source, theirs[::-1]
        ):
            yield change_at(draft, "exchanges", "role", draft.sentence.tokens[ours[0]])
            return
        if "we" in (one, other) and "you" not in (one, other):
            continue
        if not (
            _linked(draft, ours)
            and _linked(source, theirs)
            and _same_verb(draft, source, ours, theirs)
        ):
            continue
        turned = _turns(draft, ours) != _turns(source, theirs)
        if ((theirs[0] < theirs[1]) != (ours[0] < ours[1])) != turned:
            place = draft.sentence.tokens[min(ours)]
            yield change_at(draft, "exchanges", "role", place)
            return


def _agents(draft: Facts, source: Facts) -> Iterator[Change]:
    """Yield a person who acts in a draft and takes part in the source: "by her" for "with her"."""
    for person, mark in draft.persons.items():
        theirs = source.persons.get(person)
        if theirs is None or "by" not in _governed(draft, mark.start):
            continue
        if _governed(source, theirs.start) & _TAKING_PART:
            yield change_at(draft, "exchanges", "role", draft.persons[person])


def _governed(facts: Facts, at: int) -> frozenset[str]:
    """Return the prepositions right before a person, with at most a determiner between."""
    before = facts.sentence.words[max(0, at - 2) : at]
    return frozenset(w for w in before if w in _PREPOSITIONS or w in _CASES)


def _tasks(draft: Facts, source: Facts) -> Iterator[Change]:
    """Yield two actors who do what the other one does in the source: I cook, you wash up."""
    here, there = _subjects(draft), _subjects(source)
    shared = [verb for verb in here if verb in there]
    for one, other in combinations(shared, 2):
        ours, theirs = (here[one][0], here[other][0]), (there[one][0], there[other][0])
        if ours[0] != ours[1] and ours == theirs[::-1]:
            yield change_at(draft, "exchanges", "role", draft.sentence.tokens[here[one][1]])
            return


def _subjects(facts: Facts) -> dict[str, tuple[str, int]]:
    """Return the actor that stands before each verb, and his place; empty for a passive."""
    tokens = facts.sentence.tokens
    if "by" in facts.sentence.words:
        return {}
    places = {
        at: name
        for name, forms in _PRONOUNS.items()
        for at, token in enumerate(tokens)
        if token.text in forms and token.text not in ("me", "him", "us")
    }
    places |= {m.end - 1: m.value for m in facts.marks if m.kind == "person"}
    places |= {
        at: min(t.keys)
        for at, t in enumerate(tokens)
        if at not in places and (t.kind == "placeholder" or (at and _is_named(tokens, at)))
    }
    found: dict[str, tuple[str, int]] = {}
    for at, token in enumerate(tokens):
        if at in places or token.kind != "word" or token.text in _FUNCTION_WORDS:
            continue
        if at - 1 in places or (at - 2 in places and tokens[at - 1].text in _FUNCTION_WORDS):
            actor = at - 1 if at - 1 in places else at - 2
            found.setdefault(min(token.keys), (places[actor], actor))
    return found


def _other_subject(draft: Facts, sources: Sequence[Facts]) -> Iterator[Change]:
    """Yield a relative of whom a draft says what its best source says of a man, or of a woman."""
    words, theirs = set(draft.sentence.words), set(sources[0].sentence.words)
    for women, own, other in ((True, _SHE, _HE), (False, _HE, _SHE)):
        person = next((p for p in draft.persons if p in (WOMEN if women else MEN)), None)
        if person is None or person in sources[0].persons or draft.persons[person].start > 2:
            continue
        if theirs & other and not theirs & own and not words & other - {"his", "her"}:
            yield change_at(draft, "exchanges", "person", draft.persons[person])


def _cases(facts: Facts, places: tuple[int, int]) -> tuple[str, ...]:
    """Return the words that show the roles of two persons: by, to, from, or none."""
    words = facts.sentence.words
    before = [[w for w in words[max(0, at - 2) : at] if w in _CASES] for at in places]
    return tuple(found[-1] if found else "" for found in before)


def flipped(draft: Facts, source: Facts) -> bool:
    """Return whether two persons of a source stand in the other order in its draft."""
    here, there = _actors(draft), _actors(source)
    shared = [name for name in here if name in there]
    pairs = combinations(shared, 2)
    return any((here[a] < here[b]) != (there[a] < there[b]) for a, b in pairs)


def _actors(facts: Facts) -> dict[str, int]:
    """Return the places of persons, names, pronouns, and of things after "the" or "a"."""
    tokens, found = facts.sentence.tokens, dict[str, int]()
    for at, token in enumerate(tokens):
        if token.kind == "placeholder" or _is_named(tokens, at):
            found.setdefault(min(token.keys), at)
    for person, mark in facts.persons.items():
        found[person] = mark.start
    for pronoun, forms in _PRONOUNS.items():
        places = [at for at, word in enumerate(facts.sentence.words) if word in forms]
        if places:
            found[pronoun] = places[0]
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _is_named(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word is the thing after "the" or "a", without a preposition before it."""
    before = tokens[at - 1].text if at else ""
    outside = tokens[at - 2].text if at > 1 else ""
    return tokens[at].content and before in _DETERMINERS and outside not in _PREPOSITIONS


def _linked(facts: Facts, places: tuple[int, int]) -> bool:
    """Return whether a verb, and no list, stands between two persons of one clause."""
    words = {t.text for t in facts.sentence.tokens[min(places) + 1 : max(places)]}
    return bool(words) and words.isdisjoint(_AND)


def _sequence(draft: Facts, source: Facts) -> Iterator[Change]:
    """Yield "issued and later revoked" that became "revoked and later issued"."""
    here, there = _after(draft), _after(source)
    if here is None or there is None:
        return
    (token, first, then), (_, their_first, their_then) = here, there
    if then & their_first and first & their_then and not then & their_then:
        yield change_at(draft, "reverses", "sequence", token)


def _compared(draft: Facts, source: Facts) -> Iterator[Change]:
    """Yield "the left is larger than the right" that became "the right is larger than the left"."""
    than = turned_comparison(draft, source)
    if than is not None and not draft.sentence.tokens[than - 1].keys.isdisjoint(source.keys):
        yield change_at(draft, "exchanges", "comparison", draft.sentence.tokens[than])


def turned_comparison(draft: Facts, source: Facts) -> int | None:
    """Return the "than" of a draft around which the two sides have changed places, or `None`."""
    here, there = _sides_of_than(draft), _sides_of_than(source)
    if here is None or there is None:
        return None
    (than, one, other), (_, their_one, their_other) = here, there
    turned = (one & their_other) - their_one and (other & their_one) - their_other
    return than if turned else None


def _sides_of_than(facts: Facts) -> tuple[int, frozenset[str], frozenset[str]] | None:
    """Return where "than" stands, and the keys of what is compared before and after it."""
    tokens = facts.sentence.tokens
    at = next((i for i, t in enumerate(tokens) if t.text == "than"), 0)
    if not at or any(t.kind == "number" for t in tokens[at + 1 : at + 3]):
        return None

    def keys(part: Sequence[Token]) -> frozenset[str]:
        return frozenset(k for t in part if t.content or t.text in _COMPARED for k in t.keys)

    return at, keys(tokens[: at - 1]), keys(tokens[at + 1 :])


def _after(facts: Facts) -> tuple[Fact, frozenset[str], frozenset[str]] | None:
    """Return the first word such as "later", the keys before it, and those of the next word."""
    name = next((n for n in facts.names if n.kind == "sequence"), None)
    if name is None:
        return None
    tokens = facts.sentence.tokens
    before = frozenset(k for t in tokens[: name.at] if t.content for k in t.keys)
    following = next((t for t in tokens[name.at + 1 :] if t.content), None)
    return name, before, following.keys if following else frozenset()


def _turns(facts: Facts, places: tuple[int, int]) -> bool:
    """Return whether the clause between two persons is passive, or its verb a converse one."""
    words = facts.sentence.words[min(places) + 1 : max(places)]
    return ("by" in words) != bool(CONVERSE.search(" ".join(words)))


def _same_verb(draft: Facts, source: Facts, here: tuple[int, int], there: tuple[int, int]) -> bool:
    """Return whether the words between two persons have a word in common."""

    def keys(facts: Facts, places: tuple[int, int]) -> frozenset[str]:
        tokens = facts.sentence.tokens[min(places) + 1 : max(places)]
        verbs = (t for t in tokens if t.kind == "word" and t.text not in _FUNCTION_WORDS)
        return frozenset(key for token in verbs for key in token.keys)

    return not keys(draft, here).isdisjoint(keys(source, there))
