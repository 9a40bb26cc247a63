"""Fingerprints of stages: what was computed under another one is computed anew.

Each stage declares a `VERSION`, which its author raises with every change of its output, and names
the data files that it reads. Source text is no part of a fingerprint, so that a changed comment
recomputes nothing. `tests/golden` fails where the output of a stage changed and its version did
not.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources


@cache
def data_digest(package: str, *files: str) -> str:
    """Return twelve hex digits that change with the content of any of a package's data files.

    Raises:
        FileNotFoundError: when the package has no such file.
    """
    folder = resources.files(package)
    digest = hashlib.sha256()
    for name in files:
        digest.update(folder.joinpath(name).read_bytes())
    return digest.hexdigest()[:12]
