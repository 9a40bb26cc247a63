"""`sage-rag train`: train models on the owner's machine."""

from __future__ import annotations

import typer

from sage_rag.training.cli.cipher_pretraining import cipher
from sage_rag.training.cli.prefix import prefix
from sage_rag.training.cli.pretraining import cpt, tokenizer
from sage_rag.training.cli.reader import reader
from sage_rag.training.cli.tagger import tagger

train = typer.Typer(help="Train models on the owner's machine.", no_args_is_help=True)
for _verb in (tagger, reader, tokenizer, cpt, cipher, prefix):
    train.command(no_args_is_help=True)(_verb)


@train.callback()
def _root() -> None:
    """Train models on the owner's machine."""
