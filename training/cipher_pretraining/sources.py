"""The files that a training reads: what they hold, and that no file is read in both stages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, sha256_of
from sage_rag.training.cipher_pretraining.config import TextSettings
from sage_rag.training.pretraining.corpus import corpus_files


def sources_digest(texts: TextSettings) -> str:
    """Return the SHA-256 of the contents of all files, in order; their names do not matter.

    Raises:
        InputError: for a file that cannot be read, or one of the public texts whose content is
            also among the sensitive ones: the second stage would read it plain.
    """
    sensitive, public = _digests(texts.sensitive), _digests(texts.public)
    known = {digest for _, digest in sensitive}
    twice = next((file for file, digest in public if digest in known), None)
    if twice is not None:
        raise InputError(
            f"`{twice}` is in `texts.public`, and its text is in `texts.sensitive`, too",
            hint="take it out of one of them: the second stage reads public texts as they are",
        )
    return hashlib.sha256(" ".join(d for _, d in (*sensitive, *public)).encode()).hexdigest()


def _digests(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Return the files that hold something, each with its SHA-256."""
    found = []
    for file in corpus_files(paths):
        with reading(file):
            if file.stat().st_size:
                found.append((file, sha256_of(file)))
    return found
