"""Errors of keys and tokens; part of the tree in `common.exceptions`."""

from __future__ import annotations

from sage_rag.common.exceptions import SageRagError


class KeysetError(SageRagError):
    """A keyset cannot be read, opened or used."""

    exit_code = 3


class DecryptionError(KeysetError):
    """A token cannot be opened. The message does not say why: a reason would help a forger."""


class UnsignedError(DecryptionError):
    """A lookup opens, but nothing proves that the owner made it: a holder of any grant may have."""


class NotGrantedError(KeysetError):
    """The keyset is a grant without this entity type: it cannot hide or read its values."""
