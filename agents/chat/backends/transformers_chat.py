"""A language model of transformers in this process, for machines without a server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from jinja2 import TemplateError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    StoppingCriteria,
    StoppingCriteriaList,
    TextStreamer,
)

from sage_rag.agents.chat.backends.turns import turns_of
from sage_rag.agents.chat.protocols import ChatMessage, Reply, TokenUsage, UnusableReplyError
from sage_rag.common.exceptions import InputError
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.recognizers.backends.models import (
    folder_digest,
    model_folder,
    quiet_loading,
    torch_device,
)

MAX_TOKENS = 1_024
_CONTEXT = 2_048
"""Tokens of question and answer if the model's configuration contains no limit."""
_TURNS = {"system": "System", "user": "User", "assistant": "Assistant"}
_NEXT_TURN = f"\n\n{_TURNS['user']}:"
"""What a model without a template writes after its answer."""


class TransformersChatModel:
    """Complete conversations greedily, one at a time, in a thread of the model's own.

    The model's chat template formats the messages; a model without a template gets plain turns.
    Special tokens inside a message are broken up, so that a text cannot pretend to be another
    turn. Code that comes with a model is never run. `shape` is not enforced.
    """

    def __init__(self, model: str, *, max_tokens: int = MAX_TOKENS) -> None:
        """Load a model from a folder, or by its name on the hub, once per process.

        Raises:
            InputError: when there is no such model, or it is not a language model.
        """
        folder = model_folder(model)
        self._loaded = _load(folder.resolve())
        self._max_tokens = max_tokens
        self.name = f"transformers:{_short_name(model, folder)}@{self._loaded.digest}"
        """The model's name and a digest of its files, without their path."""
        self.settings = json.dumps({"max_tokens": max_tokens})
        """What decides an answer besides the model and the messages."""

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        stage: str = "",
        shape: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return the answer; `finished` is false if it was cut off.

        When the call is cancelled, generation stops at the next token.

        Raises:
            UnusableReplyError: when the prompt leaves no room for an answer, or it is empty.
        """
        stop = threading.Event()
        loop = asyncio.get_running_loop()
        arguments = (list(messages), self._max_tokens, stop)
        try:
            return await loop.run_in_executor(self._loaded.thread, self._loaded.answer, *arguments)
        finally:
            stop.set()

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int
    ) -> AsyncGenerator[str | Reply, None]:
        """Yield the answer's text in pieces, and at the end the whole reply.

        When the generator is closed, generation stops at the next token.

        Raises:
            UnusableReplyError: as `complete` does.
        """
        stop = threading.Event()
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()

        def put(text: str) -> None:
            if not stop.is_set():
                loop.call_soon_threadsafe(pieces.put_nowait, text)

        arguments = (list(messages), max_tokens, stop, put)
        work = loop.run_in_executor(self._loaded.thread, self._loaded.answer, *arguments)
        work.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            yield await work
        finally:
            stop.set()

    @property
    def context_tokens(self) -> int:
        """Tokens that the model reads and writes at most."""
        return self._loaded.context

    async def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Return the tokens of a prompt with these messages, counted in a thread of its own."""
        loop = asyncio.get_running_loop()
        arguments = (list(messages),)
        return await loop.run_in_executor(
            self._loaded.counting, self._loaded.prompt_tokens, *arguments
        )

    async def close(self) -> None:
        """Do nothing: the model stays loaded for the next caller."""


class _Stop(StoppingCriteria):
    """Stops generation once its caller no longer waits."""

    def __init__(self, event: threading.Event) -> None:
        self._event = event

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        return torch.full((input_ids.shape[0],), self._event.is_set(), device=input_ids.device)


class _Pieces(TextStreamer):
    """Passes an answer's text on while it is written, without spaces at its ends.

    `end`: what follows the answer and is no part of it.
    """

    def __init__(self, tokenizer: Any, put: Callable[[str], None], end: str | None) -> None:
        super().__init__(tokenizer, skip_prompt=True, skip_special_tokens=True)
        self._put = put
        self._end = end
        self._held = ""
        self._begun = self._ended = False

    def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
        """Take the next piece of text."""
        if self._ended:
            return
        self._held += text
        if self._end is not None:
            self._held, found, _ = self._held.partition(self._end)
            self._ended = bool(found)
        self._held = self._held if self._begun else self._held.lstrip()
        ready = self._held.rstrip()
        if self._end is not None and not self._ended and not stream_end:
            ready = ready[: len(ready) - _overlap(ready, self._end)]
        self._held = self._held[len(ready) :]
        if ready:
            self._begun = True
            self._put(ready)


