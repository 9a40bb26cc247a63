"""`sage-rag demo`: the whole way once, on invented dialogues."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from sage_rag.eval.demo.comparison import Row
    from sage_rag.eval.demo.conversation import Scene
    from sage_rag.eval.demo.stage import Stage
    from sage_rag.indexer.pipeline import Summary
    from sage_rag.indexer.protocols import Embedder

_EXAMPLES = Path(str(files("sage_rag"))) / "examples"
QUESTIONS = (
    "Which tests is Dr. Feldstein doing at Otterbend Allergy on October 24th, and for which child?",
    "What did Dr. Oyelaran advise Tomasz Wieczorek about preventing his migraine?",
    "What should parents do if a toddler has another fit during a fever?",
)


def demo(
    home: Annotated[
        Path, typer.Option(help="Where the demo works; an earlier demo there is replaced.")
    ] = Path("home/demo"),
    examples: Annotated[Path, typer.Option(help="Folder with the invented corpus.")] = _EXAMPLES,
) -> None:
    """Make a keyset, index invented dialogues, serve, ask, attack, and show what happened.

    Works on loopback only and stops its processes at the end. Under three minutes on two cores.

    Example: sage-rag demo --home /tmp/demo
    """
    from rich.console import Console

    from sage_rag.eval.demo.page import render
    from sage_rag.eval.demo.screen import show
    from sage_rag.eval.demo.stage import set_stage
    from sage_rag.indexer.embedding import SentenceTransformerEmbedder

    corpus, gold = examples / "clinic.jsonl", examples / "clinic_gold.jsonl"
    for file in (corpus, gold):
        if not file.exists():
            raise InputError(f"no example corpus at `{file}`", hint="give --examples FOLDER")
    notes = Console(stderr=True, highlight=False)
    stage, embedder = set_stage(home), SentenceTransformerEmbedder()
    summary = _index(stage, corpus, embedder, notes)
    notes.print("[bold]3[/] server (no key) and edge (the key) start; three questions")
    scenes = _converse(stage)
    notes.print("[bold]4[/] the same attack on both indexes")
    rows = _attack(stage, corpus, gold, embedder)
    report = stage.root / "report.html"
    report.write_text(render(scenes, rows, _facts(summary)), "utf-8")
    show(Console(), scenes[0], rows, str(report))


def _index(stage: Stage, corpus: Path, embedder: Embedder, notes: Console) -> Summary:
    """Build the protected index and, to compare with, a plain one."""
    from sage_rag.eval.demo.stage import build_baseline, build_index, make_keyset
    from sage_rag.indexer.progress import progress_bars

    notes.print("[bold]1[/] owner: a keyset, and the corpus becomes a synthetic, encrypted index")
    keyset = make_keyset(stage)
    with progress_bars() as progress:
        summary = build_index(stage, corpus, keyset, embedder, progress)
    notes.print("[bold]2[/] the same corpus in clear, to compare with")
    with progress_bars() as progress:
        build_baseline(stage, corpus, embedder, progress)
    return summary


def _attack(stage: Stage, corpus: Path, gold: Path, embedder: Embedder) -> list[Row]:
    from sage_rag.eval.demo.comparison import compare
    from sage_rag.eval.demo.stage import CORPUS
    from sage_rag.indexer.progress import progress_bars
    from sage_rag.indexer.versions import current_path

    with progress_bars() as progress:
        return compare(
            corpus,
            gold,
            current_path(stage.baseline, CORPUS),
            current_path(stage.server, CORPUS),
            embedder,
            lambda done, total: progress("attack", done, total),
        )


def _facts(summary: Summary) -> dict[str, object]:
    from sage_rag.eval.demo.comparison import TOP_K
    from sage_rag.eval.probes.composite import builtin_probes

    return {
        "documents": summary.documents,
        "published": summary.published,
        "quarantined": summary.quarantined,
        "seconds": round(summary.seconds, 1),
        "prompts": len(builtin_probes()),
        "top_k": TOP_K,
        "software": version("sage-rag"),
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _converse(stage: Stage) -> list[Scene]:
    """Run server and edge as two processes and ask the questions."""
    from sage_rag.eval.demo.conversation import ask
    from sage_rag.eval.demo.services import running
    from sage_rag.eval.demo.stage import CORPUS

    logs = stage.root / "logs"
    serve = ["serve", "--home", str(stage.server), "--port", "0"]
    with running(serve, logs / "server.log") as server:
        server_url = server.wait()
        edge = ["edge", "--server", server_url, "--keyset", str(stage.keyset), "--port", "0"]
        edge += ["--passphrase-file", str(stage.passphrase)]
        with running(edge, logs / "edge.log") as protector:
            edge_url = protector.wait()
            return [ask(server_url, edge_url, CORPUS, question) for question in QUESTIONS]
