"""`sage-rag eval`: measure a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.eval.knowledge.arms import MAIN_ARMS, QuestionSpelling
from sage_rag.eval.language_tasks.cli import tasks
from sage_rag.eval.printing import print_figures
from sage_rag.eval.reading.cli import reader
from sage_rag.eval.synthetic_text.cli import text
from sage_rag.privacy.cli.options import KeysetFile, KeysetSecret, PassphraseFile

if TYPE_CHECKING:
    from sage_rag.privacy.protocols import EntityCipher

evaluation = typer.Typer(help="Measure a model, synthetic text, or a reader.", no_args_is_help=True)
evaluation.command(no_args_is_help=True)(text)
evaluation.command(no_args_is_help=True)(tasks)
evaluation.command(no_args_is_help=True)(reader)


@evaluation.callback()
def _root() -> None:
    """Measure a model, synthetic text, or a reader."""


@evaluation.command(no_args_is_help=True)
def cpt(
    checkpoint: Annotated[Path, typer.Argument(help="Folder of the exported model.")],
    questions: Annotated[
        Path | None, typer.Option(help="Questions in plain words, as the study soe writes them.")
    ] = None,
    encrypted: Annotated[
        Path | None, typer.Option(help="The same questions, encrypted like the training texts.")
    ] = None,
    base: Annotated[
        Path | None, typer.Option(help="Folder of the model before the training.")
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option(help="Row of Table 3: orig, encO, synt, encS, encS-PL."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=0, help="Generated answers for each form of a question; 0: none.")
    ] = 1,
    synthesis: Annotated[
        Path | None,
        typer.Option(help="Folder of synthesize, to count what became of its ciphertexts."),
    ] = None,
    keyset: KeysetFile = None,
    passphrase_file: PassphraseFile = None,
    keyset_secret: KeysetSecret = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for stdout.")
    ] = None,
) -> None:
    """Measure what a model learned in continual pretraining, next to the paper's Table 3.

    Each row is one model and one spelling of the questions. An encrypted arm that is also asked in
    plain words (noEncQ) should answer no better than the base.

    With --synthesis and a keyset, the ciphertexts in answers to encrypted questions are counted as
    correct, repaired, another person's (FCAOA) or not decodable (FCND).

    Example: sage-rag eval cpt run/model --arm encS --encrypted all.jsonl --questions plain.jsonl
    """
    from sage_rag.eval.knowledge.checkpoints import measure_checkpoint
    from sage_rag.eval.knowledge.questions import read_questions

    chosen = next((known for known in MAIN_ARMS if known.name == arm), None)
    if arm is not None and chosen is None:
        names = ", ".join(known.name for known in MAIN_ARMS)
        raise InputError(f"`--arm {arm}` is not a row of the table", hint=f"one of: {names}")
    files = {QuestionSpelling.PLAIN: questions, QuestionSpelling.ENCRYPTED: encrypted}
    asked = {spelling: read_questions(file) for spelling, file in files.items() if file}
    if not asked:
        raise InputError("no questions are named", hint="set --questions, --encrypted, or both")
    secrets = (keyset, passphrase_file, keyset_secret)
    with _cipher(synthesis, *secrets, counted=bool(samples and encrypted)) as cipher:
        report = measure_checkpoint(
            checkpoint, asked, base=base, arm=chosen, samples=samples, cipher=cipher
        )
    print_figures(report, str(report), json_file)


@contextmanager
def _cipher(
    synthesis: Path | None,
    keyset: Path | None,
    passphrase_file: Path | None,
    secret: Path | None,
    *,
    counted: bool,
) -> Iterator[EntityCipher | None]:
    from sage_rag.privacy.keyset.sources import open_whole_keyset
    from sage_rag.training.synthesis.wiring import cipher_of

    if synthesis is None:
        if keyset is not None or secret is not None:
            raise InputError("a keyset needs the texts of training", hint="--synthesis FOLDER")
        yield None
        return
    if not counted:
        raise InputError(
            "ciphertexts are counted in generated answers to encrypted questions",
            hint="set --encrypted, and --samples 1 or more",
        )
    with cipher_of(
        synthesis, open_whole_keyset(keyset, passphrase_file, secret_file=secret)
    ) as own:
        yield own
