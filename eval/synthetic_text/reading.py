"""Read what is measured: synthetic texts of any origin, and the real documents."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sage_rag.indexer.versions import open_version, version_path
from sage_rag.training.controlled.documents import text_fields
from sage_rag.training.controlled.run import CORPUS
from sage_rag.training.controlled.wiring import named
from sage_rag.training.synthesis.corpus import read_documents
from sage_rag.training.synthesis.shards import MANIFEST, SHARDS


def synthetic_texts(path: Path) -> list[str]:
    """Return the texts of a file, a folder, or an index version.

    A folder can be what `sage-rag generate` or `sage-rag synthesize` wrote; a folder of a corpus
    stands for its current version.

    Raises:
        InputError: for any other path, or one without text.
    """
    shards = sorted(path.glob(SHARDS))
    if shards and (path / MANIFEST).is_file():
        return [text for shard in shards for text in texts_of(shard, None)]
    if (path / MANIFEST).is_file() or (path / "current").is_file():
        return passages_of(path)
    file = path / CORPUS if (path / CORPUS).is_file() else path
    return texts_of(file, None)


def passages_of(path: Path) -> list[str]:
    """Return the passages of every layer of a published version, as a server holds them."""
    with closing(open_version(version_path(path))) as version:
        return [
            layer.passage(row).text
            for layer in version.layers.values()
            for row in range(len(layer))
        ]


def texts_of(path: Path, fields: str | None) -> list[str]:
    """Return whole texts: those of a file, or of the jsonl, txt and md files in a folder."""
    return [
        document.text
        for part in _parts(path)
        for document in read_documents(part, named(fields) or text_fields(part))
    ]


def _parts(path: Path) -> list[Path]:
    """Return the jsonl files of a folder, and the folder itself for its other texts."""
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob("*.jsonl"))
    others = any(file.suffix in (".txt", ".md") for file in path.rglob("*"))
    return [*files, path] if others or not files else files
