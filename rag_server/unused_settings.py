"""Refuse settings that would have no effect: an option that is given is never ignored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sage_rag.agents.chat.options import IN_PROCESS
from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.settings import (
    EdgeSettings,
    SearchSettings,
    ServeSettings,
    ServiceSettings,
)

_ENDPOINT = ("llm_api_key", "llm_api_key_file", "llm_timeout_s")
_MODEL = ("llm_base_url", "llm_model", *_ENDPOINT, "llm_context_tokens")
_SEARCH = tuple(
    name for name in SearchSettings.model_fields if name not in ServiceSettings.model_fields
)
_NETWORK = ("server_api_key", "server_api_key_file", "server_ca", "timeout_s")


def refuse_unused(settings: ServeSettings | EdgeSettings) -> None:
    """Raise an error if a setting differs from its default and nothing would read it.

    Raises:
        InputError: names the setting and what it contradicts, never its value.
    """
    if settings.tokens is not None and settings.insecure_no_auth:
        raise InputError(
            "settings `tokens` and `insecure_no_auth` contradict each other",
            hint="leave out --insecure-no-auth to ask for the keys of --tokens",
        )
    for names, reason, hint in _unused(settings):
        if given := next(_given(settings, names), None):
            hint = f"{hint}, or leave `{given}` out"
            raise InputError(f"setting `{given}` has no effect {reason}", hint=hint)


def _unused(settings: ServeSettings | EdgeSettings) -> Iterator[tuple[Iterable[str], str, str]]:
    """Yield names of settings that are not read, the reason, and what would make them read."""
    if isinstance(settings, EdgeSettings):
        if settings.local is None:
            yield _SEARCH, "without --local: the server searches and answers", "give --local DIR"
            return
        if not settings.sync:
            yield _NETWORK, "with --local: no server is asked", "add --sync and --server"
    if settings.answerer == "extractive":
        yield _MODEL, "with the answerer `extractive`, which asks no model", "--answerer chat"
        return
    if settings.reader != "off":
        yield ("reader",), "with the answerer `chat`", "--answerer extractive"
    if (settings.llm_model or "").startswith(IN_PROCESS):
        yield _ENDPOINT, f"with a model `{IN_PROCESS}...` in this process", "give --llm-base-url"


def _given(settings: SearchSettings, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of settings that differ from their defaults."""
    fields = type(settings).model_fields
    return (name for name in names if getattr(settings, name) != fields[name].default)
