"""The bytes that each token of a vocabulary adds to a text."""

from __future__ import annotations

import json
import re
from typing import Any

from sage_rag.common.exceptions import InputError

_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")
_SPACE = "▁"
"""How SentencePiece writes a space."""


def token_bytes(tokenizer: Any) -> list[bytes]:
    """Return the bytes of each token by its id; special tokens, which are not decoded, have none.

    Raises:
        InputError: for a tokenizer whose tokens do not state the spaces before them.
    """
    described = json.loads(tokenizer.backend_tokenizer.to_str())["decoder"]
    decoder = json.dumps(described, ensure_ascii=False)
    known = tokenizer.added_tokens_decoder
    special = {place for place, token in known.items() if token.special}
    special.update(tokenizer.all_special_ids)
    added = {place: token.content for place, token in known.items()}
    names = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    if "ByteLevel" in decoder:
        letters = _byte_letters()

        def read(name: str) -> bytes:
            return bytes(letters[letter] for letter in name)
    elif _SPACE in decoder or "Metaspace" in decoder:

        def read(name: str) -> bytes:
            byte = _BYTE_TOKEN.fullmatch(name)
            return bytes([int(byte[1], 16)]) if byte else name.replace(_SPACE, " ").encode()
    else:
        raise InputError(
            "this tokenizer is not supported: values cannot be blocked while it decodes",
            hint="use a model with a byte-level or SentencePiece tokenizer",
        )
    return [
        b"" if place in special else added[place].encode() if place in added else read(name)
        for place, name in enumerate(names)
    ]


def _byte_letters() -> dict[str, int]:
    """Return the byte of each letter in the vocabulary of a byte-level tokenizer.

    Source: Radford et al. (2019), "Language Models are Unsupervised Multitask Learners": bytes that
    print stand for themselves, the others for the code points from 256.
    """
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {
        chr(256 + number): byte for number, byte in enumerate(others)
    }


def split_bytes(content: bytes) -> tuple[int, str, bytes]:
    """Return how many bytes continue an earlier character, the text, and an unfinished character.

    A byte that belongs to no character is U+FFFD in the text, as decoders write it.
    """
    lead = 0
    while lead < min(3, len(content)) and 0x80 <= content[lead] < 0xC0:
        lead += 1
    rest = content[lead:]
    for size in range(1, min(3, len(rest)) + 1):
        tail = rest[-size:]
        if tail[0] >= 0xC0 and size < _length(tail[0]):
            return lead, rest[:-size].decode("utf-8", "replace"), tail
        if not 0x80 <= tail[0] < 0xC0:
            break
    return lead, rest.decode("utf-8", "replace"), b""


def _length(first: int) -> int:
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4
