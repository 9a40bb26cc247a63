"""`sage-rag train tokenizer` and `sage-rag train cpt`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from sage_rag.training.pretraining.metrics import StepMeasurement


def tokenizer(
    texts: Annotated[list[Path], typer.Argument(help="Files .jsonl or .txt, or folders of these.")],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    size: Annotated[int | None, typer.Option(min=257, help="Number of tokens.")] = None,
    field: Annotated[str, typer.Option(help="Field of a JSON line that holds the text.")] = "text",
    codebook: Annotated[
        bool, typer.Option(help="Make each word of the texts' codebook tokens one token.")
    ] = False,
    extend: Annotated[
        Path | None,
        typer.Option(help="Instead: a model's tokenizer, to which --codebook adds the words."),
    ] = None,
) -> None:
    """Train a byte-level BPE tokenizer on texts, or add codebook words to that of a model.

    Example: sage-rag train tokenizer texts.jsonl --size 2048 --out tokenizer
    Example: sage-rag train tokenizer shards --extend models/NAME --codebook --out tokenizer
    """
    from sage_rag.training.pretraining.corpus import read_texts
    from sage_rag.training.pretraining.tokenizing import (
        add_words,
        codebook_words_of,
        load_tokenizer,
        save_tokenizer,
        train_tokenizer,
    )

    if (size is None) == (extend is None):
        raise InputError("set either --size or --extend", hint="train tokenizer --help")
    if extend is not None and not codebook:
        raise InputError("--extend adds the words of a codebook", hint="set --codebook, too")
    words = codebook_words_of(read_texts(texts, field)) if codebook else ()
    added = len(words)
    if extend is not None:
        made = load_tokenizer(extend)
        added = add_words(made, words)
    else:
        made = train_tokenizer(read_texts(texts, field), size or 0, words)
    save_tokenizer(made, out)
    typer.echo(f"a tokenizer of {len(made):,} tokens, {added:,} of the codebook, is in {out}")


def cpt(
    config: Annotated[Path | None, typer.Option(help="Settings, a TOML file.")] = None,
    example: Annotated[
        str | None, typer.Option(help="Print a configuration to start from, and exit: NAME or ?.")
    ] = None,
) -> None:
    """Continue the pretraining of a causal language model; a killed run continues where it was.

    On several GPUs: torchrun --nproc-per-node 8 --no-python sage-rag train cpt --config FILE

    Example: sage-rag train cpt --example tiny > tiny.toml
    Example: sage-rag train cpt --config tiny.toml
    """
    if (config is None) == (example is None):
        raise InputError("set either --config or --example", hint="see: sage-rag train cpt --help")
    if example is not None:
        print_example(example, "sage_rag.training.pretraining")
    elif config is not None:
        _run(config)


def print_example(name: str, package: str) -> None:
    """Print a configuration that a package ships.

    Raises:
        InputError: for a name that no configuration has.
    """
    from sage_rag.training.pretraining.config import shipped_configs

    configs = shipped_configs(package)
    if name not in configs:
        raise InputError(f"the examples are {', '.join(configs)}")
    typer.echo(configs[name], nl=False)


def _run(path: Path) -> None:
    from sage_rag.common.progress import progress_bars
    from sage_rag.training.pretraining.config import read_config
    from sage_rag.training.pretraining.loop import pretrain

    config = read_config(path)
    note = ""

    def show(done: int, steps: int, last: StepMeasurement) -> None:
        nonlocal note
        note = f"loss {last.loss:.4f}, {last.tokens_per_s:,.0f} tokens/s, MFU {last.mfu:.0%}"
        bar("train", done, steps)

    with progress_bars(lambda: note) as bar:
        exported = pretrain(config, progress=show)
    if os.environ.get("RANK", "0") == "0":
        typer.echo(f"the model is in {exported}; measurements are in {config.out}", err=True)
