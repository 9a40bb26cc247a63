"""Publish a version: write it to a staging folder, verify, rename, move the pointer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version as software_version
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.files import sync_file, sync_folder, write_file
from sage_rag.indexer.layers import layer_folder, write_layer
from sage_rag.indexer.passages import Layer, Passage
from sage_rag.indexer.protocols import Vector, Vectors
from sage_rag.indexer.versions import (
    LOOKUP,
    MANIFEST,
    REPORT,
    Manifest,
    corpus_folder,
    hash_file,
    next_number,
    open_version,
)

_STAGING = ".staging"
_REWORDS = "sage"
"""The recipe whose drafts are reworded: by rules, the gate refuses most of them."""


def nothing_passed(home: Path, corpus: str, recipe: str | None, layer: str = "") -> ProtectionError:
    """Return the error for a version, or its `layer`, without a passage."""
    hint = f"see why each was refused: sage-rag review {corpus} --home {home}"
    if recipe == _REWORDS:
        hint += "; recipes that need no rewording: --recipe encrypted, or --recipe consensus"
    left = f"layer `{layer}` would be empty and " if layer else ""
    return ProtectionError(
        f"no document passed the gate, so {left}nothing was published", hint=hint
    )


def publish(
    home: Path,
    corpus: str,
    passages: Sequence[Passage],
    vectors: Vectors,
    *,
    lexical: Sequence[str],
    manifest: Mapping[str, Any],
    report: Mapping[str, Any],
    lookup: Callable[[int], bytes] | None = None,
    sentences: Sequence[Mapping[str, Vector]] = (),
) -> Path:
    """Publish a version and make it current; return its folder.

    `vectors` is `(n, dim)`, row i for passage i; `lexical` is the text of each passage for the
    lexical index, `lookup` makes the sealed lookup for edges from the version's number, `sentences`
    are the vectors of each passage's sentences by their readable views, or empty. Passages of one
    layer are in the order of their ids; each layer gets an index. Killed at any moment, this leaves
    the old state or the new one, and at most a staging folder, which the next run removes.

    Raises:
        ProtectionError: when there is nothing to publish.
        InputError: when the version cannot be written.
    """
    if not passages:
        raise nothing_passed(home, corpus, manifest.get("recipe"))

    rows: dict[Layer, list[int]] = {}
    for row, passage in enumerate(passages):
        rows.setdefault(passage.layer, []).append(row)

    def fill(staging: Path, number: str) -> Mapping[str, Any]:
        for layer, own in rows.items():
            write_layer(
                layer_folder(staging, layer, rows),
                [passages[row] for row in own],
                vectors[own],
                [lexical[row] for row in own],
                [sentences[row] for row in own] if sentences else (),
            )
        (staging / REPORT).write_text(json.dumps(report, indent=2) + "\n", "utf-8")
        if lookup is not None:
            (staging / LOOKUP).write_bytes(lookup(int(number)))
        sizes = {layer: len(rows[layer]) for layer in sorted(rows)}
        return {**manifest, "dim": int(vectors.shape[1]), "layers": sizes}

    return publish_filled(home, corpus, fill)


def publish_filled(home: Path, corpus: str, fill: Callable[[Path, str], Mapping[str, Any]]) -> Path:
    """Publish the files that `fill` writes into a staging folder, as `publish` does.

    `fill` gets the folder and the version's number, and returns the fields of the manifest, without
    version, files and time.

    Raises:
        InputError: when the version cannot be written.
    """
    folder = corpus_folder(home, corpus)
    number = f"{next_number(folder):06d}"
    staging, final = folder / "versions" / _STAGING, folder / "versions" / number
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        _write_manifest(staging, {**fill(staging, number), "version": number})
        _sync(staging)
        open_version(staging, verify=True).close()
        staging.rename(final)
        sync_folder(final.parent)
        move_pointer(folder, number)
    except (OSError, RuntimeError) as error:  # FAISS reports a full disk as RuntimeError
        # NumPy reports a full disk as an OSError without a reason of the system.
        named = isinstance(error, OSError) and error.strerror
        reason = named or "a library could not write (is the disk full?)"
        raise InputError(
            f"cannot write the version in `{folder}`: {reason}",
            hint="the current version is unchanged; finished documents are kept",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)  # already renamed, unless it failed
    return final


def move_pointer(folder: Path, number: str) -> None:
    """Make a version current, atomically."""
    write_file(folder / "current", number + "\n", mode=0o644)  # servers run as another user


def hand_over(home: Path, corpus: str, server_home: Path) -> Path:
    """Copy only the current version of a corpus to the home of a server."""
    source = corpus_folder(home, corpus)
    number = (source / "current").read_text("ascii").strip()
    target = corpus_folder(server_home, corpus)
    staging, final = target / "versions" / _STAGING, target / "versions" / number
    shutil.rmtree(staging, ignore_errors=True)
    if not final.exists():
        shutil.copytree(source / "versions" / number, staging)
        _sync(staging)
        staging.rename(final)
        sync_folder(final.parent)
    open_version(final, verify=True).close()
    move_pointer(target, number)
    return final


def _write_manifest(folder: Path, fields: Mapping[str, Any]) -> None:
    files = {
        path.relative_to(folder).as_posix(): hash_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    manifest = Manifest(
        **fields,
        files=files,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        sage_rag=software_version("sage-rag"),
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")


def _sync(folder: Path) -> None:
    """Force a folder's files and folders to the disk before anything points at them."""
    for path in (*folder.rglob("*"), folder):
        (sync_folder if path.is_dir() else sync_file)(path)
