"""`/v1/models`: each published corpus is a model."""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request

from sage_rag.indexer.versions import Manifest
from sage_rag.rag_server.access.gate import caller_of
from sage_rag.rag_server.services import Services, services_of

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


@router.get("/v1/models/{model}/lookup")
async def get_lookup(request: Request, model: str, known: str = "") -> dict[str, str]:
    """Return the sealed lookup of a corpus, in Base64, and its tag; only the tag if it is `known`.

    An edge reads short questions with it. It needs a key to be opened. Only a lookup that is sent
    counts as a request of the caller.

    Raises:
        ApiError: 429 when the caller may send no request now.
    """
    services = services_of(request)
    found = await services.control.run(_lookup, services, model, known)
    if "lookup" in found:
        caller_of(request).count()
    return found


def _lookup(services: Services, model: str, known: str) -> dict[str, str]:
    """Return the answer of `get_lookup`; a lookup can have many megabytes, so a thread makes it."""
    sealed = services.corpora.lookup(model)
    tag = hashlib.sha256(sealed or b"").hexdigest()[:16]
    if sealed is None or tag == known:
        return {"tag": tag}
    return {"tag": tag, "lookup": base64.b64encode(sealed).decode()}


def _model(name: str, manifest: Manifest) -> dict[str, Any]:
    created = int(datetime.fromisoformat(manifest.created).timestamp())
    return {"id": name, "object": "model", "created": created, "owned_by": "sage-rag"}
