"""The models that an OpenAI-compatible endpoint lists, with what it says of their contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""Fields of vLLM and SGLang, OpenRouter and Together, Groq, Mistral."""
_META_CONTEXT = "n_ctx"
"""Field of `meta` of llama.cpp. Its `n_ctx_train` is the context of the training."""
_MOST_TOKENS = 1_000_000_000
"""More is no context of a model."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model under its API name.

    `context_tokens`: how many tokens it reads and writes; `None` if the endpoint does not say.
    """

    name: str
    context_tokens: int | None


def listed_models(listing: Any) -> list[ListedModel]:
    """Return the models of an answer of `/models`.

    Raises:
        ValueError: if it is no list of models.
    """
    try:
        return [ListedModel(str(model["id"]), _context(model)) for model in listing["data"]]
    except (TypeError, KeyError):
        raise ValueError("no list of models") from None


def _context(model: dict[str, Any]) -> int | None:
    meta = model.get("meta")
    running = meta.get(_META_CONTEXT) if isinstance(meta, dict) else None
    told = [*(model.get(field) for field in _CONTEXTS), running]
    # A Boolean is an `int`, too.
    counts = [count for count in told if type(count) is int and 0 < count <= _MOST_TOKENS]
    return min(counts, default=None)
