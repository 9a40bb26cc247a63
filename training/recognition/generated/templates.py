"""Parse templates into literals, slots and alternatives; `templates/README.md` has the syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TOKEN = re.compile(r"\\[nt{}\[\]|#]|\{[A-Za-z_]+(?::\d)?\}|[\[\]|]|[^\\{}\[\]|]+")


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value. Equal `reference` numbers share a value; 0 shares with none."""

    name: str
    reference: int
    upper: bool
    capital: bool


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Options of which one is written."""

    options: tuple[Template, ...]


Template = tuple[str | Slot | Alternatives, ...]


def parse(line: str) -> Template:
    """Parse one template.

    Raises: ValueError for an unbalanced bracket or brace, or an unknown escape.
    """
    tokens = _TOKEN.findall(line)
    if "".join(tokens) != line:
        raise ValueError(f"an unexpected brace or backslash in the template {line!r}")
    template, rest = _sequence(tokens, 0, inside=False)
    if rest != len(tokens):
        raise ValueError(f"an unbalanced bracket in the template {line!r}")
    return template


def slots(template: Template) -> list[Slot]:
    """Return all slots in order, also those in alternatives."""
    found: list[Slot] = []
    for part in template:
        if isinstance(part, Slot):
            found.append(part)
        elif isinstance(part, Alternatives):
            found += [slot for option in part.options for slot in slots(option)]
    return found


@cache
def register(name: str) -> tuple[Template, ...]:
    """Return the templates of one register, in the order of its file."""
    folder = files("sage_rag.training.recognition.generated").joinpath("templates")
    lines = folder.joinpath(f"{name}.txt").read_text("utf-8").splitlines()
    return tuple(parse(line) for line in lines if line.strip() and not line.startswith("# "))


def _sequence(tokens: list[str], at: int, *, inside: bool) -> tuple[Template, int]:
    parts: list[str | Slot | Alternatives] = []
    while at < len(tokens):
        piece = tokens[at]
        if piece == "]" or (piece == "|" and inside):
            break
        if piece == "[":
            choice, at = _choice(tokens, at + 1)
            parts.append(choice)
            continue
        parts.append(_slot(piece) if piece.startswith("{") else _literal(piece))
        at += 1
    return tuple(parts), at


def _choice(tokens: list[str], at: int) -> tuple[Alternatives, int]:
    options: list[Template] = []
    while True:
        option, at = _sequence(tokens, at, inside=True)
        options.append(option)
        if at == len(tokens):
            raise ValueError("a choice that does not end")
        at += 1
        if tokens[at - 1] == "]":
            return Alternatives(tuple(options)), at


def _literal(piece: str) -> str:
    if piece.startswith("\\"):
        return {"n": "\n", "t": "\t"}.get(piece[1], piece[1])
    return piece


def _slot(piece: str) -> Slot:
    name, _, reference = piece[1:-1].partition(":")
    upper = name.isupper()
    return Slot(name.lower(), int(reference or 0), upper, name[0].isupper() and not upper)
