"""The cipher of a corpus: the one place that chooses it."""

from __future__ import annotations

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protocols import EntityCipher


def default_cipher(keyset: Keyset, corpus: str) -> EntityCipher:
    """Return the cipher that writes and reads the tokens of a corpus.

    Raises:
        InputError: for a corpus without a name.
    """
    return SivCipher(keyset, corpus)
