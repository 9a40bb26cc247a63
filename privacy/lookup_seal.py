"""The seal of a lookup: encrypted for every holder of a key, and signed by the owner.

```
"sage-rag-lookup-2" ‖ key id (4 bytes) ‖ Ed25519 signature (64) ‖ SIV (16) ‖ ciphertext
```

Every grant holds the key of the encryption, so encryption alone proves that some holder of a key
made a lookup. The signature proves that the owner did. An earlier sage-rag did not sign: its
lookups begin with the key id, which SIV and ciphertext follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError, UnsignedError
from sage_rag.privacy.keyset.keyset import KEY_ID_BYTES, Keyset
from sage_rag.privacy.keyset.signatures import SIGNATURE_BYTES

_FORMAT = b"sage-rag-lookup-2"
_UNSIGNED_FORMAT = b"sage-rag-lookup-1"
_CONTEXT = b"sage-rag/1/lookup"
_LENGTH_BYTES = 2
_KEY_BYTES = 64


@dataclass(frozen=True, slots=True)
class SealedLookup:
    """The parts of a sealed lookup. `signature`: `None` in one of an earlier sage-rag."""

    key_id: str
    signature: bytes | None
    ciphertext: bytes

    @classmethod
    def make(cls, content: bytes, keyset: Keyset, corpus: str) -> SealedLookup:
        """Seal the content of a lookup under the primary key; equal contents give equal bytes.

        Guarantees: without a key no one can read it; without the whole keyset no one can make or
        change one, or use that of another corpus, key or purpose.
        Does not guarantee: hiding its size, or that it is the newest.

        Raises:
            KeysetError: for a grant, which cannot sign.
        """
        key_id = keyset.primary
        ciphertext = _cipher(keyset, key_id).encrypt(content, _bound(_FORMAT, corpus))
        signature = keyset.sign(_message(key_id, ciphertext, corpus), context=_CONTEXT)
        return cls(key_id, signature, ciphertext)

    @classmethod
    def parse(cls, sealed: bytes) -> SealedLookup:
        """Return the parts of a sealed lookup of either format; check nothing."""
        if not sealed.startswith(_FORMAT):
            return cls(sealed[:KEY_ID_BYTES].hex(), None, sealed[KEY_ID_BYTES:])
        id_end = len(_FORMAT) + KEY_ID_BYTES
        end = id_end + SIGNATURE_BYTES
        return cls(sealed[len(_FORMAT) : id_end].hex(), sealed[id_end:end], sealed[end:])

    def __bytes__(self) -> bytes:
        key_id = bytes.fromhex(self.key_id)
        if self.signature is None:
            return key_id + self.ciphertext
        return _FORMAT + key_id + self.signature + self.ciphertext

    def open(self, keyset: Keyset, corpus: str) -> bytes:
        """Return the content of a lookup that the owner signed for this corpus.

        Raises:
            UnsignedError: when it opens, and nothing proves that the owner made it: it is not
                signed, or the keyset is a grant without public keys.
            DecryptionError: for anything else.
        """
        self._require_key(keyset)
        can_check = keyset.public_key(self.key_id) is not None
        if self.signature is not None and can_check:
            message = _message(self.key_id, self.ciphertext, corpus)
            if not keyset.has_signed(self.key_id, message, self.signature, context=_CONTEXT):
                raise DecryptionError("the lookup was changed, or is of another corpus or owner")
            return self.open_unproven(keyset, corpus)
        self.open_unproven(keyset, corpus)
        if self.signature is None:
            raise UnsignedError(
                "the lookup is not signed: an earlier sage-rag made it, or not its owner",
                hint="the owner publishes the corpus again: sage-rag rekey, or sage-rag index",
            )
        raise UnsignedError(
            "an earlier sage-rag made this grant: it cannot check who signed the lookup",
            hint="the owner issues the grant again: sage-rag keys grant",
        )

    def open_unproven(self, keyset: Keyset, corpus: str) -> bytes:
        """Return the content of a lookup that a holder of any grant may have made.

        Review every caller.

        Raises:
            DecryptionError: unless a holder of one of this keyset's keys made it for this corpus.
        """
        self._require_key(keyset)
        bound = _bound(_UNSIGNED_FORMAT if self.signature is None else _FORMAT, corpus)
        try:
            return _cipher(keyset, self.key_id).decrypt(self.ciphertext, bound)
        except (InvalidTag, ValueError):
            raise DecryptionError("the lookup was changed, or is of another corpus") from None

    def _require_key(self, keyset: Keyset) -> None:
        if self.key_id not in keyset:
            raise DecryptionError(
                "the lookup is sealed with another key",
                hint="if the keys were rotated, start the edge with the current keyset or grant",
            )


def _cipher(keyset: Keyset, key_id: str) -> AESSIV:
    # Every grant holds the key of LITERAL; the blind words inside need the keys of their types.
    key = keyset.entity_key(key_id, EntityType.LITERAL, purpose="lookup", size_bytes=_KEY_BYTES)
    return AESSIV(key)


def _bound(lookup_format: bytes, corpus: str) -> list[bytes]:
    return [lookup_format, corpus.encode()]


def _message(key_id: str, ciphertext: bytes, corpus: str) -> bytes:
    """Return what is signed: all bytes of the lookup, and its corpus with the length before it."""
    name = corpus.encode()
    head = _FORMAT + bytes.fromhex(key_id) + len(name).to_bytes(_LENGTH_BYTES, "big") + name
    return head + ciphertext
