"""Options of verbs that ask a model, and the one place that builds it from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from sage_rag.agents.chat.accounting import Accounts, Price
from sage_rag.agents.chat.calls import Budget, ModelCalls
from sage_rag.agents.chat.rates import Rates
from sage_rag.agents.chat.reply_cache import ReplyCache
from sage_rag.agents.chat.retries import PATIENCE_S, Retrying
from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from sage_rag.agents.chat.backends.openai_chat import OpenAIChatModel
    from sage_rag.agents.chat.backends.transformers_chat import TransformersChatModel

IN_PROCESS = "transformers:"
"""What stands before the folder or hub name of a model that runs in this process."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a command line says about the model for the agents; the defaults are its defaults."""

    base_url: str | None = None
    model: str | None = None
    price: str | None = None
    budget: float | None = None
    budget_tokens: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    patience: float = PATIENCE_S
    cache: bool = True

    @property
    def given(self) -> bool:
        """Whether there is a model at all; without one, rules do the roles.

        Raises:
            InputError: when an address, a model, or a limit is named without what it belongs to.
        """
        in_process = self.model is not None and self.model.startswith(IN_PROCESS)
        if in_process and self.base_url is not None:
            raise InputError(f"`{IN_PROCESS}` runs in this process and takes no --llm-base-url")
        if not in_process and (self.base_url is None) != (self.model is None):
            raise InputError(
                "--llm-base-url and --llm-model belong together",
                hint=f"or --llm-model {IN_PROCESS}FOLDER, which needs no address",
            )
        if self.model is None and self != ModelOptions():
            raise InputError("options for a model need --llm-model")
        return self.model is not None

    def parsed_price(self) -> Price | None:
        """Return the price, given as `0.15,0.60`: a million tokens of prompt, of answer."""
        if self.price is None:
            return None
        try:
            prompt, completion = (float(part) for part in self.price.split(","))
        except ValueError:
            prompt = completion = -1.0
        if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
            raise InputError("--llm-price is two numbers", hint="e.g. --llm-price 0.15,0.60")
        return Price(prompt, completion)


def _option(kind: Any, flag: str, explained: str, **limits: Any) -> Any:
    return Annotated[kind, typer.Option(flag, help=explained, show_default=False, **limits)]


_OPTIONS: dict[str, Any] = {
    "base_url": _option(
        str | None, "--llm-base-url", "OpenAI-compatible endpoint for the agents, ending in /v1."
    ),
    "model": _option(
        str | None,
        "--llm-model",
        "Model at that endpoint, or transformers:FOLDER. Without one, rules do the roles.",
    ),
    "price": _option(
        str | None,
        "--llm-price",
        "Of a million prompt and answer tokens, e.g. 0.15,0.60.",
        metavar="P,A",
    ),
    "budget": _option(float | None, "--llm-budget", "Stop before more money is spent.", min=0.0),
    "budget_tokens": _option(
        int | None, "--llm-budget-tokens", "Stop before more tokens are used.", min=0
    ),
    "requests_per_minute": _option(
        float | None, "--llm-requests-per-minute", "Ask no faster than that.", min=0.001
    ),
    "tokens_per_minute": _option(
        float | None, "--llm-tokens-per-minute", "Use no more tokens than that.", min=1.0
    ),
    "max_tokens": _option(
        int | None,
        "--llm-max-tokens",
        "Length of one answer at most: 2048 (1024 in process).",
        min=1,
    ),
    "timeout": _option(
        float | None, "--llm-timeout", "Seconds to wait for one answer: 300.", min=0.1
    ),
    "patience": _option(
        float, "--llm-patience", "Seconds to go on asking a failing endpoint: 300.", min=0.0
    ),
    "cache": _option(
        bool, "--llm-cache/--no-llm-cache", "Keep answers, so that none is paid for twice."
    ),
}
"""Each field of `ModelOptions` as typer reads it."""


def with_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a typer command all `--llm-...` options in the place of its parameter `llm`."""
    signature = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    defaults, options = ModelOptions(), {f"llm_{name}": kind for name, kind in _OPTIONS.items()}
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name != "llm":
            annotation = hints.get(parameter.name, parameter.annotation)
            parameters.append(parameter.replace(annotation=annotation, kind=parameter.KEYWORD_ONLY))
            continue
        parameters += [
            inspect.Parameter(
                name,
                parameter.KEYWORD_ONLY,
                default=getattr(defaults, name.removeprefix("llm_")),
                annotation=kind,
            )
            for name, kind in options.items()
        ]

    @wraps(command)
    def run(**arguments: Any) -> None:
        values = {n.removeprefix("llm_"): arguments.pop(n) for n in options if n in arguments}
        command(**arguments, llm=ModelOptions(**values))

    vars(run).pop("__wrapped__")
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)
    return run


def chat_model(
    options: ModelOptions, *, concurrency: int = 8, cache: Path | None = None
) -> ModelCalls:
    """Build the model that the options name. One per run: it holds budget, rates and accounts.

    `cache`: the file for answers, in the owner's zone; kept out of use by `--no-llm-cache`.

    Raises:
        InputError: when the options do not fit together, or name nothing that can be used.
    """
    if not options.given:
        raise InputError("no model is named", hint="--llm-base-url URL --llm-model NAME")
    price, budget = options.parsed_price(), Budget(options.budget_tokens, options.budget)
    budget.require(price)
    rates = Rates(options.requests_per_minute, options.tokens_per_minute)
    backend = _backend(options)
    return ModelCalls(
        backend,
        settings=backend.settings,
        accounts=Accounts(price),
        budget=budget,
        rates=rates,
        retrying=Retrying(options.patience, rates=rates),
        cache=ReplyCache(cache) if cache is not None and options.cache else None,
        concurrency=concurrency,
        on_close=backend.close,
    )


def _backend(options: ModelOptions) -> OpenAIChatModel | TransformersChatModel:
    """Build the backend; imported here, since either library takes seconds to load."""
    limits: dict[str, Any] = {"max_tokens": options.max_tokens} if options.max_tokens else {}
    name = options.model or ""
    if name.startswith(IN_PROCESS):
        module = import_module("sage_rag.agents.chat.backends.transformers_chat")
        local: TransformersChatModel = module.TransformersChatModel(
            name.removeprefix(IN_PROCESS), **limits
        )
        return local
    module = import_module("sage_rag.agents.chat.backends.openai_chat")
    if options.timeout:
        limits["timeout_s"] = options.timeout
    served: OpenAIChatModel = module.OpenAIChatModel(options.base_url, name, **limits)
    return served
