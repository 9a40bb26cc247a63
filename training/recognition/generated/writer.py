"""Write a record from templates: text, spans and `unsure` ranges."""

from __future__ import annotations

import re
from collections.abc import Callable

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.training.recognition.generated import slots
from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.persons import InventedPerson, person
from sage_rag.training.recognition.generated.templates import Alternatives, Slot, Template

_ARTICLE = re.compile(r"(?:^|[\s(\"])[Aa] $")
_VOWEL = re.compile(r"[aeioAEIO]|[uU](?!n[ai]|[sktv][aei]|r[uo])|8|1[18](?!\d)")


class Writer:
    """Builds one record. A numbered value or person stays the same within the record.

    `unsure`: ranges that may be private or not.
    """

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self.text = ""
        self.spans: list[Span] = []
        self.unsure: list[tuple[int, int]] = []
        self._people: dict[int, InventedPerson] = {}
        self._values: dict[tuple[str, int], str] = {}
        self._last: InventedPerson | None = None

    def literal(self, text: str) -> None:
        """Append text without a value."""
        self.text += text

    def fill(self, template: Template) -> None:
        """Append a template with values in its slots.

        Raises: KeyError for an undefined slot.
        """
        for part in template:
            if isinstance(part, str):
                self.literal(part)
            elif isinstance(part, Alternatives):
                self.fill(self._draw.pick(part.options))
            else:
                self._slot(part)

    def forget(self) -> None:
        """Forget people and values, because the record continues with another subject."""
        self._people.clear()
        self._values.clear()
        self._last = None

    def _slot(self, slot: Slot) -> None:
        name = slot.name
        if name in slots.TITLED:
            title, mention = slots.TITLED[name]
            who = self._person(slot.reference)
            self._append(title(self._draw, who), None, slot)
            self.literal(" ")
            self._append(
                self._kept(slot, lambda: mention(self._draw, who)), EntityType.PERSON, slot
            )
        elif name in slots.MENTIONS:
            mention = slots.MENTIONS[name]
            who = self._person(slot.reference)
            self._append(
                self._kept(slot, lambda: mention(self._draw, who)), EntityType.PERSON, slot
            )
        elif name in slots.ABOUT:
            about = self._about(slot.reference)
            self._append(slots.ABOUT[name](self._draw, about), None, slot)
        elif name in slots.OPEN:
            start = len(self.text)
            self._append(slots.OPEN[name](self._draw), None, slot)
            self.unsure.append((start, len(self.text)))
        else:
            kind, value = slots.VALUES[name]
            self._append(self._kept(slot, lambda: value(self._draw)), kind, slot)

    def _append(self, value: str, entity_type: EntityType | None, slot: Slot) -> None:
        if value.startswith("the "):
            # The article is outside the span and occurs once.
            value = value[4:]
            if not self.text.lower().endswith("the "):
                self.text += "The " if slot.capital else "THE " if slot.upper else "the "
        if slot.upper:
            value = value.upper()
        elif slot.capital:
            value = value[:1].upper() + value[1:]
        if _ARTICLE.search(self.text[-3:]) and _VOWEL.match(value):
            self.text = f"{self.text[:-1]}n "
        start = len(self.text)
        self.text += value
        if entity_type is None:
            return
        if slot.name == "last" and self._follows_a_name(start):
            start = self.spans.pop().start
        self.spans.append(Span(start, len(self.text), entity_type))

    def _follows_a_name(self, start: int) -> bool:
        """Return whether a name and a space precede `start`: both parts are one name."""
        if not self.spans or self.spans[-1].entity_type is not EntityType.PERSON:
            return False
        return self.text[self.spans[-1].end : start] == " "

    def _kept(self, slot: Slot, value: Callable[[], str]) -> str:
        """Return the record's earlier value of this numbered slot, or a new value."""
        if not slot.reference:
            return value()
        return self._values.setdefault((slot.name, slot.reference), value())

    def _person(self, reference: int) -> InventedPerson:
        """Return the numbered person, or a new one."""
        if reference and reference in self._people:
            who = self._people[reference]
        else:
            who = person(self._draw)
            if reference:
                self._people[reference] = who
        self._last = who
        return who

    def _about(self, reference: int) -> InventedPerson:
        """Return the numbered person, or the person mentioned last, if there is one."""
        if reference or self._last is None:
            return self._person(reference)
        return self._last
