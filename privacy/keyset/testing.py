"""For tests only: keysets that are sealed in microseconds, and that nothing else opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sage_rag.privacy.keyset import envelope


@contextmanager
def cheap_scrypt() -> Iterator[None]:
    """Seal with a cost that protects nothing, in this process and within this context only.

    Guarantees: a file made here opens nowhere else: it is refused as sealed too weakly.
    """
    before = envelope._cost
    envelope._cost = envelope.ScryptCost(n=16, r=1, p=1)
    try:
        yield
    finally:
        envelope._cost = before
