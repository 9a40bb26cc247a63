"""Fingerprints of pipeline stages: a result with another fingerprint is computed again.

Each stage declares a `VERSION`, which its author raises with every change of its output, and names
the data files that it reads. Source code is not part of a fingerprint, so a changed comment
recomputes nothing. `tests/golden` fails if the output of a stage changes and its version does not.
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
