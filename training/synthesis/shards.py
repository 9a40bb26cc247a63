"""Write samples as JSONL shards, whole or not at all, and a manifest of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, replacing, write_file

FORMAT = "sage-rag-synthesis-1"
MANIFEST = "manifest.json"
SHARDS = "shard-*.jsonl"
SHARD_BYTES = 64 * 1024 * 1024
"""A shard ends with the first sample that reaches this size."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shard:
    """One finished file of samples."""

    name: str
    samples: int
    tokens: int
    sha256: str


def shard_name(number: int) -> str:
    """Return the name of a shard; `number` counts from 0."""
    return f"shard-{number:05}.jsonl"


def write_shards(folder: Path, rows: Iterable[Row], *, size: int = SHARD_BYTES) -> list[Shard]:
    """Write rows in order, and remove the shards of an earlier run that has more of them.

    The same rows give the same bytes. Killed at any moment, each shard is an old or a new one.

    Raises:
        InputError: when the disk or the folder does not take a shard.
    """
    shards: list[Shard] = []
    lines = _encoded(rows)
    try:
        while (shard := _write(folder, len(shards), lines, size)) is not None:
            shards.append(shard)
        for old in folder.glob(SHARDS):
            if old.name not in {shard.name for shard in shards}:
                old.unlink()
    except OSError as error:
        raise InputError(
            f"cannot write a shard to `{folder}`: {error.strerror}",
            hint="free some disk space and start again; finished documents are kept",
        ) from None
    return shards


def write_manifest(folder: Path, facts: Mapping[str, Any], shards: Iterable[Shard]) -> None:
    """Write what was made and how; it holds counts and names of settings alone.

    Raises:
        InputError: when the disk or the folder does not take it.
    """
    content = {"format": FORMAT, **facts, "shards": [asdict(shard) for shard in shards]}
    try:
        write_file(folder / MANIFEST, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise InputError(f"cannot write `{folder / MANIFEST}`: {error.strerror}") from None


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a finished synthesis says of itself.

    Raises:
        InputError: for a folder without the manifest of a finished synthesis.
    """
    path = folder / MANIFEST
    with reading(path):
        try:
            found = json.loads(path.read_text("utf-8"))
        except json.JSONDecodeError:
            found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(
            f"`{path}` is not the manifest of a synthesis", hint="name a folder of synthesize"
        )
    return found


def remove_manifest(folder: Path) -> None:
    """Remove the manifest: without it, the shards of a folder are of a run that goes on."""
    with suppress(FileNotFoundError):
        (folder / MANIFEST).unlink()


def _encoded(rows: Iterable[Row]) -> Iterator[tuple[str, int]]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n", row["tokens"]


def _write(folder: Path, number: int, lines: Iterator[tuple[str, int]], size: int) -> Shard | None:
    first = next(lines, None)
    if first is None:
        return None
    name, digest = shard_name(number), hashlib.sha256()
    samples = tokens = written = 0
    with replacing(folder / name) as file:
        line: tuple[str, int] | None = first
        while line is not None:
            encoded = line[0].encode()
            file.write(line[0])
            digest.update(encoded)
            samples, tokens, written = samples + 1, tokens + line[1], written + len(encoded)
            line = next(lines, None) if written < size else None
    return Shard(name, samples, tokens, digest.hexdigest())
