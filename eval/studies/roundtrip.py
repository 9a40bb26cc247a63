"""Check on whole data sets that protected texts are restored exactly.

    --data FOLDER [--limit 100]

Every string of every record of every jsonl file (also gzipped) in the folder is a text, except ids.
There are five ways; each is exact if the restored text equals the text, byte for byte:

- whole: tokens by the default recognizer under policy `soe-all`, restored at once;
- stream: the same tokens, arriving in pieces cut at random positions;
- gold, gold stream: the same with the annotators' spans, if there are any; their types rotate
  through all types, since a round trip must not depend on the type;
- placeholders: the text that agents read, sealed and restored.
"""

from __future__ import annotations

import random
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.common.jsonl import Row, rows
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import table
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
"""Longest piece of a stream in code points. Model servers send a few characters at a time."""
_TYPES = [t for t in EntityType if identifiability(t) is not Identifiability.TECHNICAL]

_ABOUT = """\
Texts that are restored exactly, of all texts, with the exact 95 % bound (Clopper-Pearson). Policy
`soe-all`; whole, in a stream cut at random positions, with the annotators' spans, and through
placeholders. A set without marked spans has no figure for them."""

Text = tuple[str, tuple[tuple[int, int], ...]]
"""A text and the ranges that annotators marked in it."""


class SetScore(BaseModel):
    """One file. `ways` holds the ways that apply; `failures` names records by line, never text."""

    model_config = ConfigDict(frozen=True)
    name: str
    texts: int
    characters: int
    ways: dict[str, Proportion]
    failures: tuple[tuple[int, str], ...]


class RoundTrip:
    """Protect and restore texts with one keyset."""

    def __init__(self, recognizer: Recognizer) -> None:
        self._cipher = default_cipher(Keyset.generate(), "round-trip")
        # All ways recognise the same text in turn.
        self._recognizer = _Recognizer(recognizer.fingerprint, lru_cache(1)(recognizer.recognize))
        self._restorer = Restorer(self._cipher)
        self._random = random.Random(_SEED)  # noqa: S311 - where to cut, not a secret

    def exact(self, text: str, marked: Iterable[tuple[int, int]] = ()) -> dict[str, bool]:
        """Return, for each way that applies, whether it restores the text exactly."""
        protector = self._protector(self._recognizer)
        found = dict(zip(WAYS, self._both(protector, text), strict=False))
        if ranges := list(marked):
            gold = self._protector(_marked(ranges))
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


@dataclass(frozen=True)
class _Recognizer:
    """A recognizer made of a function."""

    fingerprint: str
    recognize: Callable[[str], Sequence[Span]]


def _marked(ranges: Iterable[tuple[int, int]]) -> Recognizer:
    """Return a recognizer of the ranges that annotators marked in one text."""
    types = cycle(_TYPES)
    spans = [Span(start, end, next(types)) for start, end in ranges]
    return _Recognizer("marked", lambda text: spans)


def measure(name: str, records: Iterable[Any], trip: RoundTrip) -> SetScore:
    """Protect and restore every text of a set, in every way."""
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
    return SetScore(
        name=name, texts=texts, characters=characters, ways=ways, failures=tuple(failures)
    )


def texts_of(record: Any) -> Iterator[Text]:
    """Yield the strings of a record except ids; `text` comes with the ranges of `spans`."""
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


def read_sets(folder: Path) -> Iterator[tuple[str, Iterator[Row]]]:
    """Yield name and records of every jsonl file in a folder, at any depth, by name.

    Raises:
        InputError: when there is no file. Reading a bad line raises it, too.
    """
    files = sorted(p for p in folder.rglob("*") if p.name.endswith((".jsonl", ".jsonl.gz")))
    if not files:
        raise InputError(f"no jsonl file in `{folder.name}`")
    for file in files:
        yield file.relative_to(folder).as_posix(), rows(file)


def add_options(parser: ArgumentParser) -> None:
    """Add the data, and how much of it is read."""
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with jsonl files, at any depth"
    )
    parser.add_argument("--limit", type=int, help="records per file; default: all")


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure round trips on every file of a folder; a text that is lost is a problem."""
    trip = RoundTrip(default_recognizer())
    scores = []
    for name, records in read_sets(options.data):
        scores.append(measure(name, islice(records, options.limit), trip))
        report(f"{name}: {scores[-1].texts} texts")
    scored = table(("set", "texts", "characters", *WAYS), map(_row, (*scores, _total(scores))))
    failed = "\n".join(f"- {s.name}: {len(s.failures)} failures" for s in scores if s.failures)
    return StudyResult(
        page("Round trips", _ABOUT, run, scored, *([failed] if failed else [])),
        scores,
        "not every text came back" if failed else "",
    )


def _row(score: SetScore) -> list[object]:
    shares = (score.ways.get(way, "") for way in WAYS)
    return [score.name, score.texts, score.characters, *shares]


def _total(sets: Sequence[SetScore]) -> SetScore:
    ways = {}
    for way in WAYS:
        found = [s.ways[way] for s in sets if way in s.ways]
        if found:
            ways[way] = Proportion.of(sum(p.successes for p in found), sum(p.trials for p in found))
    texts, characters = sum(s.texts for s in sets), sum(s.characters for s in sets)
    return SetScore(name="all", texts=texts, characters=characters, ways=ways, failures=())
