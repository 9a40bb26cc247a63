"""Pull the current versions of a server's corpora into a local folder.

A version is whole or absent: its files are checked against the SHA-256 of its manifest in a staging
folder, which is then renamed; the pointer moves last, and older versions are removed, since a newer
one may lack a record on purpose.

Guarantees: nothing is written outside the folder, and no file is longer than its manifest says.
Does not guarantee: that the server's manifest is the owner's.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import httpx
from pydantic import SecretStr, ValidationError

from sage_rag.common.exceptions import InputError, UpstreamError
from sage_rag.common.files import sync_folder
from sage_rag.common.web.serving import is_loopback
from sage_rag.indexer.publishing import move_pointer
from sage_rag.indexer.versions import (
    MANIFEST,
    FileEntry,
    Manifest,
    corpus_folder,
    current_path,
    list_corpora,
    open_version,
)
from sage_rag.rag_server.edge.transport import too_slow, unreachable
from sage_rag.rag_server.edge.upstream import checked_address, trusted

_VERSIONS = "/v1/versions"
_STAGING = ".pulled"
_MAX_MANIFEST_BYTES = 4 * 1024 * 1024
log = logging.getLogger("sage_rag")


def pull_versions(
    server: str,
    home: Path,
    *,
    api_key: SecretStr | None = None,
    ca: Path | None = None,
    timeout_s: float = 120.0,
) -> list[str]:
    """Pull every corpus whose current version is not there; return them, as `clinic@7`.

    `ca`: see `upstream.trusted`.

    Raises:
        UpstreamError: when the server cannot be reached, refuses the key, offers an older version
            than the local one, or sends a file that differs from its manifest.
        InputError: when the address is not valid, or the folder cannot be written.
    """
    headers = {"accept-encoding": "identity"}
    if api_key is not None:
        headers["authorization"] = f"Bearer {api_key.get_secret_value()}"
    url, host = checked_address(server)
    pulled, listed = [], set()
    with (
        _translated(timeout_s),
        httpx.Client(
            base_url=url,
            headers=headers,
            timeout=timeout_s,
            trust_env=not is_loopback(host),
            verify=trusted(ca),
        ) as client,
    ):
        for model in _json(client, "/v1/models")["data"]:
            name = str(model["id"])
            listed.add(name)
            number = str(_json(client, f"{_VERSIONS}/{name}")["version"])
            if _pull(client, home, name, number):
                pulled.append(f"{name}@{int(number)}")
    for name in sorted({*list_corpora(home)} - listed):
        # It stays: a server that lists nothing by mistake must not empty the folder.
        log.warning(
            "the server no longer lists `%s`, which is still searched here; hint: if its owner"
            " withdrew it, delete `%s`",
            name,
            corpus_folder(home, name),
        )
    return pulled


def _pull(client: httpx.Client, home: Path, name: str, number: str) -> bool:
    """Pull one version, unless it is there; return whether it was pulled."""
    folder = corpus_folder(home, name)
    if not (number.isascii() and number.isdecimal() and len(number) == 6):
        raise UpstreamError("the server names a version that cannot be one")
    final, staging = folder / "versions" / number, folder / "versions" / _STAGING
    _refuse_rollback(home, name, number)
    place = f"{_VERSIONS}/{name}/{number}"
    content = b"".join(_bytes(client, f"{place}/{MANIFEST}", _MAX_MANIFEST_BYTES))
    if final.exists() and (final / MANIFEST).read_bytes() == content:
        move_pointer(folder, number)
        return False
    manifest = Manifest.model_validate_json(content)
    if manifest.version != number:
        raise UpstreamError(
            f"the server gives the files of another version as `{name}@{int(number)}`",
            hint="check the server with: sage-rag doctor --home DIR",
        )
    shutil.rmtree(staging, ignore_errors=True)
    try:
        for file, entry in manifest.files.items():
            _download(client, f"{place}/{file}", _inside(staging, file), entry)
        (staging / MANIFEST).write_bytes(content)
        open_version(staging, verify=True).close()
        shutil.rmtree(final, ignore_errors=True)
        staging.rename(final)
        sync_folder(final.parent)
        move_pointer(folder, number)
    finally:
        shutil.rmtree(staging, ignore_errors=True)  # already renamed, unless it failed
    for other in final.parent.iterdir():
        if other != final:
            shutil.rmtree(other, ignore_errors=True)
    return True


def _refuse_rollback(home: Path, name: str, number: str) -> None:
    """Refuse a version older than the local one, which may lack a record on purpose.

    Raises:
        UpstreamError: when the server offers an older one.
    """
    if name not in list_corpora(home):
        return
    current = current_path(home, name).name
    if int(number) < int(current):
        raise UpstreamError(
            f"the server offers `{name}@{int(number)}`, older than the local {name}@{int(current)};"
            " a newer version may lack a record on purpose",
            hint=f"to take the older one all the same, delete `{corpus_folder(home, name)}` first",
        )


def _inside(folder: Path, name: str) -> Path:
    """Return the path of a file of a version.

    Raises:
        UpstreamError: when the name leads out of the folder.
    """
    parts = PurePosixPath(name).parts
    if not parts or any(part in ("..", "/", "\\") or "\\" in part for part in parts):
        raise UpstreamError("the server's manifest names a file outside its version")
    return folder.joinpath(*parts)


def _download(client: httpx.Client, place: str, path: Path, entry: FileEntry) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for piece in _bytes(client, place, entry.size_bytes):
            digest.update(piece)
            file.write(piece)
    if digest.hexdigest() != entry.sha256:
        raise UpstreamError(
            f"the server sent another `{path.name}` than its manifest describes",
            hint="check the server with: sage-rag doctor --home DIR",
        )


def _bytes(client: httpx.Client, place: str, most: int) -> Iterator[bytes]:
    """Yield the bytes of a file of at most `most` bytes, as the server sends them.

    A body that is compressed all the same is not opened: it may hold a thousand times as much.
    """
    length = 0
    with client.stream("GET", place) as response:
        _check(response)
        for piece in response.iter_raw():
            length += len(piece)
            if length > most:
                raise UpstreamError("the server sent more than it should")
            yield piece


def _json(client: httpx.Client, place: str) -> Any:
    return json.loads(b"".join(_bytes(client, place, _MAX_MANIFEST_BYTES)))


def _check(response: httpx.Response) -> None:
    if response.status_code in (401, 403):
        raise UpstreamError(
            "the server refuses the edge's API key",
            hint="--sync needs a key with scopes chat,index: sage-rag token new --help",
        )
    if response.status_code != 200:
        raise UpstreamError(f"the server answered {response.status_code}")


@contextmanager
def _translated(timeout_s: float) -> Iterator[None]:
    try:
        yield
    except httpx.ReadTimeout:
        raise too_slow(timeout_s) from None
    except httpx.ConnectError as error:
        raise unreachable(error, hint="is --server right?") from None
    except httpx.HTTPError:
        raise UpstreamError("the server cannot be reached", hint="is --server right?") from None
    except (ValidationError, ValueError, KeyError, TypeError, RecursionError):
        raise UpstreamError("the server does not list its versions") from None
    except OSError as error:
        raise InputError(f"cannot write the index: {error.strerror}") from None
