"""Measure which marked values recognizers find, and how much else they flag.

    --gold presidio=synth_v2.jsonl [--halves] [--peer]

Each line of a gold file has `text` and `spans` with `start`, `end` (code points, end exclusive)
and `label`, in the words of the scheme named before `=` (`privacy.labels`); a span may have an
`identifier_type`. With `annotated`, a list of our types, spans of other types do not count; nor do
spans in `unsure`, a list of ranges.

Source: Pilán et al. (2022), arXiv 2202.00443, §5: recall on whole entities. Differs: types are not
compared, since a value under a wrong type is protected all the same.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import Row, read_jsonl
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import table
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme, matching_types
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.scores import (
    GoldEntity,
    GoldText,
    GoldValue,
    RecognitionCounts,
    entities_of,
    shares,
)

PEER = "Presidio"
_ABOUT = """\
*Found*: every letter and digit of a value lies in some span, except titles ("Mr"): then no part of
it leaves in clear, whatever its type. *Under their type*: spans of a type that the label accepts
cover the value, so that the key of that type opens it. An entity is found if all its mentions in a
text are. *Right*: a span of a type, overlaps
resolved, touches a value whose label is of that type. Character precision: the share of letters
and digits in spans that are also marked. Odd and even lines, the first of
which is line 0, are counted apart on request: the rules may have been written with misses on the
even lines in view."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Found values by label, right spans by type, and the share of flagged characters marked."""

    by_label: Mapping[str, Proportion]
    by_risk: Mapping[str, Proportion]
    """Found values by the annotators' identifier type (DIRECT, QUASI), if they give one."""
    by_type: Mapping[EntityType, Proportion]
    precision: Proportion
    named: Mapping[str, Proportion]
    """Values by label that spans of an accepted type cover."""
    entities: Mapping[str, Proportion]
    """Entities of which all mentions are found, by the annotators' identifier type."""


def coverage(rows: Iterable[Mapping[str, Any]], recognizer: Recognizer, scheme: Scheme) -> Coverage:
    """Compare a recognizer's spans with gold spans.

    Raises:
        InputError: for a label that the scheme does not know.
    """
    counts = RecognitionCounts()
    entities: list[GoldEntity] = []
    for row in rows:
        gold, spans = gold_of(row, scheme), recognizer.recognize(row["text"])
        counts.add(gold, spans)
        entities += entities_of(gold, spans)
    return Coverage(
        shares(counts.found, counts.marked),
        shares(counts.found_by_risk, counts.marked_by_risk),
        shares(counts.right, counts.flagged),
        counts.precision,
        shares(counts.named, counts.marked),
        covered_entities(entities, lambda entity: entity.risk),
    )


def covered_entities(
    entities: Iterable[GoldEntity], group: Callable[[GoldEntity], str]
) -> dict[str, Proportion]:
    """Return the share of covered entities by group; an empty group is left out."""
    marked, covered = Counter[str](), Counter[str]()
    for entity in entities:
        if name := group(entity):
            marked[name] += 1
            covered[name] += entity.covered
    return shares(covered, marked)


def gold_of(row: Mapping[str, Any], scheme: Scheme) -> GoldText:
    values = tuple(
        GoldValue(
            g["start"],
            g["end"],
            g["label"],
            matching_types(g["label"], scheme),
            str(g.get("identifier_type", "")),
            str(g.get("entity_id", "")),
        )
        for g in row["spans"]
    )
    annotated = frozenset(map(EntityType, row["annotated"])) if row.get("annotated") else None
    unsure = tuple((start, end) for start, end in row.get("unsure", ()))
    return GoldText(row["text"], values, annotated, unsure)


def tables(measured: Mapping[str, Mapping[str, Coverage]]) -> list[str]:
    """Return the blocks of the page: per gold file, the shares of each recognizer side by side."""
    blocks = []
    for name, by_recognizer in measured.items():
        found = {c: {**r.by_label, **r.by_risk} for c, r in by_recognizer.items()}
        entities = {c: r.entities for c, r in by_recognizer.items()}
        named = {c: r.named for c, r in by_recognizer.items()}
        right = {c: r.by_type for c, r in by_recognizer.items()}
        flagged = "; ".join(f"{c}: {r.precision}" for c, r in by_recognizer.items())
        blocks += [
            f"## {name}",
            _table("values found", found),
            *([_table("entities found", entities)] if any(entities.values()) else []),
            _table("values found under their type", named),
            _table("spans right", right),
            f"Character precision: {flagged}",
        ]
    return blocks


def _table(head: str, columns: Mapping[str, Mapping[Any, Proportion]]) -> str:
    named = {
        c: {str(name): share for name, share in column.items()} for c, column in columns.items()
    }
    names = sorted({name for column in named.values() for name in column})
    rows = ([name, *(column.get(name, "none") for column in named.values())] for name in names)
    return table([head, *columns], rows)


def add_options(parser: ArgumentParser) -> None:
    """Add the gold files and what is measured of them."""
    parser.add_argument(
        "--gold", action="append", required=True, help="SCHEME=PATH, a jsonl with `text`, `spans`"
    )
    parser.add_argument("--halves", action="store_true", help="count odd and even lines apart")
    parser.add_argument(
        "--peer",
        action="store_true",
        help="also run Presidio's own default recognizers, without a spaCy model",
    )


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Measure the default recognizer on each gold file."""
    recognizers: dict[str, Recognizer] = {"default": default_recognizer()}
    if options.peer:
        from sage_rag.privacy.recognizers.presidio.engine import PresidioEngine

        recognizers[PEER] = PresidioEngine()
    measured: dict[str, dict[str, Coverage]] = {}
    for scheme, path in map(gold_argument, options.gold):
        rows = list(gold_rows(path))
        halves = {" (even lines)": rows[::2], " (odd lines)": rows[1::2]}
        for part, chosen in (halves if options.halves else {"": rows}).items():
            measured[f"{path.parent.name}/{path.name}{part}"] = {
                name: coverage(chosen, recognizer, scheme)
                for name, recognizer in recognizers.items()
            }
        report(f"{path} done")
    return StudyResult(page("What the recognizers find", _ABOUT, run, *tables(measured)), measured)


def gold_argument(argument: str) -> tuple[Scheme, Path]:
    """Read `SCHEME=PATH`; `InputError` for a scheme that `privacy.labels` does not have."""
    name, equals, path = argument.partition("=")
    if not equals or name not in {s.value for s in Scheme}:
        known = ", ".join(s.value for s in Scheme)
        raise InputError(f"`--gold {argument}` names no scheme", hint=f"SCHEME=PATH with: {known}")
    return Scheme(name), Path(path)


def gold_rows(path: Path) -> Iterator[Row]:
    """Yield the records of a gold file; `InputError` names the first invalid line."""
    return (row for _, row in read_jsonl(path, _checked))


def _checked(row: Row) -> Row:
    spans = row.get("spans")
    if not isinstance(row.get("text"), str) or not isinstance(spans, list):
        raise ValueError("has no `text` and `spans`")
    if not all({"start", "end", "label"} <= set(span) for span in spans):
        raise ValueError("has a span without `start`, `end` and `label`")
    return row
