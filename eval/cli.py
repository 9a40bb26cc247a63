"""`sage-rag attack`: measure how much of a corpus a target leaks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.counting import counted
from sage_rag.common.exceptions import InputError, ProtectionError, UpstreamError

if TYPE_CHECKING:
    from rich.console import Console

    from sage_rag.eval.attack import Attack
    from sage_rag.eval.probes.probe import Probe
    from sage_rag.eval.report import AttackReport
    from sage_rag.eval.targets.backends.openai_url import UrlTarget
    from sage_rag.eval.targets.version import VersionTarget

_TOP_K = 5
_TABLE_WIDTH = 160
"""Columns of a table outside a terminal."""

TopK = Annotated[
    int | None, typer.Option(min=1, help="Passages per prompt, of a folder. Default: 5.")
]


def attack(
    target: Annotated[str, typer.Argument(help="http(s) URL, or folder of a version or corpus.")],
    originals: Annotated[Path, typer.Option(help="The corpus in plain text: jsonl, txt, md.")],
    text_fields: Annotated[
        str | None, typer.Option(help="Fields of a jsonl record, such as question,answer.")
    ] = None,
    prompts: Annotated[
        list[Path] | None,
        typer.Option(help="jsonl with `prompt`, and `kind`, `target`. Default: 80 built in."),
    ] = None,
    top_k: TopK = None,
    layer: Annotated[str | None, typer.Option(help="The one layer to attack, of a folder.")] = None,
    model: Annotated[str | None, typer.Option(help="Model to ask, of a URL.")] = None,
    api_key: Annotated[
        str,
        typer.Option(
            envvar="SAGE_RAG_ATTACK_API_KEY", help="Key to send, of a URL.", show_default=False
        ),
    ] = "none",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Send only N prompts, evenly from all.")
    ] = None,
    canaries: Annotated[
        Path | None, typer.Option(help="Values to search: one per line, or jsonl with `text`.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the report as JSON; - for stdout.")
    ] = None,
    compat: Annotated[
        bool, typer.Option("--compat", help="Also show the measures of the paper's code.")
    ] = False,
    show_leaks: Annotated[
        bool, typer.Option("--show-leaks", help="PRINTS PRIVATE TEXT: show the leaks.")
    ] = False,
    fail_on_leak: Annotated[
        bool, typer.Option("--fail-on-leak", help="Exit with 4 on a leak, 5 if a prompt fails.")
    ] = False,
) -> None:
    """Attack an index or a server with extraction prompts and count what of ORIGINALS leaks.

    For a folder it is the worst case: every retrieved passage counts as shown, without a model.
    `--layer consensus`: what a client without a key can get of a version with both layers.

    Example: sage-rag attack home/corpora/clinic --originals clinic.jsonl --compat
    """
    from rich.console import Console

    from sage_rag.eval.probes.composite import builtin_probes
    from sage_rag.eval.probes.files import read_probes

    notes = Console(stderr=True)
    _check_options(target, {"--top-k": top_k, "--layer": layer}, {"--model": model})
    probes = _spread(read_probes(prompts) if prompts else builtin_probes(), limit)
    plan = _plan(probes, originals, text_fields, canaries, notes, show_leaks=show_leaks)
    notes.print(f"{len(probes)} prompts, {plan.originals} originals")
    with closing(_open(target, probes, top_k or _TOP_K, layer, model, api_key)) as opened:
        report = _run(plan, opened, probes, top_k or _TOP_K, notes)
    _print(report, json_file, compat=compat)
    if fail_on_leak:
        _require_no_leak(report)


def _require_no_leak(report: AttackReport) -> None:
    """Raise an error if anything leaked, or if a prompt that failed could have shown a leak."""
    if report.leaked:
        raise ProtectionError(f"private text leaks from {report.target}")
    if failed := sum(group.failed for group in report.groups):
        total = sum(group.attempts for group in report.groups)
        message = f"{failed} of {total} prompts failed, so a leak is not ruled out"
        raise UpstreamError(message, hint="run the attack again, or leave these prompts out")


def _is_url(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _check_options(
    target: str, of_folder: Mapping[str, object], of_url: Mapping[str, object]
) -> None:
    """Raise an error for an option that the kind of target would ignore."""
    url = _is_url(target)
    given = (name for name, value in (of_folder if url else of_url).items() if value is not None)
    if unused := next(given, None):
        why = "is for a folder: the server decides what it searches" if url else "is for a URL"
        raise InputError(f"`{unused}` {why}", hint=f"leave out {unused}")


def _plan(
    probes: list[Probe],
    originals: Path,
    text_fields: str | None,
    canaries: Path | None,
    notes: Console,
    *,
    show_leaks: bool,
) -> Attack:
    from sage_rag.eval.attack import Attack
    from sage_rag.eval.detectors.canaries import CanaryDetector, read_canaries
    from sage_rag.eval.detectors.suite import compat_detectors, contact_recognizer, detectors
    from sage_rag.eval.originals import read_originals

    texts = read_originals(originals, _fields(text_fields))
    contacts = contact_recognizer()
    planted = read_canaries(canaries) if canaries else None
    judges = [*detectors(texts, contacts, planted), *compat_detectors(texts, contacts)]
    skipped = sum(judge.skipped for judge in judges if isinstance(judge, CanaryDetector))
    if skipped:
        verb = "is" if skipped == 1 else "are"
        said = counted(skipped, "canary", "canaries")
        notes.print(f"warning: {said} {verb} too short to search for, and left out")
    return Attack(probes, judges, originals=len(texts), show_leaks=show_leaks)


def _spread(probes: list[Probe], limit: int | None) -> list[Probe]:
    """Return `limit` probes, evenly from all: files and kinds follow one another."""
    if limit is None or limit >= len(probes):
        return probes
    return [probes[i * len(probes) // limit] for i in range(limit)]


def _fields(text_fields: str | None) -> list[str] | None:
    if text_fields is None:
        return None
    return [name.strip() for name in text_fields.split(",") if name.strip()]


def _open(
    target: str,
    probes: list[Probe],
    top_k: int,
    layer: str | None,
    model: str | None,
    api_key: str,
) -> VersionTarget | UrlTarget:
    from sage_rag.eval.targets.backends.openai_url import UrlTarget
    from sage_rag.eval.targets.version import VersionTarget
    from sage_rag.indexer.embedding import CachedEmbedder, embedder_called
    from sage_rag.indexer.passages import layer_called
    from sage_rag.indexer.versions import read_manifest, version_path
    from sage_rag.privacy.tokens import readable_view

    if _is_url(target):
        return UrlTarget(target, model, api_key=api_key)
    only = layer_called(layer) if layer is not None else None
    path = version_path(Path(target))
    embedder = CachedEmbedder(embedder_called(read_manifest(path).embedder))
    embedder.embed([readable_view(probe.prompt) for probe in probes])  # faster than one by one
    return VersionTarget(path, embedder, top_k, only)


def _run(
    plan: Attack,
    target: VersionTarget | UrlTarget,
    probes: list[Probe],
    top_k: int,
    notes: Console,
) -> AttackReport:
    from sage_rag.common.progress import progress_bars

    with progress_bars() as progress:
        report = plan.run(target, top_k=top_k, progress=partial(progress, "attack"))
    if failed := sum(group.failed for group in report.groups):
        notes.print(f"warning: {failed} of {len(probes)} prompts failed and are not counted")
    return report


def _print(report: AttackReport, json_file: Path | None, *, compat: bool) -> None:
    from rich.console import Console

    from sage_rag.eval.printing import print_figures
    from sage_rag.eval.report import excerpts, table

    console = Console(width=None if sys.stdout.isatty() else _TABLE_WIDTH)
    with console.capture() as shown:
        console.print(table(report, compat=compat))
        for line in excerpts(report, compat=compat):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    print_figures(report, shown.get().rstrip("\n"), json_file)
