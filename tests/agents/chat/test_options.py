"""From a command line to a model."""

from __future__ import annotations

import asyncio
import stat
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from sage_rag.agents.chat.accounting import Price
from sage_rag.agents.chat.calls import BudgetExceededError
from sage_rag.agents.chat.options import _OPTIONS, ModelOptions, chat_model, with_model_options
from sage_rag.common.exceptions import InputError
from tests.agents.endpoint import ASK, endpoint, said

URL = "http://127.0.0.1:9/v1"
GIVEN = ModelOptions(base_url=URL, model="tiny")


@with_model_options
def verb(
    corpus: Annotated[Path, typer.Argument(help="What to index.")],
    llm: ModelOptions,
    concurrency: Annotated[int, typer.Option(min=1)] = 8,
    plain: Annotated[bool, typer.Option("--plain")] = False,
) -> None:
    """Do something with a model.

    Example: verb notes.jsonl
    """
    typer.echo(repr((str(corpus), llm, concurrency, plain)))


APP = typer.Typer()
APP.command()(verb)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(APP, ["notes.jsonl", *arguments], env={"COLUMNS": "200"})
    return result.output.strip()


def test_a_verb_gets_all_options_and_keeps_its_own() -> None:
    assert run() == repr(("notes.jsonl", ModelOptions(), 8, False))
    options = ModelOptions(
        base_url=URL, model="tiny", price="0.15,0.60", budget=2.5, budget_tokens=1000,
        requests_per_minute=60.0, tokens_per_minute=9000.0, max_tokens=512, timeout=30.0,
        patience=60.0, cache=False,
    )  # fmt: skip
    given = (
        f"--llm-base-url {URL} --llm-model tiny --llm-price 0.15,0.60 --llm-budget 2.5 "
        "--llm-budget-tokens 1000 --llm-requests-per-minute 60 --llm-tokens-per-minute 9000 "
        "--llm-max-tokens 512 --llm-timeout 30 --llm-patience 60 --no-llm-cache"
    )
    assert run(*given.split(), "--concurrency", "3", "--plain") == repr(
        ("notes.jsonl", options, 3, True)
    )


def test_every_field_is_an_option_and_help_names_it() -> None:
    assert list(_OPTIONS) == [each.name for each in fields(ModelOptions)]
    shown = run("--help")
    assert "Do something with a model." in shown
    assert all(f"--llm-{name.replace('_', '-')}" in shown for name in _OPTIONS)


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (ModelOptions(), False),
        (GIVEN, True),
        (ModelOptions(model="transformers:models/tiny"), True),
    ],
)
def test_whether_there_is_a_model(options: ModelOptions, given: bool) -> None:
    assert options.given is given


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (ModelOptions(base_url=URL), "belong together"),
        (ModelOptions(model="tiny"), "belong together"),
        (ModelOptions(base_url=URL, model="transformers:x"), "takes no --llm-base-url"),
        (ModelOptions(budget_tokens=5), "need --llm-model"),
        (ModelOptions(cache=False), "need --llm-model"),
    ],
)
def test_options_that_do_not_fit_together(options: ModelOptions, line: str) -> None:
    with pytest.raises(InputError, match=line):
        _ = options.given


def test_a_price_is_two_numbers() -> None:
    assert replace(GIVEN, price="0.15, 0.60").parsed_price() == Price(0.15, 0.60)
    assert GIVEN.parsed_price() is None
    for wrong in ("1", "1,2,3", "a,b", "-1,2", "1,inf", "nan,1", ""):
        with pytest.raises(InputError, match="two numbers"):
            replace(GIVEN, price=wrong).parsed_price()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (ModelOptions(), "no model is named"),
        (replace(GIVEN, budget=1.0), "needs a price"),
        (replace(GIVEN, base_url="localhost"), "is not an http"),
        (ModelOptions(model="transformers:./no/such/folder"), "no model"),
    ],
)
def test_what_cannot_be_built_is_one_line(options: ModelOptions, line: str) -> None:
    with pytest.raises(InputError, match=line):
        chat_model(options)


def test_a_model_is_built_with_all_that_was_said(tmp_path: Path) -> None:
    path = tmp_path / "owner" / "clinic" / "replies.sqlite"
    with endpoint(lambda body, number: said()) as server:
        options = ModelOptions(
            base_url=server.url, model="tiny", price="1,10", budget_tokens=130, max_tokens=77
        )
        model = chat_model(options, concurrency=2, cache=path)

        async def main() -> None:
            await model.complete(ASK, stage="extract")
            await model.complete(ASK, stage="extract")
            with pytest.raises(BudgetExceededError):
                await model.complete(ASK * 9, stage="extract")
            await model.close()

        asyncio.run(main())
    assert model.name == "tiny"
    assert server.asked[0]["max_tokens"] == 77
    assert len(server.asked) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert model.accounts.line() == "1 call, 120 tokens, $0.00, 1 from the cache"


def test_no_cache_means_no_file(tmp_path: Path) -> None:
    model = chat_model(replace(GIVEN, cache=False), cache=tmp_path / "replies.sqlite")
    asyncio.run(model.close())
    assert list(tmp_path.iterdir()) == []
