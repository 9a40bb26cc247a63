"""Check on whole data sets that what protects a text can be taken back to the letter.

    python -m sage_rag.eval.studies.roundtrip --data ../shared/data --out docs/results/roundtrip.md

Every string of every record of every jsonl file (also gzipped) below the folder is a text, ids
aside. Five ways, each exact when the restored text equals the text, byte for byte:

- whole: tokens by the default recognizer under policy `soe-all`, restored at once;
- stream: the same tokens, arriving in pieces cut at random places;
- gold, gold stream: the same with the spans that people marked, where there are any; their types
  go round all types, since a round trip must not depend on the type;
- placeholders: what agents read, sealed and restored.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.environment import Environment, environment
from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector, seal
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.spans import Span

WAYS = ("whole", "stream", "gold", "gold stream", "placeholders")
_SEED = 0
_LONGEST_PIECE = 40
"""Longest piece of a stream in code points; model servers send a few characters at a time."""
_TYPES = [t for t in EntityType if identifiability(t) is not Identifiability.TECHNICAL]

_NOTE = """\
Texts that come back to the letter, of all texts, with the exact 95 % bound (Clopper-Pearson).
Policy `soe-all`; whole, in a stream cut at random places, with the spans that people marked, and
by way of placeholders. A set without marked spans has no figure for them."""

Text = tuple[str, tuple[tuple[int, int], ...]]
"""A text and the ranges that people marked in it."""


class SetResult(BaseModel):
    """One file. `ways` holds those that applied; `failures` names records by line, never text."""

    model_config = ConfigDict(frozen=True)
    name: str
    texts: int
    characters: int
    ways: dict[str, Proportion]
    failures: tuple[tuple[int, str], ...]


class RoundTrips(BaseModel):
    """The whole study."""

    model_config = ConfigDict(frozen=True)
    command: str
    environment: Environment
    sets: tuple[SetResult, ...]


class RoundTrip:
    """Take texts there and back with one keyset."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._cipher = default_cipher(Keyset.generate(), "round-trip")
        self._recognizer = _Remembering(recognizer)
        self._restorer = Restorer(self._cipher)
        self._random = random.Random(_SEED)  # noqa: S311 - places to cut at, no secret

    def exact(self, text: str, marked: Iterable[tuple[int, int]] = ()) -> dict[str, bool]:
        """Return for each way that applies whether it gave the text back."""
        protector = self._protector(self._recognizer)
        found = dict(zip(WAYS, self._both(protector, text), strict=False))
        if ranges := list(marked):
            gold = self._protector(_Marked(ranges))
            found |= dict(zip(WAYS[2:], self._both(gold, text), strict=False))
        return found | {"placeholders": self._sealed(protector, text)}

    def _protector(self, recognizer: Recognizer) -> Protector:
        return Protector(recognizer, preset("soe-all"), self._cipher)

    def _both(self, protector: Protector, text: str) -> tuple[bool, bool]:
        try:
            tokens = protector.pseudonymize(text)
        except SageRagError:
            return False, False
        stream = self._restorer.stream()
        pieces = [stream.feed(piece) for piece in self._cut(tokens)]
        streamed = "".join([*pieces, stream.flush()])
        return self._restorer.restore(tokens) == text, streamed == text

    def _sealed(self, protector: Protector, text: str) -> bool:
        try:
            protection = protector.protect({"text": text})
            tokens = seal(protection.protected.text, protection.tokens)
        except SageRagError:
            return False
        return self._restorer.restore(tokens) == text

    def _cut(self, text: str) -> Iterator[str]:
        start = 0
        while start < len(text):
            end = start + self._random.randint(1, _LONGEST_PIECE)
            yield text[start:end]
            start = end


