"""Digests of a recognizer's rules, so that a changed rule runs the pipeline again."""

from __future__ import annotations

import hashlib
from importlib import resources


def rules_digest(*modules: str) -> str:
    """Return eight hex digits that change with the source of any of this package's modules."""
    folder = resources.files("privacy.recognizers")
    digest = hashlib.sha256()
    for module in modules:
        digest.update(folder.joinpath(f"{module}.py").read_bytes())
    return digest.hexdigest()[:8]
