"""What can go wrong with keys and with protecting; part of the tree in `common.exceptions`."""

from __future__ import annotations

from sage_rag.common.exceptions import SageRagError


class KeysetError(SageRagError):
    """A keyset cannot be read, opened or used."""

    exit_code = 3


class DecryptionError(KeysetError):
    """A token cannot be opened. Deliberately silent about why: reasons help forgers."""


class NotGrantedError(KeysetError):
    """The keyset is a grant without this entity type: it can neither hide nor read its values."""
