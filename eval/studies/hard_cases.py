"""Show which hard cases the default recognizer solves: names that are words, particles, noise.

The test of the page fails in both directions: when a listed case is solved, and when a solved case
fails. This command writes the page again.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.jsonl import rows
from sage_rag.eval.studies.runner import StudyResult, StudyRun, page, report
from sage_rag.eval.studies.tables import cell, table
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer

_ABOUT = """\
`eval/gold/hard_cases.jsonl` holds short texts written by hand. *Covered*: every letter and digit of
a private value lies in some span, of any type. *Left alone*: no letter or digit of a tempting word
does. A test compares the page with the recognizer in both directions: a case that is solved but
listed as missed fails, too. This command writes the page again."""


@dataclass(frozen=True, slots=True)
class HardCase:
    """A text, the values in it that must be covered and the words that must not."""

    kind: str
    text: str
    private: tuple[str, ...]
    stays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HardCaseResult:
    """The errors in one case: values left in clear, words covered without need."""

    case: HardCase
    uncovered: tuple[str, ...]
    taken: tuple[str, ...]

    @property
    def solved(self) -> bool:
        """Whether there is no error."""
        return not (self.uncovered or self.taken)


def hard_cases() -> list[HardCase]:
    """Return all cases, those of one kind together.

    Raises:
        InputError: for a case whose strings do not occur in its text exactly once.
    """
    file = resources.files("sage_rag.eval.gold") / "hard_cases.jsonl"
    return [_case(row) for row in rows(Path(str(file)))]


def _case(row: Mapping[str, object]) -> HardCase:
    text, private, stays = str(row["text"]), _strings(row["private"]), _strings(row["stays"])
    if any(text.count(string) != 1 for string in (*private, *stays)) or not (private or stays):
        raise InputError(f"a string of this hard case does not occur in it once: {text}")
    return HardCase(str(row["kind"]), text, private, stays)


def _strings(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def judge(cases: Iterable[HardCase], recognizer: Recognizer) -> list[HardCaseResult]:
    """Return the recognizer's errors in each case."""
    return [_judge(case, recognizer) for case in cases]


def _judge(case: HardCase, recognizer: Recognizer) -> HardCaseResult:
    covered = {p for s in recognizer.recognize(case.text) for p in range(s.start, s.end)}
    return HardCaseResult(
        case,
        tuple(s for s in case.private if not _alphanumerics(case.text, s) <= covered),
        tuple(s for s in case.stays if _alphanumerics(case.text, s) & covered),
    )


def _alphanumerics(text: str, string: str) -> set[int]:
    """Return the positions of a string's letters and digits."""
    start = text.index(string)
    return {p for p in range(start, start + len(string)) if text[p].isalnum()}


def tables(results: Sequence[HardCaseResult]) -> str:
    """Return the counts by kind and the list of errors, as Markdown."""
    kinds = dict.fromkeys(result.case.kind for result in results)
    counts = [_counts(k, [r for r in results if r.case.kind == k]) for k in kinds]
    titles = ("kind", "cases solved", "values covered", "tempting words left alone")
    counted = table(titles, [*counts, _counts("all", results)])
    missed = table(("kind", "text", "left in clear", "taken without need"), _missed(results))
    return f"{counted}\n\n## Missed\n\n{missed}"


def _counts(kind: str, results: Sequence[HardCaseResult]) -> list[str]:
    private = sum(len(r.case.private) for r in results)
    stays = sum(len(r.case.stays) for r in results)
    covered = private - sum(len(r.uncovered) for r in results)
    left = stays - sum(len(r.taken) for r in results)
    solved = sum(r.solved for r in results)
    shares = ((solved, len(results)), (covered, private), (left, stays))
    return [kind, *(f"{x} of {n}" if n else "" for x, n in shares)]


def _missed(results: Sequence[HardCaseResult]) -> Iterator[list[str]]:
    for r in results:
        if not r.solved:
            errors = (", ".join(map(_code, strings)) for strings in (r.uncovered, r.taken))
            yield [r.case.kind, _code(r.case.text), *errors]


def _code(text: str) -> str:
    """Return a text as code in one cell of a table."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    return f"`{cell(escaped)}`"


def add_options(parser: ArgumentParser) -> None:
    """The study has no options of its own."""


def run(options: Namespace, run: StudyRun) -> StudyResult:
    """Judge the default recognizer."""
    results = judge(hard_cases(), default_recognizer())
    report(f"{sum(r.solved for r in results)} of {len(results)} cases solved")
    return StudyResult(page("Hard cases", _ABOUT, run, tables(results)))
