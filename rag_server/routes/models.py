"""`/v1/models`: each published corpus is a model."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request

from sage_rag.indexer.versions import Manifest
from sage_rag.rag_server.services import services_of

router = APIRouter()


@router.get("/v1/models")
async def list_models(request: Request) -> dict[str, Any]:
    """List the corpora that can be searched."""
    services = services_of(request)
    manifests = await services.control.run(services.corpora.manifests)
    # `/readyz` reports corpora that cannot be searched.
    models = [_model(name, m) for name, m in manifests.items() if isinstance(m, Manifest)]
    return {"object": "list", "data": models}


@router.get("/v1/models/{model}")
async def get_model(request: Request, model: str) -> dict[str, Any]:
    """Describe one corpus."""
    services = services_of(request)
    return _model(model, await services.control.run(services.corpora.manifest, model))


def _model(name: str, manifest: Manifest) -> dict[str, Any]:
    created = int(datetime.fromisoformat(manifest.created).timestamp())
    return {"id": name, "object": "model", "created": created, "owned_by": "sage-rag"}
