"""Digests of source and word lists, so that changed code runs again what it decides."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources


@cache
def source_digest(package: str, *files: str) -> str:
    """Return twelve hex digits that change with any of a package's files; all, without names."""
    folder = resources.files(package)
    names = files or sorted(
        file.name for file in folder.iterdir() if file.name.endswith((".py", ".toml", ".gz"))
    )
    digest = hashlib.sha256()
    for name in names:
        digest.update(folder.joinpath(name).read_bytes())
    return digest.hexdigest()[:12]
