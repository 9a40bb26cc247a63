"""Detect values that were planted in the originals, or marked by annotators."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading
from sage_rag.common.jsonl import Row, read_jsonl
from sage_rag.eval.attempts import Leak
from sage_rag.eval.detectors.values import is_number, prepare
from sage_rag.eval.probes.probe import Probe
from sage_rag.privacy.words import digits, normalize

_LEAST_CHARACTERS = 3
_LEAST_DIGITS = 5
_HINT = 'write {"text": "..."} per line, or one value per line in a .txt file'


class CanaryDetector:
    """Count the values that outputs show; each value counts once.

    Values are compared under NFKC and case folding at word borders; numbers of seven digits or
    more by their digits. Values that occur in any text by chance (under three characters, or under
    five digits and no letter) are left out: `skipped` counts them.
    """

    name = "canaries"
    unit = "values"
    needs_target = False

    def __init__(self, values: Iterable[str]) -> None:
        distinct = {normalize(value) for value in values} - {""}
        self._values = sorted(value for value in distinct if _is_distinctive(value))
        if not self._values:
            raise InputError("there is no canary long enough to search for")
        self.pieces: int | None = len(self._values)
        self.skipped = len(distinct) - len(self._values)
        self._found: dict[str, list[str]] = {}

    def detect(self, output: str, probe: Probe) -> Iterable[Leak]:
        """Return one leak per value shown."""
        if output not in self._found:
            text = prepare(output)
            self._found[output] = [
                value
                for value in self._values
                if text.holds_text(value) or (is_number(value) and text.holds_number(digits(value)))
            ]
        return [Leak((value,), value) for value in self._found[output]]


def _is_distinctive(value: str) -> bool:
    if any(character.isalpha() for character in value):
        return len(value) >= _LEAST_CHARACTERS
    return len(digits(value)) >= _LEAST_DIGITS


def read_canaries(path: Path) -> list[str]:
    """Read one value per line, or JSON Lines with `text` or a list `entities` of such objects.

    Raises:
        InputError: for an unreadable file, a bad line, or a file without values.
    """
    if path.suffix.lower() == ".jsonl":
        found = read_jsonl(path, _entities, _HINT)
        values = [value for _, entities in found for value in entities]
    else:
        with reading(path):
            lines = path.read_text("utf-8").splitlines()
        values = [line.strip() for line in lines if line.strip()]
    if not values:
        raise InputError(f"no canaries in {path}")
    return values


def _entities(row: Row) -> list[str]:
    entities = row.get("entities", [row])
    if not isinstance(entities, list) or not all(isinstance(e, dict) for e in entities):
        raise ValueError("has `entities` that are not a list of objects")
    values = [entity["text"] for entity in entities]
    if not all(isinstance(value, str) for value in values):
        raise ValueError("has a `text` that is not a text")
    return values
