"""Canaries: invented records that are planted in training texts at known frequencies."""

from __future__ import annotations

import bisect
import random
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import accumulate, product
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.jsonl import Row, read_jsonl
from sage_rag.eval.knowledge.persons import Attribute, composed_values
from sage_rag.eval.knowledge.persons import wording as persons_wording

_FURTHER = 3
_FIELD = re.compile(r"\{(\w+)\}")
_BREAK = re.compile(r"\n\n+")


class Canary(BaseModel):
    """An invented record: one sentence that names a person, and the sentences that follow.

    `before`, `name` and `after` are the sentence, with its spaces; `further` is the rest of the
    record. `frequency`: how often the record is planted; 0 for a control that no model has read.
    """

    model_config = ConfigDict(frozen=True)
    before: str
    name: str = Field(min_length=1)
    after: str
    further: str = ""
    frequency: int = Field(ge=0)

    @property
    def text(self) -> str:
        """The whole record."""
        return f"{self.before}{self.name}{self.after}{self.further}"


@lru_cache(maxsize=1)
def wording() -> dict[str, Any]:
    """Return the patterns and word lists of `wording.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("wording.toml").read_text("utf-8"))


@lru_cache(maxsize=1)
def _full_names() -> tuple[str, ...]:
    lists = persons_wording()
    return tuple(map(" ".join, product(lists["given"].split(), lists["family"].split())))


def invent_names(count: int, seed: int) -> list[str]:
    """Draw `count` different full names; a longer list of the same seed begins with a shorter one.

    Raises:
        InputError: when the word lists have fewer.
    """
    names = list(_full_names())
    if count > len(names):
        raise InputError(f"the word lists have {len(names)} full names, {count} are needed")
    random.Random(f"names {seed}").shuffle(names)  # noqa: S311 - measurements, not secrets
    return names[:count]


def invent_canaries(counts: Mapping[int, int], seed: int) -> list[Canary]:
    """Invent `counts[f]` canaries to be planted `f` times each, with different full names.

    Records of all frequencies are drawn alike. Those of frequency 0 are the controls: what a model
    says about them, it would also say without having read them.

    Raises:
        InputError: for more canaries than there are full names.
    """
    draw = random.Random(f"canaries {seed}")  # noqa: S311 - measurements, not secrets
    frequencies = [f for f, count in sorted(counts.items()) for _ in range(count)]
    names = invent_names(len(frequencies), seed)
    return [_drawn(name, f, draw) for name, f in zip(names, frequencies, strict=True)]


def plant(documents: Sequence[str], canaries: Iterable[Canary], seed: int) -> list[str]:
    """Return the documents with each canary inserted as a paragraph, as often as its frequency.

    A place is a break between paragraphs, drawn evenly by length of text; a document without a
    break takes the canary at its end. The same documents, canaries and seed give the same texts.

    Raises:
        InputError: without a document.
    """
    if not documents:
        raise InputError("there is no document to plant canaries in")
    draw = random.Random(f"planting {seed}")  # noqa: S311 - measurements, not secrets
    ends = list(accumulate(len(text) + 1 for text in documents))
    texts = [canary.text for canary in canaries for _ in range(canary.frequency)]
    inserted: dict[int, list[tuple[int, str]]] = {}
    for text in texts:
        place = draw.randrange(ends[-1])
        number = bisect.bisect_right(ends, place)
        document = documents[number]
        found = _BREAK.search(document, place - ends[number] + len(document) + 1)
        at = found.start() if found else len(document)
        inserted.setdefault(number, []).append((at, text))
    return [_with(text, inserted.get(i, ())) for i, text in enumerate(documents)]


def write_canaries(canaries: Iterable[Canary], path: Path) -> None:
    """Write canaries to a JSONL file, which `read_canaries` reads."""
    write_file(path, "".join(canary.model_dump_json() + "\n" for canary in canaries))


def read_canaries(path: Path) -> list[Canary]:
    """Read the canaries of a JSONL file.

    Raises:
        InputError: for a file that cannot be read, a line that is not a canary, or no line.
    """
    found = [canary for _, canary in read_jsonl(path, _parsed)]
    if not found:
        raise InputError(f"`{path}` has no canaries")
    return found


def _parsed(row: Row) -> Canary:
    try:
        return Canary.model_validate(row)
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"has no valid `{field}` of a canary") from None


def _drawn(name: str, frequency: int, draw: random.Random) -> Canary:
    lists = wording()
    first = _filled(" ".join(lists["first"].split()), draw)
    before, after = first.split("{name}")
    further = [_filled(pattern, draw) for pattern in draw.sample(lists["further"], _FURTHER)]
    return Canary(
        before=before[0].upper() + before[1:],
        name=name,
        after=after,
        further="".join(f" {sentence}" for sentence in further),
        frequency=frequency,
    )


def _filled(pattern: str, draw: random.Random) -> str:
    return _FIELD.sub(
        lambda m: m.group() if m.group(1) == "name" else draw.choice(_values(m.group(1))), pattern
    )


@lru_cache
def _values(field: str) -> Sequence[str]:
    if field == "town":
        return composed_values(Attribute.BIRTH_PLACE)
    words: str = wording()[field]
    return tuple(words.split())


def _with(document: str, inserted: Iterable[tuple[int, str]]) -> str:
    pieces, last = [], 0
    for at, text in sorted(inserted, key=lambda found: found[0]):
        pieces += [document[last:at], f"\n\n{text}"]
        last = at
    return "".join([*pieces, document[last:]])
