"""Keysets sealed cheaply: scrypt at its real cost has tests of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sage_rag.privacy.keyset.sources import FILE_VARIABLE, RAW_VARIABLE, VARIABLE
from sage_rag.privacy.keyset.testing import cheap_scrypt

PASSPHRASE = "correct horse"


@pytest.fixture(autouse=True)
def cheap() -> Iterator[None]:
    with cheap_scrypt():
        yield


@pytest.fixture(autouse=True)
def no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (VARIABLE, FILE_VARIABLE, RAW_VARIABLE):
        monkeypatch.delenv(name, raising=False)
