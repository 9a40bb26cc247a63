"""The demo's folders, keyset and two indexes."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.progress import Progress
from sage_rag.indexer.corpus_file import CorpusFile
from sage_rag.indexer.job import IndexJob, Summary
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.publishing import hand_over
from sage_rag.indexer.wiring import index_job
from sage_rag.privacy.keyset.files import read_keyset, write_keyset
from sage_rag.privacy.keyset.keyset import Keyset

CORPUS = "clinic"
_MARK = ".sage-rag-demo"


@dataclass(frozen=True, slots=True)
class DemoFolders:
    """Three zones in one folder: owner, server and edge; and a baseline for comparison."""

    root: Path

    @property
    def owner(self) -> Path:
        """The owner's home: ledger and versions."""
        return self.root / "owner"

    @property
    def server(self) -> Path:
        """The server's home: only the version that the owner handed over."""
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


def prepare_folders(root: Path) -> DemoFolders:
    """Remove the files of an earlier demo, and nothing else.

    Raises:
        InputError: when the folder holds other files, or cannot be made or written.
    """
    try:
        if root.exists() and any(root.iterdir()):
            if not (root / _MARK).exists():
                raise InputError(
                    f"`{root}` is not empty and no demo made it", hint="choose another --home"
                )
            shutil.rmtree(root)
        root.mkdir(parents=True, exist_ok=True)
        (root / _MARK).touch()
    except OSError as error:
        raise InputError(
            f"cannot make the demo in `{root}`: {error.strerror}", hint="choose another --home"
        ) from None
    return DemoFolders(root)


def make_keyset(folders: DemoFolders) -> Keyset:
    """Make a keyset under a random passphrase, stored next to it for the demo's edge."""
    passphrase = secrets.token_urlsafe(24)
    write_keyset(folders.keyset, Keyset.generate(), passphrase)
    write_file(folders.passphrase, passphrase + "\n")
    return read_keyset(folders.keyset, passphrase)


def build_index(
    folders: DemoFolders, corpus: Path, keyset: Keyset, embedder: Embedder, progress: Progress
) -> Summary:
    """Index the corpus as the owner would, and hand the version to the server."""
    summary = asyncio.run(
        index_corpus(_job(folders.owner, corpus, "sage", keyset, embedder), progress)
    )
    hand_over(folders.owner, CORPUS, folders.server)
    return summary


def build_baseline(
    folders: DemoFolders, corpus: Path, embedder: Embedder, progress: Progress
) -> Summary:
    """Index the corpus in clear, for comparison."""
    return asyncio.run(
        index_corpus(_job(folders.baseline, corpus, "origin", None, embedder), progress)
    )


def _job(
    home: Path, corpus: Path, recipe: str, keyset: Keyset | None, embedder: Embedder
) -> IndexJob:
    settings = CorpusFile(source=corpus, recipe=recipe)
    return index_job(settings, CORPUS, home, keyset, embedder=embedder)
