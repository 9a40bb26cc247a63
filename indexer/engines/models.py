"""The models of an indexing worker: a recognizer and an embedder."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sage_rag.common.exceptions import ProtectionError, SageRagError
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.protocols import Recognizer

RECOGNIZE, EMBED = "recognize", "embed"
"""The tasks of a worker: spans of a text, vectors of texts."""


@dataclass(frozen=True, slots=True)
class ModelHandler:
    """Answer with a recognizer and an embedder."""

    recognizer: Recognizer
    embedder: Embedder

    @property
    def fingerprint(self) -> str:
        """Changes with the recognizer and the embedder."""
        return f"{self.recognizer.fingerprint}|{self.embedder.name}"

    def answer(self, task: str, argument: Any) -> Any:
        """Return the spans of a text, or the vectors of texts."""
        if task == EMBED:
            return self.embedder.embed(argument)
        try:
            return list(self.recognizer.recognize(argument))
        except SageRagError:
            raise
        except Exception as error:  # noqa: BLE001 - its message may hold the text
            raise ProtectionError(f"recognising failed: {type(error).__name__}") from None


class FirstAlone:
    """Let a handler answer the first question of each task alone, since it loads a model."""

    def __init__(self, handler: ModelHandler) -> None:
        self._handler = handler
        self._answered: set[str] = set()
        self._turn = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """The handler's."""
        return self._handler.fingerprint

    def answer(self, task: str, argument: Any) -> Any:
        """Return the handler's answer."""
        if task in self._answered:
            return self._handler.answer(task, argument)
        with self._turn:
            answer = self._handler.answer(task, argument)
            self._answered.add(task)
            return answer


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """How a worker builds its models: importable functions, since models do not travel."""

    recognizer: Callable[[], Recognizer]
    embedder: Callable[[], Embedder]

    def __call__(self) -> ModelHandler:
        """Build the models."""
        return ModelHandler(self.recognizer(), self.embedder())
