"""Index versions: immutable folders for a server, and the pointer to the current one.

```
HOME/corpora/NAME/versions/000001/   manifest.json  report.json  and the files of its one layer
HOME/corpora/NAME/versions/000002/   manifest.json  report.json  consensus/  records/
HOME/corpora/NAME/current            "000002", replaced atomically
```
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import sha256_of
from sage_rag.indexer.layers import LayerIndex, OpenVectors, layer_folder
from sage_rag.indexer.passages import RECORDS, Layer, Passage
from sage_rag.indexer.protocols import VectorIndex
from sage_rag.indexer.stores.faiss import FaissIndex

FORMAT: Final = "sage-rag-index-2"
CORPUS_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VERSION = re.compile(r"\d{6}")
_LAST = 999_999

REPORT, MANIFEST, LOOKUP = "report.json", "manifest.json", "lookup.sealed"
"""`LOOKUP`: the sealed `privacy.lookup.Lookup`. Versions without keys, and older ones, lack it."""


class FileEntry(BaseModel):
    """One file of a version."""

    model_config = ConfigDict(frozen=True)
    sha256: str
    size_bytes: int


class Manifest(BaseModel):
    """The description of a version: its contents and how it was made.

    `layers`: the number of passages of each. Format 1 has none: all its passages are records.
    `k`: the number of subjects that say each statement of a consensus. `answer_fields`: the fields
    of a record that answer questions; empty: the last one.
    """

    model_config = ConfigDict(frozen=True)
    format: Literal["sage-rag-index-1", "sage-rag-index-2"] = FORMAT
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
    layers: dict[Layer, int] = {}
    k: int | None = None
    answer_fields: tuple[str, ...] = ()
    files: dict[str, FileEntry]

    @property
    def layer_sizes(self) -> dict[Layer, int]:
        """The number of passages of each layer; there is at least one layer."""
        return self.layers or {RECORDS: self.counts["passages"]}


class IndexVersion:
    """One version, opened read-only and memory-mapped. Safe for concurrent readers.

    Its rows are those of its layers, one layer after the other.
    """

    def __init__(self, path: Path, manifest: Manifest, vectors: OpenVectors | None = None) -> None:
        self.path = path
        self.manifest = manifest
        sizes = manifest.layer_sizes
        self.layers: dict[Layer, LayerIndex] = {
            name: LayerIndex(layer_folder(path, name, sizes), name, vectors) for name in sizes
        }
        is_whole = all(len(self.layers[name]) == size for name, size in sizes.items())
        if not is_whole or len(self) != manifest.counts["passages"]:
            raise InputError(f"`{path}` is damaged: its parts differ in length")

    def __len__(self) -> int:
        return sum(map(len, self.layers.values()))

    def passage(self, row: int) -> Passage:
        """Return the passage of a row."""
        for layer in self.layers.values():
            if row < len(layer):
                return layer.passage(row)
            row -= len(layer)
        raise IndexError("no passage has this row")

    @property
    def lookup(self) -> bytes | None:
        """The sealed lookup for edges, if the version has one."""
        file = self.path / LOOKUP
        return file.read_bytes() if file.exists() else None

    def close(self) -> None:
        """Close the memory maps."""
        for layer in self.layers.values():
            layer.close()


def open_version(path: Path, *, verify: bool = False, milvus: str | None = None) -> IndexVersion:
    """Open a version; `verify` also checks every file against the manifest.

    `milvus`: the address of the Milvus server that searches its vectors. It receives those that it
    does not have yet.

    Raises:
        InputError: when the folder is not a version, or is damaged.
    """
    manifest = read_manifest(path)
    if verify:
        verify_files(path, manifest)
    try:
        return IndexVersion(path, manifest, _in_milvus(milvus, manifest) if milvus else None)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"`{path}` is damaged ({type(error).__name__})", hint="index the corpus again"
        ) from None


def _in_milvus(uri: str, manifest: Manifest) -> OpenVectors:
    from sage_rag.indexer.backends.milvus import MilvusIndex

    # The files' hash distinguishes versions of equal number, of a corpus that was created again.
    content = hashlib.sha256(manifest.model_dump_json(include={"files"}).encode()).hexdigest()

    def opened(stored: FaissIndex, layer: Layer) -> VectorIndex:
        name = re.sub(r"\W", "_", f"sage_{manifest.corpus}_{manifest.version}_{layer}")
        index = MilvusIndex(uri, f"{name}_{content[:8]}", manifest.dim)
        index.fill(stored)
        return index

    return opened


def read_manifest(path: Path) -> Manifest:
    """Read a version's manifest.

    Raises:
        InputError: when it is missing or invalid.
    """
    try:
        return Manifest.model_validate_json((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise InputError(f"`{path}` is not an index version: it has no {MANIFEST}") from None
    except OSError as error:
        raise InputError(f"cannot read `{path / MANIFEST}`: {error.strerror}") from None
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
    return FileEntry(sha256=sha256_of(path), size_bytes=path.stat().st_size)


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
        hint="give HOME/corpora/NAME or HOME/corpora/NAME/versions/000001",
    )


def next_number(folder: Path) -> int:
    """Return the number of a corpus's next version: higher than any, the current one included.

    The folder of the current one may be gone; an edge takes a lower number for an older version.

    Raises:
        InputError: after the last number that a version can have.
    """
    known = list_versions(folder)
    with suppress(OSError, UnicodeDecodeError):
        current = (folder / "current").read_text("ascii").strip()
        known += [current] if _VERSION.fullmatch(current) else []
    number = int(max(known, default="0")) + 1
    if number > _LAST:
        raise InputError(
            f"`{folder}` is at version {_LAST}, the last number that there is",
            hint="if no run made it: remove its folder, if there is one, and write the newest"
            " version's number into `current`",
        )
    return number


def list_versions(folder: Path) -> list[str]:
    """Return the numbers of a corpus's complete versions, oldest first."""
    found = (folder / "versions").glob("[0-9]*") if folder.exists() else ()
    return sorted(p.name for p in found if _VERSION.fullmatch(p.name))
