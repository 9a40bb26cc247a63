"""Run a study and write its page.

    python -m sage_rag.eval.studies NAME --out PAGE.md [--home FOLDER] [options of the study]

A study is a module with `add_options` and `run`. The runner parses the options, records command
and environment, writes the page and, with `--home`, the figures as `NAME.json` in that folder.
"""

from __future__ import annotations

import re
import sys
import tempfile
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from pydantic_core import to_json

from sage_rag.common.exceptions import InputError, SageRagError
from sage_rag.eval.studies.environment import Environment, environment

_PROGRAM = "python -m sage_rag.eval.studies"
_INTERRUPTED = 130
"""Exit code after Ctrl-C, as of a program that SIGINT ends."""
STUDIES: Mapping[str, str] = {
    "answers": "answers.study",
    "codebook": "codebook",
    "consensus": "consensus.study",
    "controlled": "controlled.study",
    "crypto_llm": "crypto_llm.study",
    "examples": "examples",
    "frequency": "frequency.study",
    "hard_cases": "hard_cases",
    "linking": "linking",
    "meaning": "meaning",
    "policies": "policies",
    "recognition": "recognition",
    "refusals": "refusals",
    "retrieval": "retrieval.study",
    "roundtrip": "roundtrip",
    "sage": "sage.study",
    "soe": "soe.study",
}
"""The module of each study, imported when it runs."""


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One run: its command, where it runs, and the folder for its files.

    `home` holds private text. Without `--home` it is a temporary folder.
    """

    command: str
    environment: Environment
    home: Path


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A page as Markdown, and its figures as data; `problem` makes the command exit with 1."""

    page: str
    figures: object = None
    problem: str = ""


class Study(Protocol):
    """A module that measures something and returns a page of it."""

    def add_options(self, parser: ArgumentParser) -> None:
        """Add the study's own options."""

    def run(self, options: Namespace, run: StudyRun) -> StudyResult:
        """Measure and return the page.

        Raises:
            SageRagError: when the options or the data do not allow a measurement.
        """
        ...


def page(title: str, about: str, run: StudyRun, *body: str) -> str:
    """Return a page: title, explanation, command and environment, then the blocks of the body."""
    head = (f"# {title}", about, f"```\n{run.command}\n```", str(run.environment))
    return "\n\n".join([*head, *body]) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Run the study that the arguments name; return the exit code."""
    try:
        return _run(arguments)
    except SageRagError as error:
        report(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
        return error.exit_code
    except KeyboardInterrupt:
        report("interrupted; a study continues in the --home that it had")
        return _INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    overview = ArgumentParser(prog=_PROGRAM, description="Measure, and write a page of results.")
    overview.add_argument("study", choices=STUDIES)
    name = overview.parse_args(arguments[:1]).study
    module = import_module(f"sage_rag.eval.studies.{STUDIES[name]}")
    study = cast("Study", module)
    parser = ArgumentParser(
        prog=f"{_PROGRAM} {name}",
        description=module.__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, help="Markdown to write")
    parser.add_argument(
        "--home", type=Path, help="folder for figures, indexes and caches; holds private text"
    )
    study.add_options(parser)
    options = parser.parse_args(arguments[1:])
    _check_out(options.out)
    with _home(options.home) as home:
        run = StudyRun(command(arguments), environment(), home)
        result = study.run(options, run)
        _write(result, run, options.out, home / f"{name}.json")
    if result.problem:
        report(f"error: {result.problem}")
    return int(bool(result.problem))


def command(arguments: Sequence[str]) -> str:
    """Return the command line with file names alone: folders say nothing to a reader."""
    return " ".join([_PROGRAM, *(re.sub(r"[^=]*/", "", argument) for argument in arguments)])


def report(message: str) -> None:
    """Write progress to standard error."""
    sys.stderr.write(message + "\n")


@contextmanager
def _home(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            yield Path(temporary)
    else:
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield folder


def _write(result: StudyResult, run: StudyRun, out: Path, figures: Path) -> None:
    with _writing(out):
        out.write_text(result.page, "utf-8")
    if result.figures is not None:
        known = {"command": run.command, "environment": run.environment, "figures": result.figures}
        with _writing(figures):
            figures.write_bytes(to_json(known, indent=1) + b"\n")


def _check_out(out: Path) -> None:
    """Raise before the study runs, where its page cannot be written after it."""
    if out.is_dir():
        raise InputError(f"`{out}` is a folder", hint="name a file: --out page.md")
    with _writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write `{path}`: {error.strerror}") from None