class _LoadedModel:
    """Weights and tokenizer of one folder, and the thread that uses them.

    `counting` is a thread with a tokenizer of its own: no two threads share one, and a count does
    not wait for the answers to other questions.
    """

    def __init__(self, folder: Path) -> None:
        quiet_loading()
        self._device = torch_device()
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
            model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype="auto")
        except (OSError, ValueError) as error:
            raise InputError(
                f"model `{folder.name}` is not a language model ({type(error).__name__})",
                hint="give a folder with config.json, weights and tokenizer",
            ) from None
        self._counter = deepcopy(self._tokenizer)
        self._model = model.to(self._device).eval()
        ends = model.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = [e for e in (ends if isinstance(ends, list) else [ends]) if e is not None]
        self.context = getattr(model.config, "max_position_embeddings", None) or _CONTEXT
        self._marks = sorted(
            {t.content for t in self._tokenizer.added_tokens_decoder.values() if t.special},
            key=len,
            reverse=True,
        )
        self.digest = folder_digest(folder)
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="transformers")
        self.counting = ThreadPoolExecutor(1, thread_name_prefix="tokens")

    @torch.inference_mode()
    def answer(
        self,
        messages: list[ChatMessage],
        max_tokens: int,
        stop: threading.Event,
        put: Callable[[str], None] | None = None,
    ) -> Reply:
        prompt = self._encoded(self._tokenizer, messages).to(self._device)
        length = int(prompt["input_ids"].shape[1])
        room = min(max_tokens, self.context - length)
        if room < 1:
            raise UnusableReplyError("the prompt is too long for the model")
        # The folder's own generation settings may sample.
        greedy = GenerationConfig(  # type: ignore[no-untyped-call]
            do_sample=False,
            max_new_tokens=room,
            eos_token_id=self._ends or None,
            pad_token_id=self._tokenizer.pad_token_id or 0,
        )
        end = None if self._tokenizer.chat_template else _NEXT_TURN
        ids = self._model.generate(
            input_ids=prompt["input_ids"],
            attention_mask=prompt["attention_mask"],
            generation_config=greedy,
            stopping_criteria=StoppingCriteriaList([_Stop(stop)]),
            streamer=None if put is None else _Pieces(self._tokenizer, put, end),
        )[0, length:]
        text, finished = self._decoded(ids.tolist())
        usage = TokenUsage(length, len(ids))
        if not text:
            raise UnusableReplyError("the model's answer is empty", usage=usage)
        return Reply(text, usage, finished)

    def prompt_tokens(self, messages: list[ChatMessage]) -> int:
        return int(self._encoded(self._counter, messages)["input_ids"].shape[1])

    def _encoded(self, tokenizer: Any, messages: list[ChatMessage]) -> Any:
        """Return the prompt's ids, formatted by the model's template or as plain turns."""
        turns = turns_of(messages, self._without_marks)
        if not tokenizer.chat_template:
            return tokenizer(_plain(turns), return_tensors="pt")
        try:
            return _templated(tokenizer, turns)
        except TemplateError:
            # Some templates have no system role and require alternating turns.
            return _templated(tokenizer, _without_system(turns))

    def _decoded(self, ids: list[int]) -> tuple[str, bool]:
        """Return the answer's text, and whether the model ended it by itself."""
        finished = bool(ids) and ids[-1] in self._ends
        text = str(self._tokenizer.decode(ids, skip_special_tokens=True))
        if not self._tokenizer.chat_template:
            # A model without training on turns continues with the next one.
            text, next_turn, _ = text.partition(_NEXT_TURN)
            finished = finished or bool(next_turn)
        return text.strip(), finished

    def _without_marks(self, content: str) -> str:
        content = well_formed(content)
        for mark in self._marks:
            content = content.replace(mark, f"{mark[:1]} {mark[1:]}")
        return content


def _overlap(text: str, mark: str) -> int:
    """Return how many characters at the end of a text may begin a mark."""
    sizes = range(min(len(text), len(mark) - 1), 0, -1)
    return next((size for size in sizes if text.endswith(mark[:size])), 0)


@lru_cache(maxsize=1)
def _load(folder: Path) -> _LoadedModel:
    """Load a folder, unless it is the one loaded last: memory holds one at a time."""
    return _LoadedModel(folder)


def _short_name(model: str, folder: Path) -> str:
    return folder.resolve().name if Path(model).is_dir() else model


def _templated(tokenizer: Any, turns: list[dict[str, str]]) -> Any:
    # Templates without this switch ignore it; a record needs no reasoning text.
    return tokenizer.apply_chat_template(
        turns,
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
        enable_thinking=False,
    )


def _plain(turns: list[dict[str, str]]) -> str:
    lines = [f"{_TURNS[turn['role']]}: {turn['content']}" for turn in turns]
    return "\n\n".join([*lines, f"{_TURNS['assistant']}:"])


def _without_system(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    """Put the system messages in front of the first other message."""
    system = [turn["content"] for turn in turns if turn["role"] == "system"]
    rest = [dict(turn) for turn in turns if turn["role"] != "system"]
    if rest:
        rest[0]["content"] = "\n\n".join([*system, rest[0]["content"]])
    return rest
