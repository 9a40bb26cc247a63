"""`sage-rag train cipher`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.training.cli.pretraining import print_example

if TYPE_CHECKING:
    from sage_rag.training.pretraining.metrics import StepMeasurement

_PACKAGE = "sage_rag.training.cipher_pretraining"


def cipher(
    config: Annotated[Path | None, typer.Option(help="Settings, a TOML file.")] = None,
    example: Annotated[
        str | None, typer.Option(help="Print a configuration to start from, and exit: NAME or ?.")
    ] = None,
) -> None:
    """Pretrain a model on ciphertext, then on plain text; a killed run continues where it was.

    The cipher is no encryption: anyone who has the ciphertext can read it without the key.

    Example: sage-rag train cipher --example crypto_llm_3m > recipe.toml
    Example: sage-rag train cipher --config recipe.toml
    """
    if (config is None) == (example is None):
        raise InputError(
            "set either --config or --example", hint="see: sage-rag train cipher --help"
        )
    if example is not None:
        print_example(example, _PACKAGE)
    elif config is not None:
        _run(config)


def _run(path: Path) -> None:
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.cipher_pretraining.config import CipherPretrainingConfig
    from sage_rag.training.cipher_pretraining.run import pretrain_in_two_stages
    from sage_rag.training.pretraining.config import read_settings

    config = read_settings(path, CipherPretrainingConfig)
    note = ""

    def show(stage: str, done: int, steps: int, last: StepMeasurement) -> None:
        nonlocal note
        note = f"loss {last.loss:.4f}, {last.tokens_per_s:,.0f} tokens/s, MFU {last.mfu:.0%}"
        bar(stage, done, steps)

    with progress_bars(lambda: note) as bar:
        exported = pretrain_in_two_stages(config, progress=show)
    if os.environ.get("RANK", "0") == "0":
        typer.echo(f"the model is in {exported}; its stages are in {config.out}", err=True)
