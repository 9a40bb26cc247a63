"""The one check that keeps keys away from a server: it does not start where one lies."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from sage_rag.common.exceptions import ProtectionError
from sage_rag.privacy.keyset.envelope import MARK
from sage_rag.privacy.keyset.files import is_keyset_file

_VARIABLES = re.compile(r"SAGE_RAG_(EDGE_)?(KEYSET|PASSPHRASE)", re.IGNORECASE)
SECRETS = Path("/run/secrets")
"""Where Docker mounts secrets. Kubernetes has no such place: name none of ours for a server."""


def refuse_keys(
    home: Path,
    environment: Mapping[str, str],
    *,
    secrets: Path = SECRETS,
    own: Collection[Path] = (),
) -> None:
    """Return if neither a keyset, raw keys nor a passphrase is within the server's reach.

    `own` are secrets that the server needs, like an endpoint's API key: they may look like a key.

    Guarantees: every file under `home` and `secrets` is looked at, through symbolic links too,
    for sealed keysets, grants, exports and files of nothing but bare keys; every variable for
    our names and for the formats of our files.
    Does not guarantee: finding keys that lie elsewhere or are stored in another format.

    Raises:
        ProtectionError: naming the file or variable, never its content.
    """
    for variable in sorted(environment):
        if _VARIABLES.match(variable) or MARK in environment[variable]:
            raise ProtectionError(
                f"a server must not be able to restore, but {variable} is set",
                hint=f"unset {variable}: keys belong to the edge and to the owner",
            )
    exempt = {path.resolve() for path in own}
    for folder in (home, secrets):
        for path in files_under(folder):
            if path.resolve() not in exempt and is_keyset_file(path):
                raise ProtectionError(
                    f"a server must not hold a key, but `{path}` is a keyset",
                    hint="move it out of reach: keys belong to the edge and to the owner",
                )


def files_under(home: Path) -> Iterator[Path]:
    """Yield every regular file under a folder, following links, each folder once."""
    seen: set[str] = set()
    for folder, subfolders, names in os.walk(home, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            subfolders.clear()
            continue
        seen.add(real)
        yield from (path for name in sorted(names) if (path := Path(folder, name)).is_file())
