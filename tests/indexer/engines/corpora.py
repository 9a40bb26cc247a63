"""Recognizers that die or fail on some documents; workers build them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import NAMES

DEADLY, FAILING = "number 7 ", "number 4 "


class MortalRecognizer(TableRecognizer):
    """Kill its process on one document, the first time; fail on another one, every time.

    The `flag` file records the first time; without it, the process is never killed.
    """

    def __init__(self, flag: str | None = None) -> None:
        super().__init__(NAMES)
        self._flag = flag

    def recognize(self, text: str) -> Sequence[Span]:
        if FAILING in text:
            raise RuntimeError(f"cannot analyse {text!r}")
        if self._flag is not None and DEADLY in text and not Path(self._flag).exists():
            Path(self._flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().recognize(text)


class SlowRecognizer(TableRecognizer):
    """Take its time over every text."""

    def __init__(self) -> None:
        super().__init__(NAMES)

    def recognize(self, text: str) -> Sequence[Span]:
        time.sleep(0.1)
        return super().recognize(text)


def table() -> TableRecognizer:
    """Return the recognizer of the small corpus."""
    return TableRecognizer(NAMES)
