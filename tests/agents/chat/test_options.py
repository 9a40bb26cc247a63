"""From a command line to a model."""

from __future__ import annotations

import asyncio
import stat
from math import inf
from pathlib import Path

import pytest
from pydantic import ValidationError

from sage_rag.agents.chat.calls import BudgetExceededError
from sage_rag.agents.chat.options import ModelOptions, chat_model
from sage_rag.common.exceptions import InputError
from tests.agents.endpoint import ASK, endpoint, said

URL = "http://127.0.0.1:9/v1"
GIVEN = ModelOptions(base_url=URL, name="tiny")


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (ModelOptions(), False),
        (GIVEN, True),
        (ModelOptions(name="transformers:models/tiny"), True),
    ],
)
def test_whether_there_is_a_model(options: ModelOptions, given: bool) -> None:
    assert options.given is given


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (ModelOptions(base_url=URL), "belong together"),
        (ModelOptions(name="tiny"), "belong together"),
        (ModelOptions(base_url=URL, name="transformers:x"), "takes no `model.base_url`"),
        (ModelOptions(budget_tokens=5), "need `model.name`"),
        (ModelOptions(cache=False), "need `model.name`"),
    ],
)
def test_options_that_do_not_fit_together(options: ModelOptions, line: str) -> None:
    with pytest.raises(InputError, match=line):
        _ = options.given


@pytest.mark.parametrize("wrong", [(1.0,), (1.0, 2.0, 3.0), ("a", "b"), (-1.0, 2.0), (1.0, inf)])
def test_a_price_is_two_numbers(wrong: tuple[float, ...]) -> None:
    with pytest.raises(ValidationError):
        ModelOptions(price=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (ModelOptions(), "no model is named"),
        (ModelOptions(base_url=URL, name="tiny", budget=1.0), "needs a price"),
        (ModelOptions(base_url="localhost", name="tiny"), "is not an http"),
        (ModelOptions(name="transformers:./no/such/folder"), "no model"),
    ],
)
def test_what_cannot_be_built_is_one_line(options: ModelOptions, line: str) -> None:
    with pytest.raises(InputError, match=line):
        chat_model(options)


def test_a_model_is_built_with_all_that_was_said(tmp_path: Path) -> None:
    path = tmp_path / "owner" / "clinic" / "replies.sqlite"
    with endpoint(lambda body, number: said()) as server:
        options = ModelOptions(
            base_url=server.url, name="tiny", price=(1.0, 10.0), budget_tokens=130, max_tokens=77
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
    assert model.costs.line() == "1 call, 120 tokens, $0.00, 1 from the cache"


def test_no_cache_means_no_file(tmp_path: Path) -> None:
    model = chat_model(
        ModelOptions(base_url=URL, name="tiny", cache=False), cache=tmp_path / "replies.sqlite"
    )
    asyncio.run(model.close())
    assert list(tmp_path.iterdir()) == []
