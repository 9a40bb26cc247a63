"""Refuse to start a server that can read a key."""

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
"""Where Docker mounts secrets. Kubernetes has no fixed place: mount no key in a server's pod."""


def refuse_keys(
    home: Path,
    environment: Mapping[str, str],
    *,
    secrets: Path = SECRETS,
    own: Collection[Path] = (),
) -> None:
    """Raise an error if the server can read a keyset, raw keys or a passphrase.

    `own` are files with secrets that the server needs, such as an endpoint's API key. They are not
    checked, because they may look like a key.

    Guarantees: checks every file under `home` and `secrets`, symbolic links included, for sealed
    keysets, grants, exports and files of raw keys; checks the name of every environment variable
    for ours, and its value for the formats of our files.
    Does not guarantee: finding keys that are stored elsewhere or in another format.

    Raises:
        ProtectionError: names the file or variable, never its content.
    """
    for variable in sorted(environment):
        if _VARIABLES.match(variable) or MARK in environment[variable]:
            raise ProtectionError(
                f"a server must not hold a key, but {variable} is set",
                hint=f"unset {variable}: keys belong to the edge and to the owner",
            )
    exempt = {path.resolve() for path in own}
    for folder in (home, secrets):
        for path in files_under(folder):
            if path.resolve() not in exempt and is_keyset_file(path):
                raise ProtectionError(
                    f"a server must not hold a key, but `{path}` is a keyset",
                    hint="move it away: keys belong to the edge and to the owner",
                )


def files_under(home: Path) -> Iterator[Path]:
    """Yield every regular file under a folder; links are followed, each folder is read once."""
    seen: set[str] = set()
    for folder, subfolders, names in os.walk(home, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            subfolders.clear()
            continue
        seen.add(real)
        yield from (path for name in sorted(names) if (path := Path(folder, name)).is_file())
