"""Token sequences without language: they show whether a gain needs language at all.

A control is stored as text, a number for each token, so that the training loop reads it like any
other corpus.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.tokenizing import END

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

BRACKETS = 64
"""Kinds of brackets. Source: Hu et al. (2025), arXiv 2502.19249."""
_OPENING = 0.5
_MAX_DEPTH = 16
_FIRST = 1
"""The first number of a bracket: 0 is the token that ends a document."""


def number_tokenizer(size: int) -> PreTrainedTokenizerFast:
    """Return a tokenizer of `size` tokens: `1` to `size - 1`, parted by spaces, and the end token.

    It has the size of the tokenizer that it stands for, so that models have equal shapes.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {END: 0} | {str(number): number for number in range(_FIRST, size)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=END))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast: PreTrainedTokenizerFast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, eos_token=END, pad_token=END
    )
    return fast


def shuffled_documents(
    texts: Iterable[str], tokenizer: PreTrainedTokenizerFast, seed: int
) -> Iterator[str]:
    """Yield the tokens of each text as numbers, in random order.

    How often each token occurs in a document stays; what follows what is lost.
    """
    drawn = np.random.default_rng(seed)
    for text in texts:
        ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        yield numbers_text(drawn.permutation(np.asarray(ids, dtype=np.int64)).tolist())


def dyck_documents(tokens: int, document_tokens: int, vocabulary: int, seed: int) -> Iterator[str]:
    """Yield documents of 64-Shuffle-Dyck as numbers, `tokens` in all with the end tokens.

    Raises:
        InputError: for a vocabulary with fewer tokens than brackets.
    """
    if vocabulary < _FIRST + 2 * BRACKETS:
        raise InputError(f"Shuffle-Dyck needs a `vocabulary` of {_FIRST + 2 * BRACKETS} tokens")
    drawn = random.Random(seed)  # noqa: S311 - training text, not a secret
    while tokens > 1:
        length = min(tokens, document_tokens) - 1
        yield numbers_text([_FIRST + token for token in shuffle_dyck(length, drawn)])
        tokens -= length + 1


def shuffle_dyck(
    length: int,
    drawn: random.Random,
    *,
    kinds: int = BRACKETS,
    opening: float = _OPENING,
    max_depth: int = _MAX_DEPTH,
) -> list[int]:
    """Return `length` brackets: `kind` opens, `kind + kinds` closes any open one of its kind.

    Brackets of different kinds may cross. The sequence is cut off at its end, so some stay open.
    At most `max_depth` are open at a time.

    Source: Hu et al. (2025), arXiv 2502.19249, and Suzgun et al. (2019), arXiv 1911.03329, for the
    language.
    """
    found: list[int] = []
    unclosed: list[int] = []
    while len(found) < length:
        if not unclosed or (len(unclosed) < max_depth and drawn.random() < opening):
            unclosed.append(drawn.randrange(kinds))
            found.append(unclosed[-1])
        else:
            closed = unclosed.pop(drawn.randrange(len(unclosed)))
            found.append(closed + kinds)
    return found


def numbers_text(tokens: Sequence[int]) -> str:
    """Return tokens as text for `number_tokenizer`."""
    return " ".join(map(str, tokens))
