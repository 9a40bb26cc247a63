"""Measure what the default recognizer covers of values that people marked.

    python -m eval.studies.recognition --gold tab.jsonl --gold wnut17.jsonl --out recognition.md

Each line of a gold file has `text` and `spans` with `start`, `end` (code points, end exclusive)
and `label`. A value counts as covered when every letter and digit of it lies in some span, titles
("Mr") aside: then nothing of it leaves in clear, whatever type it was taken for. Precision is of
characters: the share of letters and digits in spans that people marked, too.

Source: Pilán et al. (2022), arXiv 2202.00443, §5: recall on whole entities. Differs: types are not
compared, since a value under a wrong type is protected all the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from eval.statistics import Proportion
from eval.studies.environment import environment
from privacy.exceptions import InputError, SageRagError
from privacy.protocols import Recognizer
from privacy.recognizers.default import default_recognizer

_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Sir|Judge|Herr|Frau|M|Mme)\b\.?")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Covered values by label, and the share of flagged characters that were marked."""

    by_label: Mapping[str, Proportion]
    precision: Proportion


def coverage(rows: Iterable[Mapping[str, Any]], recognizer: Recognizer) -> Coverage:
    """Compare a recognizer's spans with gold spans."""
    found: dict[str, int] = {}
    marked: dict[str, int] = {}
    right = flagged_all = 0
    for row in rows:
        text: str = row["text"]
        titles = _places(match.span() for match in _TITLE.finditer(text))
        telling = {i for i, character in enumerate(text) if character.isalnum()} - titles
        flagged = telling & _places((s.start, s.end) for s in recognizer.recognize(text))
        gold = telling & _places((s["start"], s["end"]) for s in row["spans"])
        right, flagged_all = right + len(flagged & gold), flagged_all + len(flagged)
        for span in row["spans"]:
            label = span["label"]
            marked[label] = marked.get(label, 0) + 1
            covered = telling & set(range(span["start"], span["end"])) <= flagged
            found[label] = found.get(label, 0) + covered
    shares = {label: Proportion.of(found[label], marked[label]) for label in sorted(marked)}
    return Coverage(shares, Proportion.of(right, flagged_all))


def markdown(measured: Mapping[str, Coverage], command: str) -> str:
    """Return the tables, one per gold file."""
    here = environment()
    parts = [
        "# What the default recognizer covers",
        f"```\n{command}\n```",
        f"Commit {here.commit}, {here.date}, {here.hardware}.",
    ]
    for name, result in measured.items():
        rows = [f"| {label} | {share} |" for label, share in result.by_label.items()]
        table = "\n".join(["| label | values covered |", "| --- | --- |", *rows])
        parts.append(f"## {name}\n\n{table}\n\nCharacter precision: {result.precision}")
    return "\n\n".join(parts) + "\n"


def main(
    gold: Annotated[list[Path], typer.Option(help="jsonl with `text` and `spans`.")],
    out: Annotated[Path, typer.Option(help="Markdown to write.")],
) -> None:
    """Measure the default recognizer on gold spans."""
    recognizer = default_recognizer()
    measured = {}
    for path in gold:
        measured[f"{path.parent.name}/{path.name}"] = coverage(_rows(path), recognizer)
        typer.echo(f"{path} done", err=True)
    names = " ".join(f"--gold {path.name}" for path in gold)
    command = f"python -m eval.studies.recognition {names} --out {out.name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(measured, command), "utf-8")


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            if not isinstance(row.get("text"), str) or not _are_spans(row.get("spans")):
                raise InputError(f"`{path}` line {number} has no `text` and `spans`")
            yield row


def _are_spans(spans: object) -> bool:
    return isinstance(spans, Sequence) and all({"start", "end", "label"} <= set(s) for s in spans)


def _places(ranges: Iterable[tuple[int, int]]) -> set[int]:
    return {place for start, end in ranges for place in range(start, end)}


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
