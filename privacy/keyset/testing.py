"""Cheap sealing for tests: it takes microseconds, and no other process opens the files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sage_rag.privacy.keyset import envelope


@contextmanager
def cheap_scrypt() -> Iterator[None]:
    """Seal with a cost that does not protect, in this process and this context only.

    Guarantees: every other process refuses the files as sealed too weakly.
    """
    before = envelope._cost
    envelope._cost = envelope.ScryptCost(n=16, r=1, p=1)
    try:
        yield
    finally:
        envelope._cost = before
