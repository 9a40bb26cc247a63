"""`sage-rag attack-model`: measure what a model gives away of its training text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError
from sage_rag.eval.printing import print_figures

if TYPE_CHECKING:
    from sage_rag.eval.knowledge.backends.causal import CausalModel
    from sage_rag.eval.model_attacks.attack import AttackName, AttackTexts


def attack_checkpoint(
    training_text: Annotated[
        list[Path],
        typer.Option(help="Plain text that the model was trained on, before any encryption."),
    ],
    held_out: Annotated[
        list[Path], typer.Option(help="Text of the same kind that the model has not read.")
    ],
    checkpoint: Annotated[
        Path | None,
        typer.Argument(help="Folder of the exported model; --attack keys alone needs none."),
    ] = None,
    canaries: Annotated[
        Path | None, typer.Option(help="jsonl of the planted records, as a study writes it.")
    ] = None,
    attack: Annotated[
        list[str] | None,
        typer.Option(help="names, prefix, extraction, membership, keys. Default: all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal figures.")] = 0,
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of each group.")] = 100,
    candidates: Annotated[int, typer.Option(min=2, help="Candidate names of a sentence.")] = 1000,
    samples: Annotated[int, typer.Option(min=1, help="Continuations of each sentence.")] = 100,
    prompts: Annotated[int, typer.Option(min=1, help="Prompts of each group.")] = 100,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures as JSON; - for stdout.")
    ] = None,
) -> None:
    """Attack a model: what does it give away of the texts that it was trained on?

    names: which of 1,000 names is likeliest in a sentence. prefix: sentences continued from their
    names. extraction: runs of 35 words of the training text in outputs. membership: does the loss
    show what was read. keys: how much text breaks the polyalphabetic cipher (asks no model).

    Example: sage-rag attack-model run/model --training-text novels.jsonl --held-out others.jsonl
    """
    from sage_rag.eval.model_attacks.attack import AttackSettings, attack_model
    from sage_rag.eval.model_attacks.report import tables
    from sage_rag.privacy.recognizers.default import default_recognizer

    attacks = _chosen(attack)
    model = _model(checkpoint, attacks)
    texts = _texts(training_text, held_out, canaries)
    settings = AttackSettings(
        attacks=attacks if attack else _possible(attacks, texts),
        seed=seed,
        sentences=sentences,
        candidates=candidates,
        samples=samples,
        prompts=prompts,
    )
    report = attack_model(
        checkpoint.name if checkpoint else "",
        model,
        texts,
        settings,
        default_recognizer(),
        lambda step: typer.echo(step, err=True),
    )
    print_figures(report, tables(report), json_file)


def _model(checkpoint: Path | None, attacks: tuple[AttackName, ...]) -> CausalModel | None:
    from sage_rag.eval.knowledge.backends.causal import CausalModel
    from sage_rag.eval.model_attacks.attack import AttackName

    if checkpoint is not None:
        return CausalModel.open(checkpoint)
    if attacks != (AttackName.KEYS,):
        raise InputError("no model is named", hint="only `--attack keys` alone needs none")
    return None


def _chosen(names: list[str] | None) -> tuple[AttackName, ...]:
    from sage_rag.eval.model_attacks.attack import AttackName

    known = tuple(AttackName)
    unknown = next((name for name in names or () if name not in known), None)
    if unknown is not None:
        raise InputError(f"there is no attack `{unknown}`", hint=f"one of: {', '.join(known)}")
    return tuple(AttackName(name) for name in names) if names else known


def _possible(attacks: tuple[AttackName, ...], texts: AttackTexts) -> tuple[AttackName, ...]:
    """Leave out, and say, what texts of this length do not allow."""
    from sage_rag.eval.model_attacks.attack import AttackName
    from sage_rag.eval.model_attacks.key_recovery import too_short

    if not (reason := too_short(texts.training)):
        return attacks
    typer.echo(f"left out: {reason}", err=True)
    return tuple(attack for attack in attacks if attack is not AttackName.KEYS)


def _texts(training: list[Path], held_out: list[Path], canaries: Path | None) -> AttackTexts:
    from sage_rag.eval.model_attacks.attack import AttackTexts
    from sage_rag.eval.model_attacks.canaries import read_canaries
    from sage_rag.training.pretraining.corpus import read_texts

    return AttackTexts(
        training=list(read_texts(training)),
        held_out=list(read_texts(held_out)),
        canaries=read_canaries(canaries) if canaries else (),
    )