class _Remembering:
    """Recognise a text once for the several ways that it goes."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self._last: tuple[str, Sequence[Span]] = ("", ())

    @property
    def fingerprint(self) -> str:
        return self._recognizer.fingerprint

    def recognize(self, text: str) -> Sequence[Span]:
        if self._last[0] != text:
            self._last = (text, self._recognizer.recognize(text))
        return self._last[1]


class _Marked:
    """Recognise the ranges that people marked in one text."""

    fingerprint = "marked"

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        types = cycle(_TYPES)
        self._spans = [Span(start, end, next(types)) for start, end in ranges]

    def recognize(self, text: str) -> Sequence[Span]:
        return self._spans


def measure(name: str, records: Iterable[Any], trip: RoundTrip) -> SetResult:
    """Take every text of a set there and back."""
    texts = characters = 0
    exact: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    failures: list[tuple[int, str]] = []
    for line, record in enumerate(records, start=1):
        for text, marked in texts_of(record):
            texts, characters = texts + 1, characters + len(text)
            for way, good in trip.exact(text, marked).items():
                tried[way] += 1
                exact[way] += good
                if not good:
                    failures.append((line, way))
    ways = {way: Proportion.of(exact[way], tried[way]) for way in WAYS if tried[way]}
    return SetResult(
        name=name, texts=texts, characters=characters, ways=ways, failures=tuple(failures)
    )


def texts_of(record: Any) -> Iterator[Text]:
    """Yield the strings of a record, ids aside; `text` with the ranges in `spans` beside it."""
    if isinstance(record, str):
        if record:
            yield record, ()
    elif isinstance(record, list):
        for part in record:
            yield from texts_of(part)
    elif isinstance(record, Mapping):
        marked = tuple((s["start"], s["end"]) for s in record.get("spans") or ())
        for name, part in record.items():
            if name == "text" and isinstance(part, str) and part:
                yield part, marked
            elif name not in ("spans", "id") and not name.endswith("_id"):
                yield from texts_of(part)


def read_sets(folder: Path) -> Iterator[tuple[str, Iterator[Any]]]:
    """Yield name and records of every jsonl file below a folder, by name.

    Raises:
        InputError: when there is none, or a line is no JSON.
    """
    files = sorted(p for p in folder.rglob("*") if p.name.endswith((".jsonl", ".jsonl.gz")))
    if not files:
        raise InputError(f"no jsonl file below `{folder.name}`")
    for file in files:
        yield file.relative_to(folder).as_posix(), _records(file)


def _records(path: Path) -> Iterator[Any]:
    opener = gzip.open if path.suffix == ".gz" else Path.open
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield json.loads(line)
            except ValueError:
                raise InputError(f"`{path.name}` line {number} is no JSON") from None


def markdown(study: RoundTrips) -> str:
    """Return the study as a document."""
    here = study.environment
    total = _total(study.sets)
    rows = [_row(one) for one in (*study.sets, total)]
    head = ["set", "texts", "characters", *WAYS]
    table = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|", *rows]
    failed = [f"- {s.name}: {len(s.failures)} failures" for s in study.sets if s.failures]
    parts = [
        "# Round trips",
        _NOTE,
        f"```\n{study.command}\n```",
        f"Commit {here.commit}, {here.date}, {here.hardware}.",
        "\n".join(table),
        *(["\n".join(failed)] if failed else []),
    ]
    return "\n\n".join(parts) + "\n"


def _total(sets: Sequence[SetResult]) -> SetResult:
    ways = {}
    for way in WAYS:
        found = [s.ways[way] for s in sets if way in s.ways]
        if found:
            ways[way] = Proportion.of(sum(p.successes for p in found), sum(p.trials for p in found))
    texts, characters = sum(s.texts for s in sets), sum(s.characters for s in sets)
    return SetResult(name="all", texts=texts, characters=characters, ways=ways, failures=())


def _row(one: SetResult) -> str:
    shares = [str(one.ways[way]) if way in one.ways else "" for way in WAYS]
    return f"| {' | '.join([one.name, str(one.texts), str(one.characters), *shares])} |"


def main(
    data: Annotated[Path, typer.Option(help="Folder with jsonl files, at any depth.")],
    out: Annotated[Path, typer.Option(help="Markdown to write; JSON goes beside it.")],
    limit: Annotated[int | None, typer.Option(help="Records per file; default: all.")] = None,
) -> None:
    """Measure round trips on every file of a folder."""
    trip = RoundTrip(default_recognizer())
    results = []
    for name, records in read_sets(data):
        results.append(measure(name, islice(records, limit), trip))
        typer.echo(f"{name}: {results[-1].texts} texts", err=True)
    limited = f" --limit {limit}" if limit else ""
    study = RoundTrips(
        command="python -m sage_rag.eval.studies.roundtrip "
        f"--data {data.name} --out {out.name}{limited}",
        environment=environment(),
        sets=tuple(results),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(study), "utf-8")
    out.with_suffix(".json").write_text(study.model_dump_json(indent=1) + "\n", "utf-8")
    if any(result.failures for result in results):
        raise typer.Exit(1)


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
