"""Attack an index version itself: the most that a server could reveal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.protocols import Embedder
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.rag_server.retrieval import Retriever


class VersionTarget:
    """Return every retrieved passage in full, without a model.

    This is the worst case: a model that answers gets no more than these passages. (A model may
    know private text from elsewhere; this index does not leak it.)

    Source: Zeng et al. (2024), arXiv 2406.14773, A.5 and Table 8. Differs: prompts retrieve
    the passages; `passages` is the comparison of the table, which asks no question.
    """

    def __init__(self, path: Path, embedder: Embedder, top_k: int) -> None:
        self._version = open_version(path)
        self._retriever = Retriever(self._version, embedder)
        self._top_k = top_k

    @property
    def name(self) -> str:
        """Corpus, version and recipe."""
        manifest = self._version.manifest
        return f"{manifest.corpus} {manifest.version} ({manifest.recipe})"

    def ask(self, prompt: str) -> tuple[str, ...]:
        """Return the text of each of the top-k passages."""
        return tuple(p.text for p in self._retriever.retrieve(prompt, self._top_k))

    def passages(self) -> Iterator[tuple[str, str]]:
        """Yield id and text of every passage of the version."""
        for row in range(len(self._version)):
            passage = self._version.passage(row)
            yield passage.id, passage.text

    def close(self) -> None:
        """Release the version."""
        self._version.close()


def version_path(path: Path) -> Path:
    """Return the version folder of a path: the path itself, or a corpus folder's current version.

    Raises:
        InputError: when the path is neither.
    """
    if (path / "current").is_file() and path.parent.name == "corpora":
        return current_path(path.parent.parent, path.name)
    if (path / "manifest.json").is_file():
        return path
    raise InputError(
        f"`{path}` is neither an index version nor a corpus folder",
        hint="give HOME/corpora/NAME, HOME/corpora/NAME/versions/000001 or an http(s) URL",
    )
