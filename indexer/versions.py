"""Index versions: immutable folders for a server, and the pointer to the current one.

```
HOME/corpora/NAME/versions/000001/   passages.jsonl  passages.offsets.npy  vectors.faiss
                                     lexical/  report.json  manifest.json
HOME/corpora/NAME/current            "000001", replaced atomically
```
"""

from __future__ import annotations

import hashlib
import json
import mmap
import re
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.stores.faiss import FaissIndex
from sage_rag.indexer.stores.lexical import LexicalIndex

FORMAT: Final = "sage-rag-index-1"
CORPUS_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VERSION = re.compile(r"\d{6}")

PASSAGES, OFFSETS, VECTORS = "passages.jsonl", "passages.offsets.npy", "vectors.faiss"
LEXICAL, REPORT, MANIFEST = "lexical", "report.json", "manifest.json"


class FileEntry(BaseModel):
    """One file of a version."""

    model_config = ConfigDict(frozen=True)
    sha256: str
    size_bytes: int


class Manifest(BaseModel):
    """The description of a version: its contents and how it was made."""

    model_config = ConfigDict(frozen=True)
    format: Literal["sage-rag-index-1"] = FORMAT
    corpus: str
    version: str
    created: str
    sage_rag: str
    recipe: str
    protection: Literal["none", "identifiers", "synthetic"]
    policy: str | None
    agents: str | None
    embedder: str
    dim: int
    key_ids: tuple[str, ...]
    counts: dict[str, int]
    files: dict[str, FileEntry]


class IndexVersion:
    """One version, opened read-only and memory-mapped. Safe for concurrent readers."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._dense = FaissIndex.open(path / VECTORS)
        self._lexical = LexicalIndex.open(path / LEXICAL)
        self._offsets: NDArray[np.int64] = np.load(path / OFFSETS, mmap_mode="r")
        with (path / PASSAGES).open("rb") as file:
            self._passages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        is_whole = len(self._passages) == int(self._offsets[-1])
        if not is_whole or not len(self._dense) == len(self) == manifest.counts["passages"]:
            raise InputError(f"`{path}` is damaged: its parts differ in length")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def passage(self, row: int, score: float = 0.0) -> Passage:
        """Return the passage of a row."""
        line = self._passages[int(self._offsets[row]) : int(self._offsets[row + 1])]
        record = json.loads(line)
        return Passage(record["id"], record["source"], record["fields"], score)

    def search_dense(self, vector: NDArray[np.float32], top_k: int) -> list[tuple[int, float]]:
        """Return pairs of row and cosine, best first. `vector`: `(dim,)` float32."""
        return self._dense.search(vector, top_k)

    def search_lexical(self, text: str, top_k: int) -> list[tuple[int, float]]:
        """Return pairs of row and BM25 score over 0, best first."""
        return self._lexical.search(text, top_k)

    def close(self) -> None:
        """Close the memory maps."""
        self._passages.close()


def open_version(path: Path, *, verify: bool = False) -> IndexVersion:
    """Open a version; `verify` also checks every file against the manifest.

    Raises:
        InputError: when the folder is not a version, or is damaged.
    """
    manifest = read_manifest(path)
    if verify:
        verify_files(path, manifest)
    try:
        return IndexVersion(path, manifest)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"`{path}` is damaged ({type(error).__name__})", hint="index the corpus again"
        ) from None


def read_manifest(path: Path) -> Manifest:
    """Read a version's manifest.

    Raises:
        InputError: when it is missing or invalid.
    """
    try:
        return Manifest.model_validate_json((path / MANIFEST).read_bytes())
    except OSError:
        raise InputError(f"`{path}` is not an index version: it has no {MANIFEST}") from None
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise InputError(f"`{path / MANIFEST}` is invalid at `{where}`") from None


def verify_files(path: Path, manifest: Manifest) -> None:
    """Check that the version holds exactly the files of the manifest, unchanged.

    Raises:
        InputError: naming the first file that differs.
    """
    present = {f.relative_to(path).as_posix() for f in path.rglob("*") if f.is_file()} - {MANIFEST}
    for name in sorted(present ^ set(manifest.files)):
        raise InputError(f"`{path / name}` is {'unlisted' if name in present else 'missing'}")
    for name, entry in manifest.files.items():
        if hash_file(path / name) != entry:
            raise InputError(f"`{path / name}` was changed", hint="index the corpus again")


def hash_file(path: Path) -> FileEntry:
    """Return size and SHA-256 of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FileEntry(sha256=digest, size_bytes=path.stat().st_size)


def corpus_folder(home: Path, corpus: str) -> Path:
    """Return the folder of a corpus's versions.

    Raises:
        InputError: for a name with other characters than letters, digits, `.`, `_`, `-`.
    """
    if not CORPUS_NAME.fullmatch(corpus):
        raise InputError(
            f"`{corpus}` cannot name a corpus", hint="letters, digits, `.`, `_`, `-`; at most 64"
        )
    return home / "corpora" / corpus


def list_corpora(home: Path) -> list[str]:
    """Return the names of the corpora that have a current version, sorted."""
    return sorted(p.parent.name for p in home.glob("corpora/*/current"))


def current_path(home: Path, corpus: str) -> Path:
    """Return the folder of the current version.

    Raises:
        InputError: when the corpus has none.
    """
    folder = corpus_folder(home, corpus)
    try:
        version = (folder / "current").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        known = ", ".join(list_corpora(home)) or "none"
        raise InputError(f"no corpus `{corpus}` in `{home}`", hint=f"corpora: {known}") from None
    if not _VERSION.fullmatch(version):
        raise InputError(f"`{folder / 'current'}` does not name a version")
    return folder / "versions" / version


def list_versions(folder: Path) -> list[str]:
    """Return the numbers of a corpus's complete versions, oldest first."""
    found = (folder / "versions").glob("[0-9]*") if folder.exists() else ()
    return sorted(p.name for p in found if _VERSION.fullmatch(p.name))


def passage_line(passage: Passage) -> bytes:
    """Return the line of a passage in `passages.jsonl`."""
    record: dict[str, Any] = {
        "id": passage.id,
        "source": passage.source,
        "fields": dict(passage.fields),
    }
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
