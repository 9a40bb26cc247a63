"""The texts of one seed: sensitive ones with canaries, public ones, and held-out ones."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.jsonl import Row, read_jsonl
from sage_rag.eval.model_attacks.canaries import invent_canaries, plant, write_canaries
from sage_rag.eval.studies.crypto_llm.settings import StudySettings
from sage_rag.training.pretraining.corpus import corpus_files, write_texts

_LEAST_AUTHORS = 3


@dataclass(frozen=True, slots=True)
class Work:
    """One text and its author."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class StudyTexts:
    """The files of one seed's texts: JSON lines with the field `text`."""

    folder: Path

    @property
    def sensitive(self) -> Path:
        """Texts of the first stage, with canaries."""
        return self.folder / "sensitive.jsonl"

    @property
    def public(self) -> Path:
        """Texts of the second stage."""
        return self.folder / "public.jsonl"

    @property
    def held_out(self) -> Path:
        """Texts of authors that no model reads."""
        return self.folder / "held_out.jsonl"

    @property
    def canaries(self) -> Path:
        """The canaries and their frequencies."""
        return self.folder / "canaries.jsonl"

    def write(self, works: Sequence[Work], settings: StudySettings, seed: int) -> None:
        """Divide the works among the files, and plant canaries.

        Raises:
            InputError: for works of too few authors, or other works than before.
        """
        digest = hashlib.sha256(repr(works).encode()).hexdigest()
        record = self.folder / "works.digest"
        if self.held_out.exists():  # written last
            if record.exists() and record.read_text("ascii") != digest:
                raise InputError(
                    f"`{self.folder}` was made of other texts", hint="set another `--home`"
                )
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        write_file(record, digest)
        unread = held_out_authors(works, settings.held_out_authors, seed)
        read = [w.text[: settings.characters_per_text] for w in works if w.author not in unread]
        random.Random(seed).shuffle(read)  # noqa: S311 - a sample, not a secret
        public = max(1, round(settings.public_share * len(read)))
        canaries = invent_canaries(settings.canaries, seed)
        write_canaries(canaries, self.canaries)
        write_texts(self.sensitive, plant(read[public:], canaries, seed))
        write_texts(self.public, read[:public])
        first_of = {work.author: work.text for work in reversed(works)}
        held_out = (first_of[author][: settings.held_out_characters] for author in unread)
        write_texts(self.held_out, held_out)


def held_out_authors(works: Iterable[Work], count: int, seed: int) -> list[str]:
    """Draw the authors whose works no model reads.

    Raises:
        InputError: when too few authors would be left.
    """
    authors = sorted({work.author for work in works})
    if len(authors) < count + _LEAST_AUTHORS:
        raise InputError(
            f"the texts have {len(authors)} authors; {count} are held out and at least "
            f"{_LEAST_AUTHORS} are read"
        )
    return sorted(random.Random(seed).sample(authors, count))  # noqa: S311 - a sample


def read_works(paths: Sequence[Path]) -> list[Work]:
    """Read JSON lines with the fields `author` and `text`, from files or folders of them.

    Raises:
        InputError: for a file that cannot be read, or a line without the fields.
    """
    return [work for file in corpus_files(paths) for work in _works(file)]


def _works(file: Path) -> Iterator[Work]:
    for _, work in read_jsonl(file, _work):
        yield work


def _work(row: Row) -> Work:
    author, text = row["author"], row["text"]
    if not isinstance(author, str) or not isinstance(text, str):
        raise ValueError("has an `author` or a `text` that is not a text")
    return Work(author, text)
