"""Encrypt samples: entities before the synthesis, or finished texts after it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.protect import Protector, seal
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.tokens import PLACEHOLDER
from sage_rag.training.ciphers.codebook import codebook_writer
from sage_rag.training.ciphers.ecb import UnauthenticatedEcbCipher, WeakCipherWarning
from sage_rag.training.synthesis.entities import EntityDocument
from sage_rag.training.synthesis.samples import Draft, Sample

CODEBOOK_FILE = "codebook.json"


class CipherName(StrEnum):
    """A cipher of samples.

    `SIV`: AES-SIV, authenticated. `ECB`: the paper's, which shows equal blocks and authenticates
    nothing. `CODEBOOK`: two words for a value, the fewest tokens. `PLAIN`: no encryption, for the
    paper's comparison with unencrypted synthesis.
    """

    SIV = "siv"
    ECB = "ecb"
    CODEBOOK = "codebook"
    PLAIN = "plain"


class When(StrEnum):
    """When values are encrypted.

    `BEFORE`: entities of the source are encrypted, so that every mention in every sample is.
    `AFTER`: the recognizer reads each finished text; what it overlooks there stays in clear.
    Source: Liu et al. (2025), SoE, §3.3 and A.4.
    """

    BEFORE = "before"
    AFTER = "after"


@contextmanager
def cipher_named(
    name: CipherName, keyset: Keyset, corpus: str, folder: Path
) -> Iterator[EntityCipher | None]:
    """Yield a cipher, `None` for `PLAIN`. New codes of a codebook are in its file when it ends.

    Raises:
        InputError: when another process writes the codebook, or the file cannot be written.
    """
    if name is CipherName.CODEBOOK:
        with codebook_writer(folder / CODEBOOK_FILE, keyset, corpus) as codebook:
            yield codebook
    elif name is CipherName.ECB:
        with warnings.catch_warnings():  # its name, the paper's, was asked for
            warnings.simplefilter("ignore", WeakCipherWarning)
            cipher = UnauthenticatedEcbCipher(keyset, leaks_equal_blocks=True)
        yield cipher
    else:
        yield default_cipher(keyset, corpus) if name is CipherName.SIV else None


class Finishing:
    """Turns the drafts of one document into texts.

    `protector` encrypts finished texts; without one, entities are encrypted by `cipher`. With
    neither, the texts are plain.
    """

    def __init__(
        self, document: EntityDocument, cipher: EntityCipher | None, protector: Protector | None
    ) -> None:
        self._protector = protector
        self._shown = document.rendered(cipher)
        self._inserted = document.rendered(None) if protector else self._shown

    def text(self, draft: Draft) -> str:
        """Return the finished text of a draft.

        Raises:
            ProtectionError: for a placeholder that is not in the document, or when encrypting
                fails.
        """
        filled = seal(draft.text, self._inserted)
        return self._protector.pseudonymize(filled) if self._protector else filled

    def sample(self, draft: Draft, source: str, text: str, tokens: int) -> Sample:
        """Return the sample of a draft and its finished text."""
        members = tuple(self._shown[member] for member in draft.members)
        named = dict.fromkeys(match.group() for match in PLACEHOLDER.finditer(draft.text))
        entities = tuple(self._shown[name] for name in named)
        return Sample(source, text, draft.kind, members, entities, draft.writer, tokens)
