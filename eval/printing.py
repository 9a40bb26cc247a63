"""What a command that measures prints: a table, JSON in a file, or JSON instead of the table."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from pydantic import BaseModel

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file

STDOUT = Path("-")


def print_figures(figures: BaseModel, table: str, json_file: Path | None) -> None:
    """Print the table, then write the figures as JSON; `-` prints the JSON alone.

    The table comes first: it took long to measure, and a file may not be writable.

    Raises:
        InputError: when the file cannot be written.
    """
    written = figures.model_dump_json(indent=1) + "\n"
    if json_file == STDOUT:
        sys.stdout.write(written)
        return
    typer.echo(table)
    if json_file is not None:
        try:
            write_file(json_file, written)
        except OSError as error:
            raise InputError(
                f"cannot write `{json_file}`: {error.strerror}",
                hint="the table has the figures; for JSON, name a file in a folder of yours",
            ) from None
