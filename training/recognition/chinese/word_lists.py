"""Word lists, template files and invented words: the sources of the Chinese generator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

from sage_rag.training.recognition.generated.draw import Draw

FOLDER = resources.files("sage_rag.training.recognition.chinese")


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list `words/<name>.txt`; a word that occurs twice is twice as likely."""
    text = FOLDER.joinpath("words", f"{name}.txt").read_text("utf-8")
    return tuple(text.split())


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of `templates/<name>.txt`."""
    text = FOLDER.joinpath("templates", f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if line)


class CharacterChain:
    """A Markov chain over characters, which writes new words like its samples."""

    def __init__(self, samples: Sequence[str]) -> None:
        self._next: dict[str, list[str]] = {}
        for word in samples:
            for before, after in zip(f"^{word}", f"{word}$", strict=True):
                self._next.setdefault(before, []).append(after)

    def word(self, draw: Draw, shortest: int, longest: int) -> str:
        """Return a word of `shortest` to `longest` characters."""
        while True:
            written = "^"
            while len(written) <= longest + 1:
                after = draw.pick(self._next[written[-1]])
                if after == "$":
                    break
                written += after
            if shortest < len(written) <= longest + 1:
                return written[1:]
