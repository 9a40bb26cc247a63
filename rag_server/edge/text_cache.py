"""A bounded cache of the results of texts, without the texts."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

_MOST_TEXTS = 1024
_MOST_CHARACTERS = 4_000_000


class TextCache:
    """Calls a function once for a text, as long as the result is kept.

    Chat clients send the whole conversation with every turn. The least recently used results are
    dropped. A failure is not kept: the next call fails, too, or succeeds.

    Guarantees: the texts themselves are not kept, only digests under a key of this object.
    """

    def __init__(
        self,
        function: Callable[..., str],
        *,
        most_texts: int = _MOST_TEXTS,
        most_characters: int = _MOST_CHARACTERS,
    ) -> None:
        """`function`: of a text and further arguments. `most_characters`: of all results."""
        self._function = function
        self._most_texts = most_texts
        self._most_characters = most_characters
        self._key = secrets.token_bytes(32)
        self._results: OrderedDict[bytes, str] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def __call__(self, text: str, *more: Any) -> str:
        """Return the result of a text and further arguments; raises as the function.

        The `repr` of `more` distinguishes results.
        """
        data = f"{more}{text}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(data, key=self._key, digest_size=32).digest()
        with self._lock:
            if (known := self._results.get(digest)) is not None:
                self._results.move_to_end(digest)
                return known
        result = self._function(text, *more)
        with self._lock:
            self._store(digest, result)
        return result

    def _store(self, digest: bytes, result: str) -> None:
        if digest in self._results:  # another thread was faster
            return
        self._results[digest] = result
        self._characters += len(result)
        while len(self._results) > self._most_texts or self._characters > self._most_characters:
            _, dropped = self._results.popitem(last=False)
            self._characters -= len(dropped)
