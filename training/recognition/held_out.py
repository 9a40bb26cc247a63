"""Write the held-out texts of the public sets, to measure any recognizer on them.

    python -m sage_rag.training.recognition.held_out DATA OUT

writes one file per set, with the set's own labels, for
`python -m sage_rag.eval.studies recognition`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.scores import GoldText
from sage_rag.training.recognition.datasets import joined_documents, load
from sage_rag.training.recognition.documents import Split
from sage_rag.training.recognition.sets import SETS


def write_held_out(data: Path, out: Path) -> dict[str, int]:
    """Write `OUT/SET.jsonl` for every set with held-out texts; return the number of texts per file.

    Sets of sentences are also written as whole documents, to `OUT/SET_documents.jsonl`.

    Raises:
        InputError: for a set that is missing or damaged.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = {}
    for name in SETS:
        texts = [text for text in load(name, data) if text.split is Split.HELD_OUT]
        for file, some in ((name, texts), (f"{name}_documents", joined_documents(name, texts))):
            lines = [json.dumps(_row(text.gold), ensure_ascii=False) + "\n" for text in some]
            if lines:
                (out / f"{file}.jsonl").write_text("".join(lines), "utf-8")
                written[file] = len(lines)
    return written


def _row(gold: GoldText) -> dict[str, object]:
    spans = [
        {
            "start": value.start,
            "end": value.end,
            "label": value.label,
            **({"identifier_type": value.risk} if value.risk else {}),
            **({"entity_id": value.entity} if value.entity else {}),
        }
        for value in gold.values
    ]
    annotated = {"annotated": sorted(gold.annotated)} if gold.annotated else {}
    return {"text": gold.text, "spans": spans, "unsure": gold.unsure, **annotated}


def main(arguments: Sequence[str]) -> int:
    """Write the files and print the number of texts in each."""
    if len(arguments) != 2:
        typer.echo("usage: python -m sage_rag.training.recognition.held_out DATA OUT", err=True)
        return 2
    try:
        written = write_held_out(Path(arguments[0]), Path(arguments[1]))
    except InputError as error:
        typer.echo(f"error: {error.message}", err=True)
        return error.exit_code
    typer.echo(json.dumps(written))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
