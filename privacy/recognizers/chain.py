"""Several recognizers as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span


class ChainRecognizer:
    """Ask every recognizer; none can remove what another found."""

    def __init__(self, recognizers: Iterable[Recognizer]) -> None:
        self._recognizers = tuple(recognizers)

    @property
    def fingerprint(self) -> str:
        """The fingerprints of all, in order."""
        return "+".join(r.fingerprint for r in self._recognizers)

    def recognize(self, text: str) -> Sequence[Span]:
        """Return all spans of all recognizers. If one fails, so does the chain."""
        return [span for recognizer in self._recognizers for span in recognizer.recognize(text)]
