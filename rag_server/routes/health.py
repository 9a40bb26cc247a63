"""`/readyz`: whether the server can answer a question."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from sage_rag.common.exceptions import SageRagError
from sage_rag.common.web.errors import as_api_error
from sage_rag.indexer.versions import Manifest
from sage_rag.rag_server.access.gate import caller_of
from sage_rag.rag_server.observability.audit import AuditUnavailableError
from sage_rag.rag_server.services import services_of

router = APIRouter()


@router.get("/readyz")
async def ready(request: Request) -> JSONResponse:
    """Return 200 if a corpus can be searched and answers can be given, else 503 with reasons."""
    services = services_of(request)
    manifests = await services.control.run(services.corpora.manifests)
    reasons = [found.message for found in manifests.values() if isinstance(found, SageRagError)]
    corpora = {
        name: {"version": found.version, "protection": found.protection}
        for name, found in manifests.items()
        if isinstance(found, Manifest)
    }
    if not corpora:
        reasons.append("no corpus can be searched")
    answering = True
    try:
        await services.answerer.check()
    except Exception as error:  # noqa: BLE001 - any failure means "not ready"
        answering = False
        reasons.append(as_api_error(error).message)
    audited = True
    if services.audit is not None:
        try:
            await services.control.run(services.audit.check)
        except AuditUnavailableError as error:
            audited = False
            reasons.append(error.message)
    works = bool(corpora) and answering and audited
    status = {"status": "ready" if works else "not ready"}
    # The names of corpora are for those who may ask them.
    details = {
        "answerer": services.answerer.name,
        "corpora": corpora,
        "reasons": reasons,
    }
    body = {**status, **details} if caller_of(request).scopes else status
    return JSONResponse(body, 200 if works else 503)
