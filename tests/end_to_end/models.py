"""Roles done by the model at an address, as impatient as tests are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents.model_options import ModelOptions, chat_model
from agents.model_roles import model_roles
from agents.protocols import Roles


@asynccontextmanager
async def roles_at(
    url: str, *, timeout_s: float = 20.0, patience_s: float = 20.0
) -> AsyncIterator[Roles]:
    """Yield the roles; close the model's connections afterwards."""
    options = ModelOptions(url, "tiny", timeout=timeout_s, patience=patience_s)
    model = chat_model(options)
    try:
        yield model_roles(model)
    finally:
        await model.close()
