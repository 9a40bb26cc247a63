"""`sage-rag protect`: replace the private values of a file, line by line."""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from sage_rag.common.exceptions import InputError, ProtectionError, SageRagError
from sage_rag.privacy.cli.lines import JsonLines, Line, TextLines, read_lines
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile, Recognizers
from sage_rag.privacy.cli.output import Write, whole_file
from sage_rag.privacy.cli.progress import ByteProgress, byte_bar

if TYPE_CHECKING:
    from sage_rag.privacy.batch import Record, RecordResult, Setup
    from sage_rag.privacy.entities import EntityType
    from sage_rag.privacy.keyset.keyset import Keyset

_REPORTED = 20
"""Bad lines that are told one by one; the rest is a number."""


def protect(
    file: Annotated[Path, typer.Argument(help="A txt or jsonl file, or - for standard input.")],
    corpus: Annotated[str, typer.Option(help="The corpus's name: tokens are bound to it.")],
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    policy: Annotated[str, typer.Option(help="A policy's name, or its TOML file.")] = "soe-all",
    recognizer: Recognizers = None,
    text_fields: Annotated[
        str | None, typer.Option(help="Only these fields of a jsonl record, e.g. question,answer.")
    ] = None,
    keep_other_fields: Annotated[
        bool,
        typer.Option("--keep-other-fields", help="Write the other fields too, in clear."),
    ] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read standard input as jsonl.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes to recognise with.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Where to write. Default: to the screen.")
    ] = None,
) -> None:
    """Replace the private values of a file by tokens and placeholders, line by line.

    In jsonl, all strings are protected, keys and numbers are kept. FILE as a whole is protected
    or there is no --out: a line that cannot be read or protected is named and ends in exit 2 or 4.

    Example: sage-rag protect notes.jsonl --corpus clinic --keyset clinic.keyset --out safe.jsonl
    """
    from sage_rag.privacy.batch import Setup
    from sage_rag.privacy.keyset.sources import open_keyset
    from sage_rag.privacy.policy import load_policy
    from sage_rag.privacy.recognizers.catalog import recognizer_of

    lines = _format(file, jsonl, text_fields, keep_other_fields)
    check_places(file, out)
    chosen = load_policy(policy)
    names = tuple(recognizer or ())
    build = partial(recognizer_of, names, thresholds=chosen.thresholds)
    setup = Setup(corpus, chosen, build)
    keys = open_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    run = _Run(lines)
    with opened(file) as source, byte_bar(file, "protect") as bar, whole_file(out) as write:
        run.protect(source, bar, keys, setup, workers, write)
        run.report()
        run.raise_for_bad_lines()


def _format(
    file: Path, jsonl: bool, text_fields: str | None, keep_others: bool
) -> TextLines | JsonLines:
    if not is_jsonl(file, jsonl):
        if text_fields is not None or keep_others:
            raise InputError("only jsonl has fields", hint="for standard input, add --jsonl")
        return TextLines()
    if text_fields is None:
        if keep_others:
            raise InputError(
                "--keep-other-fields needs --text-fields",
                hint="without either, every string is protected",
            )
        return JsonLines()
    names = tuple(name.strip() for name in text_fields.split(",") if name.strip())
    if not names or len(set(names)) < len(names):
        raise InputError("--text-fields needs different names separated by commas")
    return JsonLines(names, keep_others=keep_others)


@dataclass
class _Run:
    """One pass over a file: what is waiting for its outcome, and what has been counted."""

    lines: TextLines | JsonLines
    counts: Counter[EntityType] = field(default_factory=Counter)
    done: int = 0
    unreadable: int = 0
    unprotected: int = 0
    _waiting: deque[tuple[Line, Any, dict[str, str]]] = field(default_factory=deque)

    def protect(
        self,
        source: BinaryIO,
        bar: ByteProgress,
        keyset: Keyset,
        setup: Setup,
        workers: int,
        write: Write,
    ) -> None:
        """Write every line that can be protected, in order."""
        from sage_rag.privacy.batch import protect_records

        records = self._records(source, bar)
        for outcome in protect_records(records, keyset, setup, workers=workers):
            self._write(outcome, write)

    def _records(self, source: BinaryIO, bar: ByteProgress) -> Iterator[Record]:
        from sage_rag.privacy.batch import Record

        for line in read_lines(source):
            try:
                if isinstance(line, InputError):
                    raise line
                kept, fields = self.lines.fields(line)
            except InputError as error:
                self.unreadable += 1
                self._tell(error.message)
                continue
            bar.advance(source)
            self._waiting.append((line, kept, fields))
            yield Record(str(line.number), fields)

    def _write(self, outcome: RecordResult, write: Write) -> None:
        line, kept, _ = self._waiting.popleft()
        if outcome.fields is None:
            self.unprotected += 1
            self._tell(f"line {line.number}: {outcome.failure}")
            return
        self.done += 1
        self.counts.update(outcome.counts)
        write(self.lines.line(line, kept, outcome.fields))

    def _tell(self, message: str) -> None:
        if self.unreadable + self.unprotected <= _REPORTED:
            typer.echo(message, err=True)

    def report(self) -> None:
        """Print how many lines and values there were, by type, on standard error."""
        values = ", ".join(f"{name} {count}" for name, count in self.counts.most_common())
        lines = "1 line" if self.done == 1 else f"{self.done} lines"
        typer.echo(f"protected {lines}; {values or 'no private value found'}", err=True)
        if isinstance(self.lines, JsonLines) and self.lines.long_numbers:
            typer.echo(
                f"kept {self.lines.long_numbers} numbers of six or more digits as they are; "
                "write them as strings to have them protected",
                err=True,
            )

    def raise_for_bad_lines(self) -> None:
        """Fail if a line is missing from what was written."""
        if self.unprotected:
            raise ProtectionError(f"{self.unprotected} lines could not be protected")
        if self.unreadable:
            raise InputError(f"{self.unreadable} lines could not be read")


def is_jsonl(file: Path, asked: bool) -> bool:
    """Return whether a file is read as jsonl: by its ending, or for standard input if asked.

    Raises:
        InputError: for any other ending than jsonl, txt and md.
    """
    if file == Path("-"):
        return asked
    ending = file.suffix.lower()
    if ending not in (".jsonl", ".txt", ".md") or (asked and ending != ".jsonl"):
        raise InputError(f"cannot read `{file}` as asked", hint="it takes jsonl, txt or md")
    return ending == ".jsonl"


def check_places(file: Path, out: Path | None) -> None:
    """Refuse to write over what is being read.

    Raises:
        InputError: when the two are one file.
    """
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise InputError("--out is the file that is read", hint="name another file")


@contextmanager
def opened(file: Path) -> Iterator[BinaryIO]:
    """Yield a file, or standard input for `-`, and turn its failures into ours.

    Raises:
        InputError: when it cannot be read.
    """
    try:
        if file == Path("-"):
            yield sys.stdin.buffer
        else:
            with file.open("rb") as source:
                yield source
    except BrokenPipeError:
        # Whoever read our output has enough; Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None
    except OSError as error:
        raise InputError(f"cannot read `{file}`: {error.strerror}") from None
    except SageRagError:
        raise
