"""`sage-rag protect`: replace the private values of a file, line by line."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.privacy.cli.files import Write, check_paths, is_jsonl, open_input, open_output
from sage_rag.privacy.cli.lines import LineReader, LineRecord
from sage_rag.privacy.cli.options import (
    Jsonl,
    KeysetFile,
    KeysetSecret,
    Languages,
    Out,
    PassphraseFile,
    Recognizers,
    split_names,
)

if TYPE_CHECKING:
    from sage_rag.privacy.batch import Record, RecordOutcome
    from sage_rag.privacy.entities import EntityType

_REPORTED = 20
"""Bad lines that are reported one by one; of the others only the number is reported."""


def protect(
    file: Annotated[Path, typer.Argument(help="A jsonl, txt or md file, or - for input.")],
    corpus: Annotated[str, typer.Option(help="The corpus's name: tokens are bound to it.")],
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    policy: Annotated[str, typer.Option(help="A policy's name, or its TOML file.")] = "soe-all",
    recognizer: Recognizers = None,
    languages: Languages = None,
    text_fields: Annotated[
        str | None, typer.Option(help="Only these fields of a jsonl record, e.g. question,answer.")
    ] = None,
    keep_other_fields: Annotated[
        bool,
        typer.Option("--keep-other-fields", help="Write the other fields too, in clear."),
    ] = False,
    jsonl: Jsonl = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes to recognise with.")] = 1,
    out: Out = None,
) -> None:
    """Replace the private values of a file by tokens and placeholders, line by line.

    In jsonl, all strings are protected; keys and numbers stay. --out is written only if every line
    is protected: a line that cannot be read or protected is reported, and the exit code is 2 or 4.
    A line in a language that no recognizer covers cannot be protected.

    Example: sage-rag protect notes.jsonl --corpus clinic --keyset clinic.keyset --out safe.jsonl
    """
    from sage_rag.privacy.batch import ProtectorSpec, protect_records
    from sage_rag.privacy.keyset.sources import open_keyset
    from sage_rag.privacy.policy import load_policy
    from sage_rag.privacy.recognizers.catalog import covered_languages, recognizer_of

    reader = _reader(is_jsonl(file, jsonl), text_fields, keep_other_fields)
    check_paths(file, out)
    loaded = load_policy(policy)
    names = tuple(recognizer or ())
    build = partial(recognizer_of, names, thresholds=loaded.thresholds)
    declared = split_names(languages, "--languages") if languages is not None else ()
    spec = ProtectorSpec(corpus, loaded, build, covered_languages(names, declared))
    keys = open_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    run = _Run(reader)
    with open_input(file, "protect") as source, open_output(out) as write:
        for outcome in protect_records(run.records(source), keys, spec, workers=workers):
            run.write(outcome, write)
        run.report(out)
        run.raise_for_bad_lines()


def _reader(jsonl: bool, text_fields: str | None, keep_others: bool) -> LineReader:
    if not jsonl and (text_fields is not None or keep_others):
        raise InputError("only jsonl has fields", hint="for standard input, add --jsonl")
    if text_fields is None:
        if keep_others:
            raise InputError(
                "--keep-other-fields needs --text-fields",
                hint="without either, every string is protected",
            )
        return LineReader(jsonl=jsonl)
    names = split_names(text_fields, "--text-fields")
    return LineReader(jsonl=jsonl, names=names, keep_others=keep_others)


@dataclass
class _Run:
    """One pass over a file: the lines that wait for their outcome, and counts."""

    reader: LineReader
    counts: Counter[EntityType] = field(default_factory=Counter)
    done: int = 0
    unreadable: int = 0
    unprotected: int = 0
    _hint: str | None = None
    """That of the first line that cannot be read."""
    _waiting: deque[LineRecord] = field(default_factory=deque)

    def records(self, source: BinaryIO) -> Iterator[Record]:
        """Yield the records of the lines that can be read."""
        from sage_rag.privacy.batch import Record

        for line in self.reader.read(source):
            if isinstance(line, InputError):
                self.unreadable += 1
                self._hint = self._hint or line.hint
                self._report_line(line.message)
            else:
                self._waiting.append(line)
                yield Record(str(line.number), line.fields)

    def write(self, outcome: RecordOutcome, write: Write) -> None:
        """Write the line of the next outcome, or report why it cannot be protected."""
        line = self._waiting.popleft()
        if outcome.fields is None:
            self.unprotected += 1
            self._report_line(f"line {line.number}: {outcome.failure}")
            return
        self.done += 1
        self.counts.update(outcome.counts)
        write(line.with_fields(outcome.fields))

    def _report_line(self, message: str) -> None:
        if self.unreadable + self.unprotected <= _REPORTED:
            typer.echo(message, err=True)

    def report(self, out: Path | None) -> None:
        """Print the numbers of lines and of values by type on standard error."""
        bad = self.unreadable + self.unprotected
        if bad and out is not None:
            of = counted(self.done + bad, "line")
            typer.echo(f"`{out}` is not written: of {of}, {self.done} can be protected", err=True)
            return
        values = ", ".join(f"{name} {count}" for name, count in self.counts.most_common())
        found = f"; {values or 'no private value found'}" if self.done else ""
        typer.echo(f"protected {counted(self.done, 'line')}{found}", err=True)
        if self.reader.long_numbers:
            typer.echo(
                f"{self.reader.long_numbers} numbers of six or more digits are unchanged; "
                "write them as strings to have them protected",
                err=True,
            )

    def raise_for_bad_lines(self) -> None:
        """Raise an error if a line is missing from the output."""
        if self.unprotected:
            lines = counted(self.unprotected, "line")
            raise ProtectionError(f"{lines} could not be protected")
        if self.unreadable:
            lines = counted(self.unreadable, "line")
            raise InputError(f"{lines} could not be read", hint=self._hint)
