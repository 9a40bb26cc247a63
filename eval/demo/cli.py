"""`sage-rag demo`: index, serve, ask and attack once, on invented dialogues."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from sage_rag.eval.demo.comparison import ComparisonRow
    from sage_rag.eval.demo.conversation import QuestionTrace
    from sage_rag.eval.demo.folders import DemoFolders
    from sage_rag.indexer.pipeline import Summary
    from sage_rag.indexer.protocols import Embedder

_EXAMPLES = Path(str(files("sage_rag"))) / "examples"
QUESTIONS = (
    "What did Dr. Kulkarni tell Meera Iyer: does paracetamol prevent Kabir's fits?",
    "What did Dr. Oyelaran advise Tomasz Wieczorek about preventing his migraine?",
    "What helps against the pain of a dry socket?",
)


def demo(
    home: Annotated[
        Path, typer.Option(help="Folder of the demo; it replaces an earlier demo there.")
    ] = Path("home/demo"),
    examples: Annotated[Path, typer.Option(help="Folder with the invented corpus.")] = _EXAMPLES,
) -> None:
    """Make a keyset, index invented dialogues, serve, ask, attack, and show the results.

    Uses loopback only and stops its processes at the end. Takes under three minutes on two cores.

    Example: sage-rag demo --home /tmp/demo
    """
    from rich.console import Console

    from sage_rag.eval.demo.folders import prepare_folders
    from sage_rag.eval.demo.page import render
    from sage_rag.eval.demo.screen import published_share, show
    from sage_rag.indexer.embedding import embedder_called

    corpus, gold = examples / "clinic.jsonl", examples / "clinic_gold.jsonl"
    for file in (corpus, gold):
        if not file.exists():
            raise InputError(f"no example corpus at `{file}`", hint="give --examples FOLDER")
    notes = Console(stderr=True, highlight=False)
    folders, embedder = prepare_folders(home), embedder_called()
    summary = _index(folders, corpus, embedder, notes)
    notes.print("[bold]3[/] start server (no key) and edge (with the key); ask three questions")
    traces = _ask_questions(folders)
    notes.print("[bold]4[/] the same attack on both indexes")
    rows = _attack(folders, corpus, gold, embedder)
    report = folders.root / "report.html"
    report.write_text(render(traces, rows, _facts(summary)), "utf-8")
    share = published_share(summary.published, summary.documents)
    show(Console(), traces[0], rows, share, str(report))


def _index(folders: DemoFolders, corpus: Path, embedder: Embedder, notes: Console) -> Summary:
    """Build the protected index and, for comparison, a plain one."""
    from sage_rag.common.progress import progress_bars
    from sage_rag.eval.demo.folders import build_baseline, build_index, make_keyset

    notes.print("[bold]1[/] owner: make a keyset, and a synthetic, encrypted index of the corpus")
    keyset = make_keyset(folders)
    with progress_bars() as progress:
        summary = build_index(folders, corpus, keyset, embedder, progress)
    notes.print("[bold]2[/] the same corpus in clear, for comparison")
    with progress_bars() as progress:
        build_baseline(folders, corpus, embedder, progress)
    return summary


def _attack(
    folders: DemoFolders, corpus: Path, gold: Path, embedder: Embedder
) -> list[ComparisonRow]:
    from sage_rag.common.progress import progress_bars
    from sage_rag.eval.demo.comparison import compare
    from sage_rag.eval.demo.folders import CORPUS
    from sage_rag.indexer.versions import current_path

    with progress_bars() as progress:
        return compare(
            corpus,
            gold,
            current_path(folders.baseline, CORPUS),
            current_path(folders.server, CORPUS),
            embedder,
            partial(progress, "attack"),
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


def _ask_questions(folders: DemoFolders) -> list[QuestionTrace]:
    """Run server and edge as two processes and ask the questions."""
    from sage_rag.eval.demo.conversation import ask
    from sage_rag.eval.demo.folders import CORPUS
    from sage_rag.eval.demo.services import running

    logs = folders.root / "logs"
    serve = ["serve", "--home", str(folders.server), "--port", "0"]
    serve += ["--insecure-no-auth"]  # on loopback, for as long as the demo takes
    with running(serve, logs / "server.log") as server:
        server_url = server.wait()
        edge = ["edge", "--server", server_url, "--keyset", str(folders.keyset), "--port", "0"]
        edge += ["--passphrase-file", str(folders.passphrase)]
        with running(edge, logs / "edge.log") as protector:
            edge_url = protector.wait()
            return [ask(server_url, edge_url, CORPUS, question) for question in QUESTIONS]
