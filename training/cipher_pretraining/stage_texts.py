"""The texts of both stages, the key, and the tokenizers, in the folder of a training.

Each file and each tokenizer is complete when it appears, and is not written again.
"""

from __future__ import annotations

import random
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import create_file, reading
from sage_rag.training.cipher_pretraining.config import (
    OWN_VOCABULARY,
    CipherPretrainingConfig,
    FirstStage,
)
from sage_rag.training.cipher_pretraining.controls import (
    dyck_documents,
    number_tokenizer,
    shuffled_documents,
)
from sage_rag.training.cipher_pretraining.scrubbing import scrubbed_texts
from sage_rag.training.ciphers.polyalphabetic import ALPHABET, PolyalphabeticCipher
from sage_rag.training.pretraining.corpus import read_texts, write_texts
from sage_rag.training.pretraining.tokenizing import (
    load_tokenizer,
    save_tokenizer,
    train_tokenizer,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

KEY = "key.txt"
_LEAST_DOCUMENTS = 2
_BATCH = 256
"""Documents that are encrypted at once; see `PolyalphabeticCipher.encrypt_all`."""


@dataclass(frozen=True, slots=True)
class StageTexts:
    """What both stages read."""

    config: CipherPretrainingConfig

    @property
    def first(self) -> Path:
        """The file with the texts of the first stage."""
        return self.config.out / "texts" / "first.jsonl"

    @property
    def second(self) -> tuple[Path, ...]:
        """The files with the texts of the second stage."""
        return self.config.texts.public or (self.config.out / "texts" / "second.jsonl",)

    @property
    def plain_tokenizer(self) -> Path:
        """The folder of the tokenizer of plain text, trained on the public texts alone."""
        return self.config.out / "tokenizers" / "plain"

    @property
    def first_tokenizer(self) -> Path:
        """The folder of the first stage's tokenizer."""
        own = self.config.first_stage.kind in OWN_VOCABULARY
        return self.config.out / "tokenizers" / "first" if own else self.plain_tokenizer

    def prepare(self) -> None:
        """Write what is missing.

        Raises:
            InputError: when a text cannot be read, or the texts do not fill a tokenizer.
        """
        for folder in (self.first.parent, self.plain_tokenizer.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.config.texts.public and not self.second[0].exists():
            write_texts(self.second[0], self._public())
        if not (self.plain_tokenizer / "tokenizer.json").exists():
            self._train(read_texts(self.second, self._field(public=True)), self.plain_tokenizer)
        stage = self.config.first_stage
        needs_first = stage.kind is not FirstStage.ABSENT and stage.trained is None
        if needs_first and not self.first.exists():
            write_texts(self.first, self._first_texts())

    def _first_texts(self) -> Iterator[str]:
        stage, config = self.config.first_stage, self.config
        if stage.kind is FirstStage.PLAIN:
            return self._sensitive()
        if stage.kind is FirstStage.SCRUBBED:
            return scrubbed_texts(self._sensitive())
        if stage.kind is FirstStage.DYCK:
            _save(number_tokenizer(config.vocabulary), self.first_tokenizer)
            length = config.row_tokens
            return dyck_documents(stage.tokens or 0, length, config.vocabulary, config.seed)
        self._train(self._encrypted(), self.first_tokenizer)
        if stage.kind is FirstStage.CIPHER:
            return self._encrypted()
        tokenizer = load_tokenizer(self.first_tokenizer)
        _save(number_tokenizer(config.vocabulary), self.first_tokenizer)
        return shuffled_documents(self._encrypted(), tokenizer, config.seed)

    def _encrypted(self) -> Iterator[str]:
        cipher = PolyalphabeticCipher(self._key())
        batch: list[str] = []
        for text in self._sensitive():
            batch.append(text)
            if len(batch) == _BATCH:
                yield from cipher.encrypt_all(batch)
                batch = []
        yield from cipher.encrypt_all(batch)

    def _key(self) -> str:
        """Return the key of this training, drawn at its beginning."""
        file = self.config.out / KEY
        length = self.config.first_stage.key_length or 1
        with suppress(FileExistsError):
            create_file(file, "".join(secrets.choice(ALPHABET) for _ in range(length)) + "\n")
        with reading(file):
            key = file.read_text("utf-8").strip()
        problem = "another length than `first_stage.key_length`" if len(key) != length else ""
        if not set(key) <= set(ALPHABET):
            problem = "other characters than A-Z, a-z"
        if problem:
            raise InputError(
                f"`{file}` holds a key of {problem}",
                hint="delete it before the first step, and the training draws a new one",
            )
        return key

    def _sensitive(self) -> Iterator[str]:
        texts = read_texts(self.config.texts.sensitive, self._field())
        if self.config.texts.public:
            return texts
        return (text for text, is_public in self._divided(texts) if not is_public)

    def _public(self) -> Iterator[str]:
        texts = read_texts(self.config.texts.sensitive, self._field())
        return (text for text, is_public in self._divided(texts) if is_public)

    def _divided(self, texts: Iterable[str]) -> Iterator[tuple[str, bool]]:
        """Yield each document, and whether it is drawn for the second stage."""
        public = self._public_numbers()
        for number, text in enumerate(texts):
            yield text, number in public

    def _public_numbers(self) -> set[int]:
        """Draw documents that hold about `public_share` of the characters: one, but not all."""
        settings = self.config.texts
        lengths = [len(text) for text in read_texts(settings.sensitive, self._field())]
        numbers = [number for number, length in enumerate(lengths) if length]
        if len(numbers) < _LEAST_DOCUMENTS:
            raise InputError(
                f"the texts have {len(numbers)} documents, too few to divide between the stages",
                hint="name the texts of the second stage: `texts.public`",
            )
        random.Random(self.config.seed).shuffle(numbers)  # noqa: S311 - a sample, not a secret
        most = settings.public_share * sum(lengths)
        before = accumulate((lengths[number] for number in numbers), initial=0)
        first, *others = zip(numbers[:-1], before, strict=False)
        return {first[0]} | {n for n, done in others if done + lengths[n] / 2 < most}

    def _field(self, *, public: bool = False) -> str:
        return "text" if public and not self.config.texts.public else self.config.texts.field

    def _train(self, texts: Iterable[str], folder: Path) -> None:
        _save(train_tokenizer(texts, self.config.vocabulary), folder)


def _save(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a tokenizer; its folder is complete when it appears."""
    draft = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(draft, ignore_errors=True)
    save_tokenizer(tokenizer, draft)
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)
