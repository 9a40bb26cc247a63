"""Link the mentions of people in one document: "Ms Keller", "Maria", "Maria Keller".

Two clusters for one person make a text harder to understand; one cluster for two people is worse,
since both get the same surrogate. So a mention joins a fuller one only where exactly one person of
the document matches. The rules, in order:

1. A mention is parsed into titles, name parts (words or initials) and a suffix such as "Jr". Case,
   accents, possessive endings, degrees and "Keller, Maria" for "Maria Keller" are ignored;
   a particle belongs to the part after it ("van der Berg"); a hyphenated part is one part.
2. Mentions with equal results are one person.
3. From the fullest to the shortest, a mention joins the one person whose name it can shorten:
   - a single word: first or last part of the name; after "Mr" or "Dr", the last part only;
   - several parts: first and last part match, those between are left out or abbreviated;
   - a part matches its initial ("M. Keller", "Maria K."), and initials alone ("M.K.") with
     the initials of the name, two at least; a short form of `NICKNAMES` counts as its long form.
4. It stays separate where two people match, where title, suffix or gender contradict, and where
   another mention of the same fullness matches the same person and contradicts it ("Mr Smith" and
   "Mrs Smith" next to "Kim Smith").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sage_rag.privacy.people.names import (
    NICKNAMES,
    Gender,
    Name,
    abbreviates,
    is_initial,
    parse_name,
)

GenderOf = Callable[[str], Gender | None]
"""Returns the gender of a given name, `None` where it is unclear."""


@dataclass(frozen=True, slots=True)
class LinkedPerson:
    """One person of a document. `repr` hides the name.

    `name`: the fullest mention as written, without title. `mentions`: indices in the given
    sequence, ascending.
    """

    name: str = field(repr=False)
    mentions: tuple[int, ...]


def link_mentions(mentions: Sequence[str], gender_of: GenderOf | None = None) -> list[int]:
    """Return for each mention the number of its person, by first appearance.

    Pass mentions with the title before them: it distinguishes couples. `gender_of` distinguishes
    "Mrs Smith" from "John Smith" where no title does.

    Guarantees: the links do not depend on the order of the mentions or on repetitions.
    Does not guarantee: that two people of the same name are distinguished, or that all mentions of
    a person are linked.
    """
    numbers = [0] * len(mentions)
    for number, person in enumerate(linked_people(mentions, gender_of)):
        for place in person.mentions:
            numbers[place] = number
    return numbers


def linked_people(mentions: Sequence[str], gender_of: GenderOf | None = None) -> list[LinkedPerson]:
    """Return the people that the mentions name, by first appearance; see `link_mentions`."""
    places: dict[_Form, list[int]] = defaultdict(list)
    for place, mention in enumerate(mentions):
        places[_Form.of(parse_name(mention))].append(place)
    found = [_person(group, places, mentions) for group in _groups(places, gender_of)]
    return sorted(found, key=lambda person: person.mentions[0])


@dataclass(frozen=True, slots=True)
class _Form:
    """The parts of a mention that decide about links; mentions of one form are one person."""

    parts: tuple[str, ...]
    gender: Gender | None
    suffix: str
    title: str

    @classmethod
    def of(cls, name: Name) -> _Form:
        # With a full name, a profession distinguishes no one: only some mentions have it.
        title = name.title if len(name.parts) == 1 else ""
        return cls(name.parts, name.gender, name.suffix, title)

    @property
    def rank(self) -> tuple[int, int, bool, bool]:
        words = sum(not is_initial(part) for part in self.parts)
        has_title = self.gender is not None or self.title != ""
        return words, len(self.parts) - words, self.suffix != "", has_title


class _Group:
    """The forms of one person so far."""

    def __init__(self, form: _Form, gender_of: GenderOf | None) -> None:
        self.forms = [form]
        given = form.parts[0] if len(form.parts) > 1 and not is_initial(form.parts[0]) else ""
        self._likely = gender_of(given) if gender_of and given else None

    def contradicts(self, form: _Form) -> bool:
        """Return whether title, gender or suffix exclude a form."""
        if any(_contradict(own, form) for own in self.forms):
            return True
        if any(own.gender for own in self.forms):
            return False
        return None not in (self._likely, form.gender) and self._likely != form.gender

    def matches(self, form: _Form) -> bool:
        """Return whether a form can shorten the name of this person."""
        return any(_shortens(form, fuller) for fuller in self.forms if fuller.rank > form.rank)


def _groups(forms: Iterable[_Form], gender_of: GenderOf | None) -> list[_Group]:
    levels: dict[tuple[int, int, bool, bool], list[_Form]] = defaultdict(list)
    for form in forms:
        levels[form.rank].append(form)
    groups: list[_Group] = []
    index: dict[str, list[_Group]] = defaultdict(list)
    for rank in sorted(levels, reverse=True):
        proposals = [(form, _only_candidate(form, index)) for form in levels[rank]]
        rivals: dict[int, list[_Form]] = defaultdict(list)
        for form, group in proposals:
            rivals[id(group)].append(form)
        for form, group in proposals:
            # A form does not contradict itself, so it may be in the list of its rivals.
            if group is None or any(_contradict(form, rival) for rival in rivals[id(group)]):
                group = _Group(form, gender_of)
                groups.append(group)
            else:
                group.forms.append(form)
            for key in {form.parts[0], form.parts[-1], _initials(form)}:
                index[key].append(group)
    return groups


def _only_candidate(form: _Form, index: dict[str, list[_Group]]) -> _Group | None:
    """Return the only person that a form can name, `None` for none or several."""
    keys = {NICKNAMES.get(form.parts[0], form.parts[0]), form.parts[-1]}
    if any(map(is_initial, form.parts)):
        keys.add(_initials(form))
    near = {id(group): group for key in keys for group in index.get(key, ())}
    found = [g for g in near.values() if g.matches(form) and not g.contradicts(form)]
    return found[0] if len(found) == 1 else None


def _initials(form: _Form) -> str:
    """Return the first and last initial, which a name shares with its abbreviations."""
    return f"{form.parts[0][0]}.{form.parts[-1][0]}." if len(form.parts) > 1 else ""


def _contradict(one: _Form, other: _Form) -> bool:
    """Return whether gender, suffix or title before a family name differ."""
    pairs = (one.gender, other.gender), (one.suffix, other.suffix), (one.title, other.title)
    return any(a and b and a != b for a, b in pairs)


def _shortens(short: _Form, full: _Form) -> bool:
    """Return whether `short` can be a short form of `full`."""
    parts, whole = short.parts, full.parts
    if len(parts) == 1:
        if is_initial(parts[0]):
            return False
        is_given = not short.title and NICKNAMES.get(parts[0], parts[0]) == whole[0]
        return parts[0] == whole[-1] or is_given
    ends_match = abbreviates(parts[0], whole[0]) and abbreviates(parts[-1], whole[-1])
    return len(whole) > 1 and ends_match and _is_shortened(parts[1:-1], whole[1:-1])


def _is_shortened(parts: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether leaving out and abbreviating parts of `whole` gives `parts`."""
    rest = iter(whole)
    return all(any(abbreviates(part, full) for full in rest) for part in parts)


def _person(group: _Group, places: dict[_Form, list[int]], mentions: Sequence[str]) -> LinkedPerson:
    own = sorted(place for form in group.forms for place in places[form])
    fullest = max((parse_name(mentions[place]) for place in own), key=_fullness)
    return LinkedPerson(fullest.plain, tuple(own))


def _fullness(name: Name) -> tuple[int, int, bool, bool, int, str]:
    """Return a sort key: the fullest name has the highest; of equal ones, the plainest spelling."""
    words = sum(not is_initial(part) for part in name.parts)
    plain = name.plain
    return (
        words,
        len(name.parts),
        "," not in plain,
        not (plain.isupper() or plain.islower()),
        len(plain),
        plain,
    )
