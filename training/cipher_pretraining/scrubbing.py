"""Texts with every recognised value replaced by its type, as a comparison with encryption.

Source: Kobashi et al., Crypto-LLM, Figure 1 (centre) and §2.1. Differs: our recognizer instead of
Presidio.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.default import default_recognizer

_POLICY = "redact-all"
_PASSAGE = 4000
"""Characters that the recognizer reads at once: enough context, and an even use of memory."""


def scrubbed_texts(texts: Iterable[str], recognizer: Recognizer | None = None) -> Iterator[str]:
    """Yield texts with recognised values replaced.

    Does not guarantee: that the recognizer finds every value.

    Raises:
        ProtectionError: when a value cannot be replaced.
    """
    # The policy encrypts nothing, so the keyset is never used.
    cipher = default_cipher(Keyset.generate(), "scrubbing")
    protector = Protector(recognizer or default_recognizer(), preset(_POLICY), cipher)
    for text in texts:
        yield "".join(protector.pseudonymize(passage) for passage in passages(text))


def passages(text: str, size: int = _PASSAGE) -> Iterator[str]:
    """Cut a text at ends of lines into passages of about `size` characters; none is lost."""
    passage: list[str] = []
    length = 0
    for line in text.splitlines(keepends=True):
        passage.append(line)
        length += len(line)
        if length >= size:
            yield "".join(passage)
            passage, length = [], 0
    yield "".join(passage)
