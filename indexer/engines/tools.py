"""What a worker does: it builds a recognizer and an embedder, and answers what it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from sage_rag.common.exceptions import ProtectionError, SageRagError
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.protocols import Recognizer

Task = Literal["introduce", "recognize", "embed"]


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """How to build what a worker needs: importable functions, since models do not travel."""

    recognizer: Callable[[], Recognizer]
    embedder: Callable[[], Embedder]


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """A worker's answer, or why there is none; an account of a failure holds no text."""

    value: Any = None
    failure: SageRagError | None = None


class WorkerTools:
    """A worker's end of the line.

    Guarantees: whatever goes wrong is an answer. An exception could quote the text, and those who
    carry exceptions between processes write them to logs.
    """

    def __init__(self, tools: WorkerSetup) -> None:
        self._tools = tools

    def answer(self, task: Task, argument: Any = None) -> WorkerReply:
        """Do one task: spans of a text, vectors of texts, or who this worker is."""
        try:
            return WorkerReply(self._done(task, argument))
        except SageRagError as error:
            return WorkerReply(failure=error)
        except Exception as error:  # noqa: BLE001 - its message may hold the text
            kind = type(error).__name__
            if task == "recognize":
                return WorkerReply(failure=ProtectionError(f"recognising failed: {kind}"))
            return WorkerReply(failure=SageRagError(f"a worker failed to {task}: {kind}"))

    def _done(self, task: Task, argument: Any) -> Any:
        if task == "recognize":
            return list(self._recognizer.recognize(argument))
        if task == "embed":
            return self._embedder.embed(argument)
        return self._recognizer.fingerprint, self._embedder.name

    @cached_property
    def _recognizer(self) -> Recognizer:
        return self._tools.recognizer()

    @cached_property
    def _embedder(self) -> Embedder:
        return self._tools.embedder()
