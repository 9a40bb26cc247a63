"""`/v1/models`: each published corpus is a model."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from sage_rag.common.exceptions import SageRagError
from sage_rag.rag_server.corpora import CorpusSearch, created_at
from sage_rag.rag_server.services import services_of

router = APIRouter()


@router.get("/v1/models")
async def list_models(request: Request) -> dict[str, Any]:
    """List the corpora that can be searched."""
    corpora = services_of(request).corpora
    return {"object": "list", "data": await asyncio.to_thread(_available, corpora)}


@router.get("/v1/models/{model}")
async def get_model(request: Request, model: str) -> dict[str, Any]:
    """Describe one corpus."""
    return await asyncio.to_thread(_model, services_of(request).corpora, model)


def _available(corpora: CorpusSearch) -> list[dict[str, Any]]:
    found = []
    for name in corpora.names():
        try:
            found.append(_model(corpora, name))
        except SageRagError:
            continue  # `/readyz` reports it; the other corpora still work
    return found


def _model(corpora: CorpusSearch, name: str) -> dict[str, Any]:
    created = created_at(corpora.manifest(name))
    return {"id": name, "object": "model", "created": created, "owned_by": "sage-rag"}
