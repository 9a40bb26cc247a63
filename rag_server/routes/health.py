"""`/readyz`: whether the server can answer a question."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.web.errors import as_api_error
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.services import services_of

router = APIRouter()


@router.get("/readyz")
async def ready(request: Request) -> JSONResponse:
    """Return 200 if a corpus can be searched and the answerer works, else 503 with reasons."""
    services = services_of(request)
    corpora, reasons = await asyncio.to_thread(_corpora, services.corpora)
    answering = True
    try:
        await services.answerer.check()
    except Exception as error:  # noqa: BLE001 - any failure means "not ready"
        answering = False
        reasons.append(as_api_error(error).message)
    works = bool(corpora) and answering
    body = {
        "status": "ready" if works else "not ready",
        "answerer": services.answerer.name,
        "corpora": corpora,
        "reasons": reasons,
    }
    return JSONResponse(body, 200 if works else 503)


def _corpora(corpora: CorpusSearch) -> tuple[dict[str, Any], list[str]]:
    found: dict[str, Any] = {}
    reasons = []
    for name in corpora.names():
        try:
            manifest = corpora.manifest(name)
            found[name] = {"version": manifest.version, "protection": manifest.protection}
        except SageRagError as error:
            reasons.append(error.message)
    if not found:
        reasons.append("no corpus can be searched")
    return found, reasons
