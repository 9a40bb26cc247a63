"""`sage-rag restore`: turn the tokens of a file back into plain values, line by line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.cli.files import check_paths, is_jsonl, open_input, open_output
from sage_rag.privacy.cli.lines import LineReader
from sage_rag.privacy.cli.options import Jsonl, KeysetFile, KeysetSecret, Out, PassphraseFile
from sage_rag.privacy.exceptions import KeysetError


def restore(
    file: Annotated[Path, typer.Argument(help="A protected jsonl, txt or md file, or -.")],
    corpus: Annotated[str, typer.Option(help="The corpus's name, as when it was protected.")],
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    jsonl: Jsonl = False,
    out: Out = None,
) -> None:
    """Turn the tokens of a file back into plain values, with the keys that you have.

    A token that these keys do not open stays in the text as unreadable. The output is private:
    only its owner can read the file.

    Example: sage-rag restore safe.jsonl --corpus clinic --keyset clinic.keyset --out plain.jsonl
    """
    from sage_rag.privacy.ciphers.default import default_cipher
    from sage_rag.privacy.inspection import Condition
    from sage_rag.privacy.keyset.sources import open_keyset
    from sage_rag.privacy.restore import Restorer

    reader = LineReader(jsonl=is_jsonl(file, jsonl))
    check_paths(file, out)
    keys = open_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    counts: Counter[Condition] = Counter()
    cipher = default_cipher(keys, corpus)
    restorer = Restorer(cipher, lambda found: counts.update([found.condition]))
    with open_input(file, "restore") as source, open_output(out) as write:
        for record in reader.read(source):
            if isinstance(record, InputError):
                raise record
            write(record.with_fields({n: restorer.restore(t) for n, t in record.fields.items()}))
        if counts and not counts[Condition.VALID] + counts[Condition.REPAIRED]:
            raise KeysetError(
                f"none of the {counts.total()} tokens opens with these keys",
                hint="give the --corpus and the keys that protected the file",
            )
    summary = ", ".join(f"{count} {condition}" for condition, count in sorted(counts.items()))
    typer.echo(f"tokens: {summary or 'none'}", err=True)
