"""Say which hard cases the default recognizer catches: names that are words, particles, noise.

    python -m sage_rag.eval.studies.hard_cases --out docs/results/hard_cases.md

`eval/gold/hard_cases.jsonl` holds short texts written by hand. *Covered*: every letter and digit of
a private value lies in some span, of whatever type. *Left alone*: no letter or digit of a tempting
word does. A test holds the page to what the recognizer does, in both directions: a case that is
caught but listed as missed fails, too, and this command writes the page anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.eval.studies.environment import environment
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer

COMMAND = "python -m sage_rag.eval.studies.hard_cases --out docs/results/hard_cases.md"


@dataclass(frozen=True, slots=True)
class HardCase:
    """A text, the values in it that must be covered and the words that must not."""

    kind: str
    text: str
    private: tuple[str, ...]
    stays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HardCaseResult:
    """What a recognizer did wrong in one case: values it left in clear, words it took."""

    case: HardCase
    uncovered: tuple[str, ...]
    taken: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Return whether nothing is wrong."""
        return not (self.uncovered or self.taken)


def hard_cases() -> list[HardCase]:
    """Return all cases, those of one kind together.

    Raises:
        InputError: for a case whose strings do not stand in its text exactly once.
    """
    lines = (
        (resources.files("sage_rag.eval.gold") / "hard_cases.jsonl").read_text("utf-8").splitlines()
    )
    return [_case(json.loads(line)) for line in lines]


def _case(row: Mapping[str, object]) -> HardCase:
    text, private, stays = str(row["text"]), _strings(row["private"]), _strings(row["stays"])
    if any(text.count(string) != 1 for string in (*private, *stays)) or not (private or stays):
        raise InputError(f"a string of this hard case does not stand in it once: {text}")
    return HardCase(str(row["kind"]), text, private, stays)


def _strings(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def judge(cases: Iterable[HardCase], recognizer: Recognizer) -> list[HardCaseResult]:
    """Return what a recognizer did in each case."""
    return [_verdict(case, recognizer) for case in cases]


def _verdict(case: HardCase, recognizer: Recognizer) -> HardCaseResult:
    covered = {p for s in recognizer.recognize(case.text) for p in range(s.start, s.end)}
    return HardCaseResult(
        case,
        tuple(s for s in case.private if not _telling(case.text, s) <= covered),
        tuple(s for s in case.stays if _telling(case.text, s) & covered),
    )


def _telling(text: str, string: str) -> set[int]:
    """Return the places of a string's letters and digits."""
    start = text.index(string)
    return {p for p in range(start, start + len(string)) if text[p].isalnum()}


def tables(verdicts: Sequence[HardCaseResult]) -> str:
    """Return the counts by kind and the list of what went wrong, as Markdown."""
    return "\n".join([*_counts(verdicts), "", "## Missed", "", *_missed(verdicts)]) + "\n"


def _counts(verdicts: Sequence[HardCaseResult]) -> Iterator[str]:
    yield "| kind | cases caught | values covered | tempting words left alone |"
    yield "| --- | --- | --- | --- |"
    kinds = dict.fromkeys(verdict.case.kind for verdict in verdicts)
    for kind in kinds:
        yield _count(kind, [v for v in verdicts if v.case.kind == kind])
    yield _count("all", verdicts)


def _count(name: str, verdicts: Sequence[HardCaseResult]) -> str:
    private = sum(len(v.case.private) for v in verdicts)
    stays = sum(len(v.case.stays) for v in verdicts)
    covered = private - sum(len(v.uncovered) for v in verdicts)
    left = stays - sum(len(v.taken) for v in verdicts)
    caught = sum(v.caught for v in verdicts)
    shares = ((caught, len(verdicts)), (covered, private), (left, stays))
    return f"| {name} | " + " | ".join(f"{x} of {n}" if n else "" for x, n in shares) + " |"


def _missed(verdicts: Sequence[HardCaseResult]) -> Iterator[str]:
    yield "| kind | text | left in clear | taken without need |"
    yield "| --- | --- | --- | --- |"
    for v in verdicts:
        if not v.caught:
            wrong = (", ".join(map(_shown, strings)) for strings in (v.uncovered, v.taken))
            yield f"| {v.case.kind} | {_shown(v.case.text)} | " + " | ".join(wrong) + " |"


def _shown(text: str) -> str:
    """Return a text as code in one cell of a table."""
    plain = text.replace("\\", "\\\\").replace("\n", "\\n").replace("|", "\\|")
    return f"`{plain}`"


def markdown(verdicts: Sequence[HardCaseResult]) -> str:
    """Return the page."""
    here = environment()
    about = (__doc__ or "").split("\n\n")[2].strip()
    head = f"# Hard cases\n\n{about}\n\n```\n{COMMAND}\n```\n\n"
    return f"{head}Commit {here.commit}, {here.date}, {here.hardware}.\n\n{tables(verdicts)}"


def main(out: Annotated[Path, typer.Option(help="Markdown to write.")]) -> None:
    """Judge the default recognizer and write the page."""
    verdicts = judge(hard_cases(), default_recognizer())
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(markdown(verdicts), "utf-8")
    typer.echo(f"{sum(v.caught for v in verdicts)} of {len(verdicts)} cases caught")


if __name__ == "__main__":
    try:
        typer.run(main)
    except SageRagError as error:
        typer.echo(f"error: {error.message}", err=True)
        sys.exit(error.exit_code)
