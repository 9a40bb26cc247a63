"""Read and write texts to train on, and open the tokens of a run in its folder."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, sha256_of, write_file
from sage_rag.common.jsonl import Row, read_jsonl, write_jsonl
from sage_rag.common.unicode_text import well_formed
from sage_rag.training.pretraining.config import PretrainingConfig
from sage_rag.training.pretraining.order import Order, Source, order_of
from sage_rag.training.pretraining.packing import pack
from sage_rag.training.pretraining.processes import Processes
from sage_rag.training.pretraining.run_folder import has_begun
from sage_rag.training.pretraining.token_shards import TokenShards

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_SUFFIXES = (".jsonl", ".jsonl.gz", ".txt")


def read_texts(paths: Sequence[Path], field: str = "text") -> Iterator[str]:
    """Yield the texts of files .jsonl, .jsonl.gz and .txt, and of folders of these, in order.

    Lone surrogates become U+FFFD: tokenizers read no others.

    Raises:
        InputError: for a file that cannot be read, or a line without the field.
    """

    def text(row: Row) -> str:
        if not isinstance(row[field], str):
            raise ValueError(f"has a `{field}` that is not a text")
        return well_formed(str(row[field]))

    for file in corpus_files(paths):
        if file.name.endswith(".txt"):
            with reading(file):
                yield file.read_text("utf-8-sig")
        else:
            for _, found in read_jsonl(file, text):
                yield found


def write_texts(path: Path, texts: Iterable[str]) -> None:
    """Write texts as JSON lines with the field `text`, as `read_texts` reads them.

    The file is complete when it appears.

    Raises:
        OSError: when the disk or the folder does not take it.
    """
    write_jsonl(path, ({"text": text} for text in texts))


def corpus_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of a corpus; folders are searched to any depth, hidden files left out.

    Raises:
        InputError: for a path that is missing, of another kind, or a folder without texts.
    """
    for path in paths:
        if not path.is_dir():
            if not path.exists():
                raise InputError(f"there is no `{path}`")
            if not path.name.endswith(_SUFFIXES):
                raise InputError(f"`{path}` is not a file .jsonl, .jsonl.gz or .txt")
            yield path
            continue
        found = sorted(f for f in path.rglob("*") if f.name.endswith(_SUFFIXES) and f.is_file())
        found = [f for f in found if not f.name.startswith(".")]
        if not found:
            raise InputError(f"the folder `{path}` has no file .jsonl, .jsonl.gz or .txt")
        yield from found


def prepared_order(
    config: PretrainingConfig, tokenizer: PreTrainedTokenizerFast, processes: Processes
) -> Order:
    """Return the order of the run's rows; the first process writes their tokens where needed.

    Raises:
        InputError: when a corpus cannot be read, or has changed since the first step.
    """
    data = config.data
    if processes.first:
        for name, paths in (("corpus", data.corpus), ("replay", data.replay)):
            if paths:
                _build(config.out / "tokens" / name, paths, data.field, tokenizer)
    processes.wait()
    corpus = _source(config, "corpus", config.seed)
    replay = _source(config, "replay", config.seed + 1) if data.replay else None
    return order_of(corpus, replay, data.replay_share, config.seed)


def _build(
    folder: Path, paths: Sequence[Path], field: str, tokenizer: PreTrainedTokenizerFast
) -> None:
    digest = hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode())
    for file in corpus_files(paths):
        with reading(file):
            digest.update(bytes.fromhex(sha256_of(file)))
    record = folder.with_name(f"{folder.name}.sha256")
    known = record.read_text("ascii") if record.exists() else None
    if folder.exists() and known not in (None, digest.hexdigest()):
        if has_begun(folder.parent.parent):
            raise InputError(
                f"texts or tokenizer of `{folder.name}` have changed since the run began",
                hint=f"set another `out`, or delete `{folder.parent.parent}` to start again",
            )
        shutil.rmtree(folder)
    if not folder.exists():
        TokenShards.build(read_texts(paths, field), tokenizer, folder)
    if known != digest.hexdigest():  # absent, too, after a kill between the two writes
        write_file(record, digest.hexdigest())


def _source(config: PretrainingConfig, name: str, seed: int) -> Source:
    shards = TokenShards.open(config.out / "tokens" / name)
    return shards, pack(shards.documents, config.data.row_tokens, seed)
