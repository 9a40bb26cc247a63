"""Ask a chat model many questions at once, from code that is not asynchronous."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from sage_rag.agents.chat.protocols import ChatModel

_T = TypeVar("_T")


class Asking:
    """A model and the event loop that its connections belong to.

    Not for use inside a running event loop.
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self._runner = asyncio.Runner()

    def all(self, questions: Sequence[Coroutine[Any, Any, _T]]) -> list[_T]:
        """Return the answers in order; after the first error the other questions are cancelled.

        Raises:
            SageRagError: what the first failing question raises.
        """
        return self._runner.run(_gathered(questions))

    def close(self) -> None:
        """Close the loop, and what the model holds where it has a way to close it."""
        close = getattr(self.model, "close", None)
        if close is not None:
            self._runner.run(close())
        self._runner.close()


async def _gathered(questions: Sequence[Coroutine[Any, Any, _T]]) -> list[_T]:
    tasks = [asyncio.ensure_future(question) for question in questions]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


@cache
def prompt(name: str) -> str:
    """Return a system prompt of this package, without its leading comment."""
    source = resources.files(__package__).joinpath("prompts", f"{name}.md").read_text("utf-8")
    return source.split("-->", 1)[1].strip()


def prompts_fingerprint(*names: str) -> str:
    """Return twelve hex digits that change with any of these prompts."""
    return hashlib.sha256("\n".join(map(prompt, names)).encode()).hexdigest()[:12]
