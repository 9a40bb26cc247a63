"""Train a byte-level BPE tokenizer, and add words to a tokenizer.

    sage-rag train tokenizer texts.jsonl --size 2048 --out tokenizer

Source: Sennrich et al. (2016), arXiv 1508.07909; bytes as in Radford et al. (2019), "Language
Models are Unsupervised Multitask Learners", §2.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.codewords import word_lists
from sage_rag.training.pretraining.rust_errors import rust_errors_translated

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

END = "<|end|>"
"""Ends a document, and fills rows."""
_ALPHABET = 256
_OF_THE_LOADER = frozenset({"is_local", "local_files_only"})
_WORDS = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""GPT-2's words, with numbers cut after three digits as in Llama-3."""


def train_tokenizer(
    texts: Iterable[str], size: int, extra_words: Sequence[str] = ()
) -> PreTrainedTokenizerFast:
    """Train a tokenizer of exactly `size` tokens; each extra word is one token of its own.

    Any text is encoded and decoded without loss. Extra words are found before all others, longest
    first, and take no part in the training of the merges. Equal texts give equal tokenizers.

    Raises:
        InputError: for a size below the 256 bytes, the end token and the extra words, or one that
            the texts do not fill.
    """
    from transformers import PreTrainedTokenizerFast

    words = tuple(dict.fromkeys(extra_words))
    least = _ALPHABET + 1 + len(words)
    if size < least:
        raise InputError(f"a tokenizer with these extra words has at least {least} tokens")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(words),
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_without(texts, words), trainer)
    if tokenizer.get_vocab_size() != size - len(words):
        found = tokenizer.get_vocab_size() + len(words)
        if found == least:
            raise InputError("the texts are empty, or too short for a tokenizer")
        raise InputError(
            f"the texts give a tokenizer of {found} tokens, not {size}",
            hint="train on more text, or set a smaller size",
        )
    fast: PreTrainedTokenizerFast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=END,
        clean_up_tokenization_spaces=False,
    )
    add_words(fast, words)
    return fast


def add_words(tokenizer: PreTrainedTokenizerFast, words: Iterable[str]) -> int:
    """Make each word one token, appended to the vocabulary; return how many were new.

    `training.pretraining.model` gives a new token the mean embedding of the tokens that it
    replaces.
    """
    added = [AddedToken(word, normalized=False, special=False) for word in words]
    return int(tokenizer.add_tokens(added))


def codebook_words_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words of the codebook tokens in texts, with their brackets: `_[river_` and `oak]`.

    With these, `PERSON_[river_oak]` is two tokens and those of its type. The brackets keep plain
    words such as `river` out. The order is that of the alphabet, so it shows no frequency.
    """
    first, second = (set(words) for words in word_lists())
    codes = {m.group(2).partition("_") for text in texts for m in TOKEN.finditer(text)}
    used = [code for code in codes if code[0] in first and code[2] in second]
    return tuple(sorted({f"_[{code[0]}_" for code in used} | {f"{code[2]}]" for code in used}))


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a tokenizer to a folder, for this version of transformers and those before it.

    Raises:
        InputError: when the disk or the folder does not take it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with rust_errors_translated():
            tokenizer.save_pretrained(folder)
        path = folder / "tokenizer_config.json"
        described = json.loads(path.read_text("utf-8"))
        if described.get("tokenizer_class") == "TokenizersBackend":  # its name since version 5
            described["tokenizer_class"] = "PreTrainedTokenizerFast"
        kept = {key: value for key, value in described.items() if key not in _OF_THE_LOADER}
        write_file(path, json.dumps(kept, indent=2) + "\n")
    except OSError as error:
        raise InputError(f"cannot write a tokenizer to `{folder}`: {error.strerror}") from None


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """Read a tokenizer from a folder.

    Raises:
        InputError: when the folder has no tokenizer, a damaged one, or one without a token that
            ends a document.
    """
    if not (folder / "tokenizer.json").is_file():
        raise InputError(
            f"`{folder}` has no `tokenizer.json`", hint="see: sage-rag train tokenizer --help"
        )
    tokenizer = read_tokenizer(folder)
    if tokenizer.eos_token_id is None:
        raise InputError(f"the tokenizer of `{folder}` has no token that ends a document")
    found: PreTrainedTokenizerFast = tokenizer
    return found


def read_tokenizer(folder: Path) -> Any:
    """Read a tokenizer of any kind that transformers knows.

    Raises:
        InputError: when its files are damaged.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except Exception:  # noqa: BLE001 - tokenizers raises `Exception` for a bad vocabulary
        raise InputError(
            f"the tokenizer in `{folder}` is damaged", hint="copy its files again"
        ) from None


def _without(texts: Iterable[str], words: Sequence[str]) -> Iterator[str]:
    """Yield the texts between extra words."""
    if not words:
        yield from texts
        return
    longest_first = sorted(words, key=len, reverse=True)
    pattern = re.compile("|".join(re.escape(word) for word in longest_first))
    for text in texts:
        yield from filter(None, pattern.split(text))
