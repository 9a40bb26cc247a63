"""A recognizer that asks a chat model.

The endpoint reads every text in clear, before anything is protected. It must be the owner's own: on
the same machine, or one that may read the corpus. All other roles of a model read placeholders.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sage_rag.agents.chat.protocols import ChatMessage, ChatModel
from sage_rag.agents.prompts import prompt
from sage_rag.common.exceptions import ProtectionError
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.recognizers.backends.default_labels import DEFAULT_LABELS
from sage_rag.privacy.recognizers.backends.extraction import Value, locate
from sage_rag.privacy.recognizers.windows import windows
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of how values are asked for or located in a text."""

_WINDOW_CHARS, _MARGIN_CHARS = 6_000, 300
"""About 1,500 words per call keep answers short; no value is longer than the margin."""
_SCORE = 0.8
"""A generated answer has no probability. Lower than the score of a pattern with a checksum."""
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)

_T = TypeVar("_T")


class _NamedValue(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: EntityType
    text: str = Field(min_length=1)

    @field_validator("type")
    @classmethod
    def _is_no_mark(cls, found: EntityType) -> EntityType:
        if identifiability(found) is Identifiability.TECHNICAL:
            raise ValueError("our own marks are not values of a text")
        return found


class _ValuesAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    values: list[_NamedValue]


class LlmRecognizer:
    """Ask a model which values a text contains, and find them in it.

    `kinds`: entity types by their description in the prompt. `disconnect` closes the model's
    connections of the loop that calls it; this recognizer has connections of its own. Blocks until
    the model has answered: from a running event loop, call it in a thread.

    Guarantees: an answer that does not fit is requested once more, with the reason; if that fails
    too, an error is raised instead of an empty result. Every span contains a named value.
    Does not guarantee: that the model names every value, nor that no text can mislead it. Chain it
    with recognizers that follow no instructions.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        kinds: Mapping[str, EntityType] = DEFAULT_LABELS,
        disconnect: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._model = model
        listed = "\n".join(f"- {entity_type}: {words}" for words, entity_type in kinds.items())
        self._system = prompt("recognize").substitute(kinds=listed)
        self._loop = _LoopThread(disconnect)
        settings = hashlib.sha256(f"{self._system}{VERSION}".encode()).hexdigest()[:12]
        self.fingerprint: Final = f"llm-{model.name}-{settings}"
        """The model's name and a digest of the prompt; the model behind the name may change."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of one text.

        Raises:
            ProtectionError: when the model's answers do not fit, twice.
            UpstreamError: when the model cannot be reached.
        """
        if not text.strip():
            return []
        values = self._loop.run(self._values(well_formed(text)))
        return locate(text, values, _SCORE)

    def close(self) -> None:
        """End the thread that waits for the model, and its connections; later calls fail.

        Without a call this happens when the recognizer is collected or the process ends.
        """
        self._loop.close()

    async def _values(self, text: str) -> list[Value]:
        parts = windows(len(text), size=_WINDOW_CHARS, margin=_MARGIN_CHARS)
        shown = (text[part.start : part.end] for part in parts)
        return [value for part in shown if part.strip() for value in await self._ask(part)]

    async def _ask(self, text: str) -> list[Value]:
        messages = [ChatMessage("system", self._system), ChatMessage("user", text)]
        answer = (await self._model.complete(messages, stage="recognize")).text
        try:
            return self._parse(answer)
        except ValidationError as error:
            complaint = f"That does not fit: {_reason(error)}. Answer again, with JSON alone."
        messages += [ChatMessage("assistant", answer), ChatMessage("user", complaint)]
        try:
            return self._parse((await self._model.complete(messages, stage="recognize")).text)
        except ValidationError as error:
            raise ProtectionError(
                f"the recognizing model's answer does not fit: {_reason(error)}"
            ) from None

    def _parse(self, answer: str) -> list[Value]:
        """Read JSON from an answer, with or without a fence or words around it."""
        fenced = _FENCE.search(answer)
        content = fenced.group(1) if fenced else answer[answer.find("{") : answer.rfind("}") + 1]
        parsed = _ValuesAnswer.model_validate_json(content)
        return [Value(named.text, named.type) for named in parsed.values]


def _reason(error: ValidationError) -> str:
    """Return what is wrong without quoting the answer, which quotes the text."""
    first = error.errors(include_input=False, include_context=False)[0]
    places = [str(part) for part in first["loc"] if isinstance(part, int) or part in _FIELDS]
    return f"{'.'.join(places) or 'answer'}: {first['type']}"


_FIELDS = frozenset({*_ValuesAnswer.model_fields, *_NamedValue.model_fields})


class _LoopThread:
    """One event loop in a thread of its own, started on first use.

    A client's connections belong to a loop, so a new loop per call would break them.
    """

    def __init__(self, at_end: Callable[[], Awaitable[None]] | None) -> None:
        self._at_end = at_end
        self._lock = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def run(self, call: Coroutine[Any, Any, _T]) -> _T:
        """Wait for a coroutine from any thread, with or without a running loop."""
        with self._lock:  # so that `close` cancels every call that was started
            try:
                loop = self._running()
            except RuntimeError:
                call.close()
                raise
            waiting = asyncio.run_coroutine_threadsafe(call, loop)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()
            raise

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._loop is not None:
                self._finalizer()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise RuntimeError("the recognizer is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=self._loop.run_forever, name="recognizer", daemon=True
                )
                thread.start()
                # Runs once: when closed, when collected, or when the process ends.
                self._finalizer = weakref.finalize(self, _end, self._loop, thread, self._at_end)
            return self._loop


def _end(
    loop: asyncio.AbstractEventLoop,
    thread: threading.Thread,
    at_end: Callable[[], Awaitable[None]] | None,
) -> None:
    """Cancel waiting calls, so that their callers return, and end the thread."""
    try:
        asyncio.run_coroutine_threadsafe(_wind_up(at_end), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _wind_up(at_end: Callable[[], Awaitable[None]] | None) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if at_end is not None:
        await at_end()
