"""Tokens of a corpus in memory-mapped files.

A folder holds `tokens-00000.bin` and so on (uint16 or uint32, little-endian), `documents.npy`
(int64, the first token of each document, and the number of tokens), and `shards.json`, which is
written last and has the digest of each file. A document lies within one file.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import (
    known_sha256,
    stamp_of,
    sync_file,
    sync_folder,
    write_file,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_LIST = "shards.json"
_DOCUMENTS = "documents.npy"
_TEXTS_PER_BATCH = 1000
_SHARD_TOKENS = 2**27


@dataclass(frozen=True, slots=True)
class TokenShards:
    """The tokens of a corpus, by document.

    `files`: the memory-mapped arrays. `firsts` (files + 1,): the first token of each file.
    `documents` (n + 1,): the first token of each document, then the number of all tokens.
    """

    files: tuple[NDArray[Any], ...]
    firsts: NDArray[np.int64]
    documents: NDArray[np.int64]
    digest: str
    """SHA-256 of the contents, in hexadecimal."""

    @classmethod
    def build(
        cls,
        texts: Iterable[str],
        tokenizer: PreTrainedTokenizerFast,
        folder: Path,
        *,
        shard_tokens: int = _SHARD_TOKENS,
    ) -> TokenShards:
        """Write the tokens of texts, one document each, and open them; empty texts are left out.

        A document begins with the tokenizer's first token, where it has one, and ends with its
        end token. The folder appears when it is complete: a killed build leaves none.

        Raises:
            InputError: when there is no text, the folder exists, or the disk does not take it.
        """
        draft = folder.with_name(f".{folder.name}.tmp")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            _write(_encoded(texts, tokenizer), draft, _number_type(tokenizer), shard_tokens)
            draft.rename(folder)
            sync_folder(folder.parent)
        except OSError as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise InputError(f"cannot write tokens to `{folder}`: {error.strerror}") from None
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> TokenShards:
        """Map the files of a folder, if they are those that were written.

        A process reads the tokens for that once, and again when a file's size or time has changed.

        Raises:
            InputError: when a file is missing or has changed.
        """
        try:
            described = json.loads((folder / _LIST).read_text("utf-8"))
            documents = np.load(folder / _DOCUMENTS, mmap_mode="r", allow_pickle=False)
            lengths = [int(entry["tokens"]) for entry in described["files"]]
            files = tuple(
                np.memmap(folder / entry["name"], described["type"], "r", shape=(length,))
                for entry, length in zip(described["files"], lengths, strict=True)
            )
            found = (folder / entry["name"] for entry in described["files"])
            hashes = [known_sha256(file, stamp_of(file.stat())) for file in found]
            same = _digest(documents, hashes) == described["digest"]
            if not same or documents[-1] != sum(lengths):
                raise ValueError
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            raise InputError(
                f"the tokens in `{folder}` are damaged",
                hint="delete the folder; the next run writes it again",
            ) from None
        firsts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return cls(files, firsts, documents, described["digest"])

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.documents) - 1

    def tokens(self, start: int, end: int) -> NDArray[np.int64]:
        """Return tokens of one document, by their places in the corpus."""
        file = int(np.searchsorted(self.firsts, start, side="right")) - 1
        first = int(self.firsts[file])
        return np.asarray(self.files[file][start - first : end - first], dtype=np.int64)


def _number_type(tokenizer: PreTrainedTokenizerFast) -> str:
    return "<u2" if len(tokenizer) <= 2**16 else "<u4"


def _encoded(texts: Iterable[str], tokenizer: PreTrainedTokenizerFast) -> Iterator[list[int]]:
    """Yield the tokens of each text that is not empty, with those that begin and end it."""
    end = tokenizer.eos_token_id
    stream = (text for text in texts if text)
    while batch := list(itertools.islice(stream, _TEXTS_PER_BATCH)):
        for ids in tokenizer(batch, return_attention_mask=False, verbose=False)["input_ids"]:
            yield ids if ids[-1] == end else [*ids, end]


def _write(
    documents: Iterable[Sequence[int]], folder: Path, number_type: str, shard_tokens: int
) -> None:
    """Write the files of a folder, the list last.

    Raises:
        InputError: when there is no document.
    """
    lengths: list[int] = []
    entries: list[dict[str, Any]] = []
    stream = iter(documents)
    rest = next(stream, None)
    while rest is not None:
        name = f"tokens-{len(entries):05d}.bin"
        before = sum(lengths)
        hashed = hashlib.sha256()
        with (folder / name).open("wb") as file:
            size = 0
            while rest is not None and (size == 0 or size + len(rest) <= shard_tokens):
                content = np.asarray(rest, dtype=number_type).tobytes()
                file.write(content)
                hashed.update(content)
                lengths.append(len(rest))
                size += len(rest)
                rest = next(stream, None)
        sync_file(folder / name)
        written = sum(lengths) - before
        entries.append({"name": name, "tokens": written, "sha256": hashed.hexdigest()})
    if not entries:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError("the corpus has no text")
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    np.save(folder / _DOCUMENTS, starts, allow_pickle=False)
    sync_file(folder / _DOCUMENTS)
    digest = _digest(starts, [entry["sha256"] for entry in entries])
    described = {"type": number_type, "files": entries, "digest": digest}
    write_file(folder / _LIST, json.dumps(described, indent=1) + "\n")


def _digest(starts: NDArray[np.int64], hashes: Iterable[str]) -> str:
    """Return the digest of the starts of all documents and of the files' hashes."""
    whole = hashlib.sha256(starts.tobytes())
    for each in hashes:
        whole.update(bytes.fromhex(each))
    return whole.hexdigest()
