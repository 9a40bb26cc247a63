"""The demo's stage: its folders, its keyset, its two indexes."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.pipeline import IndexJob, Progress, Summary, index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.publishing import hand_over
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.files import read_keyset, write_keyset
from sage_rag.privacy.keyset.keyset import Keyset

CORPUS = "clinic"
_MARK = ".sage-rag-demo"


@dataclass(frozen=True, slots=True)
class Stage:
    """Three zones in one folder: owner, server and edge, and a baseline to compare with."""

    root: Path

    @property
    def owner(self) -> Path:
        """The owner's home: ledger and versions."""
        return self.root / "owner"

    @property
    def server(self) -> Path:
        """The server's home: the version that was handed over, nothing else."""
        return self.root / "server"

    @property
    def baseline(self) -> Path:
        """A home for the unprotected index."""
        return self.root / "baseline"

    @property
    def keyset(self) -> Path:
        """The sealed keyset, on the edge's side."""
        return self.root / "edge" / "clinic.keyset"

    @property
    def passphrase(self) -> Path:
        """The file with its passphrase."""
        return self.root / "edge" / "passphrase"


def set_stage(root: Path) -> Stage:
    """Clear what an earlier demo left, and nothing else.

    Raises:
        InputError: when the folder holds something that no demo made.
    """
    if root.exists() and any(root.iterdir()):
        if not (root / _MARK).exists():
            raise InputError(
                f"`{root}` is not empty and not a demo's", hint="choose another --home"
            )
        shutil.rmtree(root)
    root.mkdir(parents=True, exist_ok=True)
    (root / _MARK).touch()
    return Stage(root)


def make_keyset(stage: Stage) -> Keyset:
    """Make a keyset under a random passphrase, kept beside it for the demo's edge."""
    passphrase = secrets.token_urlsafe(24)
    write_keyset(stage.keyset, Keyset.generate(), passphrase)
    stage.passphrase.touch(mode=0o600)
    stage.passphrase.write_text(passphrase + "\n", "utf-8")
    return read_keyset(stage.keyset, passphrase)


def build_index(
    stage: Stage, corpus: Path, keyset: Keyset, embedder: Embedder, progress: Progress
) -> Summary:
    """Index the corpus as the owner would, and hand the version to the server."""
    summary = asyncio.run(
        index_corpus(_job(stage.owner, corpus, "sage", keyset, embedder), progress)
    )
    hand_over(stage.owner, CORPUS, stage.server)
    return summary


def build_baseline(stage: Stage, corpus: Path, embedder: Embedder, progress: Progress) -> Summary:
    """Index the corpus in clear, to compare with."""
    return asyncio.run(
        index_corpus(_job(stage.baseline, corpus, "origin", None, embedder), progress)
    )


def _job(
    home: Path, corpus: Path, recipe: str, keyset: Keyset | None, embedder: Embedder
) -> IndexJob:
    settings = CorpusFile(source=corpus, recipe=recipe)
    return index_job(settings, CORPUS, home, keyset, embedder=embedder)
