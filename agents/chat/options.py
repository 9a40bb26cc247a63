"""Settings of the model for the agents, and the one place that builds it from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sage_rag.agents.chat.calls import Budget, ModelCalls
from sage_rag.agents.chat.costs import CallCosts, Price
from sage_rag.agents.chat.rate_limits import RateLimits
from sage_rag.agents.chat.reply_cache import ReplyCache
from sage_rag.agents.chat.retries import PATIENCE_S, RetryPolicy
from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from sage_rag.agents.chat.backends.openai_chat import OpenAIChatModel
    from sage_rag.agents.chat.backends.transformers_chat import TransformersChatModel

IN_PROCESS = "transformers:"
"""Prefix of the folder or hub name of a model that runs in this process."""
_PerMillion = Annotated[float, Field(ge=0)]


class ModelOptions(BaseModel):
    """The model that the agents ask: the table `[model]` of a corpus file."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        protected_namespaces=(),
    )

    base_url: str | None = Field(
        default=None,
        description="OpenAI-compatible endpoint, ending in /v1.",
        examples=["http://localhost:11434/v1"],
    )
    name: str | None = Field(
        default=None,
        description="Model at the endpoint, or transformers:FOLDER for one in this process. "
        "Without a model, rules do the agents' roles.",
        examples=["qwen3:8b"],
    )
    price: tuple[_PerMillion, _PerMillion] | None = Field(
        default=None,
        description="Price of a million tokens: of prompts, of answers.",
        examples=[[0.15, 0.60]],
    )
    budget: float | None = Field(
        default=None,
        ge=0,
        description="Stop before a run costs more; needs `price`.",
        examples=[5.0],
    )
    budget_tokens: int | None = Field(
        default=None, ge=0, description="Stop before a run uses more tokens.", examples=[1_000_000]
    )
    requests_per_minute: float | None = Field(
        default=None, gt=0, description="Requests a minute, at most.", examples=[60]
    )
    tokens_per_minute: float | None = Field(
        default=None, gt=0, description="Tokens a minute, at most.", examples=[90_000]
    )
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens of an answer, at most (1024 in process).",
        examples=[2048],
    )
    timeout_s: float | None = Field(
        default=None, gt=0, description="Seconds to wait for one answer.", examples=[300]
    )
    patience_s: float = Field(
        default=PATIENCE_S, ge=0, description="Seconds to retry an endpoint that fails."
    )
    cache: bool = Field(
        default=True, description="Store answers, so that no answer is paid for twice."
    )

    @property
    def given(self) -> bool:
        """Whether there is a model at all; without one, rules do the roles.

        Raises:
            InputError: when an address, a model or a limit lacks the setting that it belongs to.
        """
        in_process = self.name is not None and self.name.startswith(IN_PROCESS)
        if in_process and self.base_url is not None:
            raise InputError(f"`{IN_PROCESS}` runs in this process and takes no `model.base_url`")
        if not in_process and (self.base_url is None) != (self.name is None):
            raise InputError(
                "`model.base_url` and `model.name` belong together",
                hint="--llm-base-url URL --llm-model NAME, or --llm-model transformers:FOLDER",
            )
        if self.name is None and self != ModelOptions():
            raise InputError("settings of a model need `model.name`", hint="--llm-model NAME")
        return self.name is not None


def chat_model(
    options: ModelOptions,
    *,
    concurrency: int = 8,
    cache: Path | None = None,
    sampling: Mapping[str, float] = MappingProxyType({}),
) -> ModelCalls:
    """Build the model that the options name. One per run: it holds budget, rates and costs.

    `cache`: the file for answers, in the owner's zone; not used where `options.cache` is off.
    `sampling`: `temperature` and `top_p` of an endpoint; a model in this process has temperature 0.

    Raises:
        InputError: when the options do not fit together, or name nothing that can be used.
    """
    if not options.given:
        raise InputError("no model is named", hint="--llm-base-url URL --llm-model NAME")
    price = Price(*options.price) if options.price else None
    budget = Budget(options.budget_tokens, options.budget)
    budget.require(price)
    rates = RateLimits(options.requests_per_minute, options.tokens_per_minute)
    backend = _backend(options, sampling)
    return ModelCalls(
        backend,
        settings=backend.settings,
        costs=CallCosts(price),
        budget=budget,
        rates=rates,
        retries=RetryPolicy(options.patience_s, rates=rates),
        cache=ReplyCache(cache) if cache is not None and options.cache else None,
        concurrency=concurrency,
        on_close=backend.close,
    )


def _backend(
    options: ModelOptions, sampling: Mapping[str, float]
) -> OpenAIChatModel | TransformersChatModel:
    """Build the backend; imported here, since either library takes seconds to load."""
    limits: dict[str, Any] = {"max_tokens": options.max_tokens} if options.max_tokens else {}
    name = options.name or ""
    if name.startswith(IN_PROCESS):
        from sage_rag.agents.chat.backends.transformers_chat import TransformersChatModel

        return TransformersChatModel(name.removeprefix(IN_PROCESS), **limits)
    from sage_rag.agents.chat.backends.openai_chat import OpenAIChatModel

    if options.timeout_s:
        limits["timeout_s"] = options.timeout_s
    return OpenAIChatModel(options.base_url or "", name, **(limits | {**sampling}))
