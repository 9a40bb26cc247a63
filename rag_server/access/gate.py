"""Admit requests: by a key, within its scopes, its rate and its budget."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from sage_rag.common.exceptions import InputError
from sage_rag.common.web.errors import ApiError, error_response
from sage_rag.rag_server.access.keys import ApiKey, KeyFile, Scope
from sage_rag.rag_server.access.meters import Meters

_OPEN = frozenset({"/healthz", "/readyz", "/openapi.json"})
"""Paths without secrets: probes and clients read them before they have a key."""
_MODELS = "/v1/models"
log = logging.getLogger("sage_rag")
VERSIONS = "/v1/versions/"
"""The files of the index, all layers included."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request. `id` is the public part of a key, `-` without one."""

    id: str = "-"
    name: str = "-"
    scopes: frozenset[Scope] = frozenset()
    spend: Callable[[int], None] = field(default=lambda tokens: None, repr=False)
    """Counts tokens against the budget of the key."""
    count: Callable[[], None] = field(default=lambda: None, repr=False)
    """Counts a request against the rate of the key; raises `ApiError` 429 above it."""

    def allows(self, scope: Scope) -> bool:
        """Return whether the caller has a scope."""
        return scope in self.scopes


def caller_of(request: Request) -> Caller:
    """Return the caller of a request that a gate admitted."""
    caller: Caller = request.state.caller
    return caller


class Gate:
    """Decide who may send a request.

    Without a file of keys everyone may chat and read metrics. Scores and the files of the index
    need a key with scope `research` or `index` in any case: a score helps an attacker to find out
    whether a record is indexed.

    An edge lists the corpora for its health check and asks whether its lookups are current: these
    requests do not count, so that they do not use up the rate for questions. A lookup that is sent
    counts (`Caller.count`).

    `meters` count rates and budgets; give the same ones to the processes of one server.
    """

    def __init__(self, keys: KeyFile | None = None, meters: Meters | None = None) -> None:
        self._keys = keys
        self._meters = meters or Meters()

    @property
    def is_open(self) -> bool:
        """Whether everyone is admitted: there is no file of keys."""
        return self._keys is None

    def admit(self, path: str, authorization: str | None) -> Caller:
        """Return the caller of a request.

        Raises:
            ApiError: 401 without a valid key, 403 without the scope, 429 above rate or budget, 503
                when the keys cannot be read.
        """
        if self._keys is None:
            caller = Caller(scopes=frozenset({Scope.CHAT, Scope.ADMIN}))
            _check_scope(path, caller.scopes)
            return caller
        key = self._found(authorization)
        if key is None:
            if path in _OPEN:
                return Caller()
            raise ApiError(
                401,
                "a valid API key is needed; hint: Authorization: Bearer sk-sage-...",
                code="invalid_api_key",
                headers={"www-authenticate": "Bearer"},
            )
        if path not in _OPEN:
            _check_scope(path, key.scopes)
            if not _is_upkeep(path):
                self._meters.request(key)
        spend, count = partial(self._meters.spend, key), partial(self._meters.request, key)
        return Caller(key.id, key.name, key.scopes, spend, count)

    def _found(self, authorization: str | None) -> ApiKey | None:
        kind, _, presented = (authorization or "").partition(" ")
        if self._keys is None or kind.lower() != "bearer":
            return None
        try:
            return self._keys.find(presented.strip())
        except InputError as error:
            log.error("%s", error.message)
            raise ApiError(503, "API keys cannot be checked", code="keys_unavailable") from None


def _is_upkeep(path: str) -> bool:
    """Return whether an edge asks for a path by itself, without a question."""
    return path == _MODELS or (path.startswith(f"{_MODELS}/") and path.endswith("/lookup"))


def _check_scope(path: str, scopes: frozenset[Scope]) -> None:
    """Return if the scopes include the one that a path needs: `chat`, also for unknown paths."""
    needed = Scope.CHAT
    if path == "/metrics":
        needed = Scope.ADMIN
    elif path.startswith(VERSIONS):
        needed = Scope.INDEX
    if needed not in scopes:
        message = f"this needs an API key with the scope `{needed}`"
        raise ApiError(403, message, code="insufficient_scope")


class RequireKey:
    """Middleware: admit each HTTP request at a gate, and keep its caller in `request.state`."""

    def __init__(self, app: ASGIApp, *, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http":
            try:
                authorization = Headers(scope=scope).get("authorization")
                caller = self._gate.admit(scope["path"], authorization)
            except ApiError as refusal:
                await error_response(refusal)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)
