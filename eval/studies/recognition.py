"""Measure what recognizers find of values that people marked, and how much else they flag.

    python -m sage_rag.eval.studies.recognition --gold presidio=synth_v2.jsonl \\
        --out recognition.md

Each line of a gold file has `text` and `spans` with `start`, `end` (code points, end exclusive)
and `label`, in the words of the scheme named before `=` (`privacy.labels`); a span may have an
`identifier_type`. With `annotated`, a list of our types, spans of other types do not count; nor do
spans in `unsure`, a list of ranges.

*Found*: every letter and digit of a value lies in some span, titles ("Mr") aside: then nothing of
it leaves in clear, whatever type it was taken for. *Right*: a span of a type, overlaps resolved,
touches a value whose label is of that type. Character precision: the share
of letters and digits in spans that people marked, too. Odd and even lines are counted apart where
asked: misses of the even lines may have been read while rules were written.

Source: Pilán et al. (2022), arXiv 2202.00443, §5: recall on whole entities. Differs: types are not
compared, since a value under a wrong type is protected all the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.environment import environment
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme, matching_types
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue, RecognitionCounts

PEER = "Presidio"


@dataclass(frozen=True, slots=True)
class Coverage:
    """Found values by label, right spans by type, and the share of flagged characters marked."""

    by_label: Mapping[str, Proportion]
    by_risk: Mapping[str, Proportion]
    """Found values by what annotators said of them (DIRECT, QUASI), where they did."""
    by_type: Mapping[EntityType, Proportion]
    precision: Proportion


def coverage(rows: Iterable[Mapping[str, Any]], recognizer: Recognizer, scheme: Scheme) -> Coverage:
    """Compare a recognizer's spans with gold spans.

    Raises:
        InputError: for a label that the scheme does not know.
    """
    counts = RecognitionCounts()
    for row in rows:
        counts.add(_gold(row, scheme), recognizer.recognize(row["text"]))
    return Coverage(
        {k: Proportion.of(counts.found[k], n) for k, n in sorted(counts.marked.items())},
        {k: Proportion.of(counts.found_by_risk[k], n) for k, n in counts.marked_by_risk.items()},
        {k: Proportion.of(counts.right[k], n) for k, n in sorted(counts.said.items())},
        Proportion.of(counts.characters_right, counts.characters),
    )


def _gold(row: Mapping[str, Any], scheme: Scheme) -> GoldText:
    values = tuple(
        GoldValue(
            g["start"],
            g["end"],
            g["label"],
            matching_types(g["label"], scheme),
            str(g.get("identifier_type", "")),
        )
        for g in row["spans"]
    )
    annotated = frozenset(map(EntityType, row["annotated"])) if row.get("annotated") else None
    unsure = tuple((start, end) for start, end in row.get("unsure", ()))
    return GoldText(row["text"], values, annotated, unsure)


def markdown(measured: Mapping[str, Mapping[str, Coverage]], command: str) -> str:
    """Return the page: per gold file, the shares of each recognizer side by side."""
    here = environment()
    parts = [
        "# What the recognizers find",
        (__doc__ or "").split("\n\n")[3].replace("\n", " "),
        f"```\n{command}\n```",
        f"Commit {here.commit}, {here.date}, {here.hardware}.",
    ]
    for name, by_recognizer in measured.items():
        columns = list(by_recognizer)
        found = {c: {**by_recognizer[c].by_label, **by_recognizer[c].by_risk} for c in columns}
        right = {c: by_recognizer[c].by_type for c in columns}
        flagged = "; ".join(f"{c}: {by_recognizer[c].precision}" for c in columns)
        parts += [
            f"## {name}",
            _table("values found", found),
            _table("spans right", right),
            f"Character precision: {flagged}",
        ]
    return "\n\n".join(parts) + "\n"


def _table(head: str, columns: Mapping[str, Mapping[Any, Proportion]]) -> str:
    names = sorted({str(name) for column in columns.values() for name in column})
    shares = {
        c: {str(name): share for name, share in column.items()} for c, column in columns.items()
    }
    rows = [
        f"| {name} | " + " | ".join(str(shares[c].get(name, "none")) for c in columns) + " |"
        for name in names
    ]
    titles = f"| {head} | " + " | ".join(columns) + " |"
    return "\n".join([titles, "| --- |" + " --- |" * len(columns), *rows])


def main(
    gold: Annotated[list[str], typer.Option(help="SCHEME=PATH, a jsonl with `text` and `spans`.")],
    out: Annotated[Path, typer.Option(help="Markdown to write.")],
    halves: Annotated[bool, typer.Option(help="Count odd and even lines apart.")] = False,
    peer: Annotated[bool, typer.Option(help="Run Presidio's engine, patterns only, too.")] = False,
) -> None:
    """Measure the default recognizer on gold spans."""
    recognizers: dict[str, Recognizer] = {"default": default_recognizer()}
    if peer:
        from sage_rag.privacy.recognizers.presidio.engine import PresidioEngine

        recognizers[PEER] = PresidioEngine()
    measured: dict[str, dict[str, Coverage]] = {}
    for scheme, path in map(gold_argument, gold):
        rows = list(gold_rows(path))
        parts = {" (even lines)": rows[::2], " (odd lines)": rows[1::2]} if halves else {"": rows}
        for part, chosen in parts.items():
            measured[f"{path.parent.name}/{path.name}{part}"] = {
                name: coverage(chosen, recognizer, scheme)
                for name, recognizer in recognizers.items()
            }
        typer.echo(f"{path} done", err=True)
    names = " ".join(f"--gold {scheme}={path.name}" for scheme, path in map(gold_argument, gold))
    flags = " --halves" * halves + " --peer" * peer
    command = f"python -m sage_rag.eval.studies.recognition {names} --out {out.name}{flags}"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(measured, command), "utf-8")


def gold_argument(argument: str) -> tuple[Scheme, Path]:
    """Read `SCHEME=PATH`; `InputError` for a scheme that `privacy.labels` has not."""
    name, equals, path = argument.partition("=")
    if not equals or name not in {s.value for s in Scheme}:
        known = ", ".join(s.value for s in Scheme)
        raise InputError(f"`--gold {argument}` names no scheme", hint=f"SCHEME=PATH with: {known}")
    return Scheme(name), Path(path)


def gold_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a gold file; `InputError` names the first line that is none."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            if not isinstance(row.get("text"), str) or not _are_spans(row.get("spans")):
                raise InputError(f"`{path}` line {number} has no `text` and `spans`")
            yield row


def _are_spans(spans: object) -> bool:
    return isinstance(spans, Sequence) and all({"start", "end", "label"} <= set(s) for s in spans)


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
