"""`/v1/versions`: the files of the current versions, for edges that hold the index themselves.

Their holder has the whole index, all layers included: a key needs the scope `index`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.errors import ApiError
from sage_rag.indexer.versions import (
    MANIFEST,
    Manifest,
    current_path,
    list_corpora,
    read_manifest,
)
from sage_rag.rag_server.access.gate import VERSIONS
from sage_rag.rag_server.exceptions import CorpusUnavailableError, UnknownModelError
from sage_rag.rag_server.observability.middleware import notes_of
from sage_rag.rag_server.services import services_of

router = APIRouter()


@router.get(VERSIONS + "{corpus}")
async def current_version(request: Request, corpus: str) -> dict[str, Any]:
    """Return the number of a corpus's current version."""
    _, manifest = await services_of(request).control.run(_current, request, corpus)
    return {"corpus": corpus, "version": manifest.version}


@router.get(VERSIONS + "{corpus}/{version}/{file:path}")
async def version_file(request: Request, corpus: str, version: str, file: str) -> FileResponse:
    """Return a file of the current version: its manifest, or a file that the manifest names."""
    path, manifest = await services_of(request).control.run(_current, request, corpus)
    if version != manifest.version or (file != MANIFEST and file not in manifest.files):
        raise ApiError(404, "the current version has no such file", code="not_found")
    notes_of(request).version = f"{manifest.corpus}@{int(manifest.version)}"
    return FileResponse(path / file, media_type="application/octet-stream")


def _current(request: Request, corpus: str) -> tuple[Path, Manifest]:
    home = services_of(request).home
    if home is None or corpus not in list_corpora(home):
        raise UnknownModelError("there is no such model")
    try:
        path = current_path(home, corpus)
        return path, read_manifest(path)
    except InputError:
        raise CorpusUnavailableError(f"corpus `{corpus}` cannot be opened") from None
