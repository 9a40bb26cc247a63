"""`sage-rag restore`: turn the tokens of a file back into plain values, line by line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.cli.lines import JsonLines, TextLines, read_lines
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile
from sage_rag.privacy.cli.output import whole_file
from sage_rag.privacy.cli.progress import byte_bar
from sage_rag.privacy.cli.protect import check_places, is_jsonl, opened
from sage_rag.privacy.exceptions import KeysetError


def restore(
    file: Annotated[Path, typer.Argument(help="A protected txt or jsonl file, or - for input.")],
    corpus: Annotated[str, typer.Option(help="The corpus's name, as when it was protected.")],
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read standard input as jsonl.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Where to write. Default: to the screen.")
    ] = None,
) -> None:
    """Turn the tokens of a file back into plain values, with the keys at hand.

    A token that these keys do not open stays visible as unreadable. The output is private: a
    file is readable by its owner only.

    Example: sage-rag restore safe.jsonl --corpus clinic --keyset clinic.keyset --out plain.jsonl
    """
    from sage_rag.privacy.ciphers.default import default_cipher
    from sage_rag.privacy.inspection import Condition
    from sage_rag.privacy.keyset.sources import open_keyset
    from sage_rag.privacy.restore import Restorer

    lines = JsonLines() if is_jsonl(file, jsonl) else TextLines()
    check_places(file, out)
    keys = open_keyset(keyset, passphrase_file, secret_file=keyset_secret)
    found: Counter[Condition] = Counter()
    restorer = Restorer(default_cipher(keys, corpus), lambda condition: found.update([condition]))
    with opened(file) as source, byte_bar(file, "restore") as bar, whole_file(out) as write:
        for line in read_lines(source):
            if isinstance(line, InputError):
                raise line
            kept, fields = lines.fields(line)
            plain = {name: restorer.restore(text) for name, text in fields.items()}
            write(lines.line(line, kept, plain))
            bar.advance(source)
        if found and not found[Condition.VALID] + found[Condition.REPAIRED]:
            raise KeysetError(
                f"none of the {found.total()} tokens opens with these keys",
                hint="--corpus and the keys must be those it was protected with",
            )
    counted = ", ".join(f"{count} {condition}" for condition, count in sorted(found.items()))
    typer.echo(f"tokens: {counted or 'none'}", err=True)
