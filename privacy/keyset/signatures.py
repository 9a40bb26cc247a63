"""Ed25519 signatures with a context (Ed25519ctx of RFC 8032, §5.1), over raw keys.

Only `keyset.py` calls this module: a whole keyset signs, and a grant can only check.
"""

from __future__ import annotations

from typing import Final

from Crypto.Signature import eddsa

SEED_BYTES: Final = 32
PUBLIC_KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_MODE = "rfc8032"


def sign(seed: bytes, message: bytes, context: bytes) -> bytes:
    """Return the signature of a message; equal messages have equal signatures.

    `context` says what the message is, so that it is never taken for one of another kind. It is
    not empty: that would be plain Ed25519.
    """
    return eddsa.new(eddsa.import_private_key(seed), _MODE, context=context).sign(message)


def public_key(seed: bytes) -> bytes:
    """Return the public key of a seed, as RFC 8032 encodes it."""
    raw: bytes = eddsa.import_private_key(seed).public_key().export_key(format="raw")
    return raw


def is_public_key(raw: bytes) -> bool:
    """Return whether bytes are a public key: a point of the curve, in its one encoding."""
    if len(raw) != PUBLIC_KEY_BYTES:
        return False
    try:
        key = eddsa.import_public_key(raw)
    except ValueError:
        return False
    return bool(key.export_key(format="raw") == raw)


def is_signed(public: bytes, message: bytes, signature: bytes, context: bytes) -> bool:
    """Return whether the holder of the seed signed a message for this context."""
    try:
        eddsa.new(eddsa.import_public_key(public), _MODE, context=context).verify(
            message, signature
        )
    except ValueError:
        return False
    return True
