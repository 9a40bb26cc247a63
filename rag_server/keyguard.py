"""The one check that keeps keys away from a server: it does not start where one lies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from privacy.exceptions import ProtectionError
from privacy.keyset.files import is_keyset_file

_VARIABLES = ("SAGE_RAG_KEYSET", "SAGE_RAG_PASSPHRASE")


def refuse_keys(home: Path, environment: Mapping[str, str]) -> None:
    """Return if neither a keyset nor a passphrase is within the server's reach.

    Guarantees: every file under `home` is looked at, through symbolic links too.
    Does not guarantee: finding keys that lie outside `home` or are stored in another format.

    Raises:
        ProtectionError: naming the file or variable, never its content.
    """
    for variable in sorted(environment):
        if variable.startswith(_VARIABLES):
            raise ProtectionError(
                f"a server must not be able to restore, but {variable} is set",
                hint=f"unset {variable}: keys belong to the edge and to the owner",
            )
    for path in files_under(home):
        if is_keyset_file(path):
            raise ProtectionError(
                f"a server must not hold a key, but `{path}` is a keyset",
                hint="move it out of the home: keys belong to the edge and to the owner",
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
