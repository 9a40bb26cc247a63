"""The trained tagger: names, places, organisations, dates, ages, numbers, personal traits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from sage_rag.common.batches import batches_of, padded_batches
from sage_rag.common.fingerprints import data_digest
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.occurrences import find_repetitions
from sage_rag.privacy.recognizers.chinese.recognizer import HAN, is_chinese
from sage_rag.privacy.recognizers.lexicon import LEXICON_FILE, Kind, default_lexicon, fold
from sage_rag.privacy.recognizers.tagging.decode import decode_pieces, private_logit
from sage_rag.privacy.recognizers.tagging.ordinary_words import without_ordinary_words
from sage_rag.privacy.recognizers.tagging.weights_file import read_weights
from sage_rag.privacy.recognizers.windows import windows
from sage_rag.privacy.spans import Span

if TYPE_CHECKING:
    from sage_rag.privacy.recognizers.tagging.pieces import Pieces

VERSION = 11
"""Raised with every change of the spans from the same weights and lexicon."""

WEIGHTS = "english.safetensors"

_LINE = re.compile(r"[^\s][^\n]*")
_WINDOW, _MARGIN = 126, 15
"""Pieces in a window, and those shared with the next: MiniLM was trained on 128 with marks."""
_BATCH_PIECES = 4096
_UNLISTED = 1.3
"""Log-odds of being a name that are added for a capitalised word outside the lexicon. Such a word
is more often a name than the network can see from its pieces."""
_TEXTS_AT_ONCE = 64
"""Bounds the answers in memory at a time."""
_SURE = 0.5
"""Score from which a name, an organisation or a place is searched in the rest of its text."""
_FAMILY = re.compile(r"[Tt]he [^\W\d_][^\W\d_A-Z]+s")
_BODIES = frozenset({EntityType.LOCATION, EntityType.ORGANIZATION})
_SURELY_NO_FAMILY = 0.7


class TaggerRecognizer:
    """Find the nine types of `privacy.entities.TAGGED` in text in Latin letters.

    A word counts from a threshold of its type, set by calibration for high recall; `thresholds`
    replaces it. The score is the calibrated probability that a word is private: 0.2 means that one
    in five such words was.

    Guarantees: a text of any length is read whole; every piece has context on both sides and is
    decided once. A name, organisation or place with a high score is found everywhere in its text,
    a person also by surname and initials. Safe to share between threads.
    Does not guarantee: every value; or the last digits of a score, which depend on the precision
    of this machine and, in half precision, on the texts in the same batch.
    """

    def __init__(
        self,
        weights: Path | None = None,
        *,
        thresholds: Mapping[EntityType, float] | None = None,
    ) -> None:
        """Read the shipped weights, or a file that `sage-rag train tagger` wrote.

        Raises:
            InputError: when the file is not a weights file, or is for another base model.
        """
        self._path = weights or shipped_weights()
        read = read_weights(self._path)
        self._settings, self._digest = read.settings, read.digest
        chosen = thresholds or {}
        self._types = [
            (entity_type, chosen.get(entity_type, calibration.threshold))
            for entity_type, calibration in zip(
                self._settings.types, self._settings.calibration, strict=True
            )
        ]
        lexicon = data_digest("sage_rag.privacy.recognizers", LEXICON_FILE)
        marks = "-".join(f"{threshold:.4g}" for _, threshold in self._types)
        self.fingerprint: Final = f"tagger-{self._digest}-{VERSION}-{lexicon}-{marks}"
        """Digests of weights and lexicon, our version, and the thresholds."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of one text; those of different types may overlap."""
        return self.recognize_all([text])[0]

    def recognize_all(self, texts: Sequence[str]) -> list[Sequence[Span]]:
        """Return the spans of each text; windows of similar length share a forward pass."""
        found: list[Sequence[Span]] = []
        for some in batches_of(texts, _TEXTS_AT_ONCE):
            for text, (pieces, answers) in zip(some, self.answers(some), strict=True):
                scores, begins = self._read(pieces, answers)
                if is_chinese(text):  # its characters are read by `chinese`
                    scores[[HAN.match(text, start) is not None for start, _ in pieces.offsets]] = 0
                decoded = decode_pieces(
                    text, pieces.offsets, pieces.words, scores, begins, self._types
                )
                spans = [part for span in decoded for part in _lines_of_code(text, span)]
                spans = without_ordinary_words(text, _families(text, spans))
                sure = [span for span in spans if span.score >= _SURE]
                found.append([*spans, *_elsewhere(text, sure, spans)] if sure else spans)
        return found

    def answers(self, texts: Sequence[str]) -> list[tuple[Pieces, NDArray[np.float32]]]:
        """Return each text's pieces and the network's logits for them (pieces, types, 3)."""
        from sage_rag.common.minilm.base import base_tokenizer
        from sage_rag.privacy.recognizers.tagging.network import CLASSES, load_model
        from sage_rag.privacy.recognizers.tagging.pieces import pieces_of

        model = load_model(self._path, self._digest)
        read = [pieces_of(text, base_tokenizer()) for text in texts]
        shape = (len(self._types), CLASSES)
        answers = [np.zeros((len(pieces), *shape), dtype=np.float32) for pieces in read]
        todo = [
            (owner, window)
            for owner, pieces in enumerate(read)
            for window in windows(len(pieces), size=_WINDOW, margin=_MARGIN)
        ]
        todo.sort(key=lambda t: t[1].start - t[1].end)  # the longest first
        for batch in padded_batches(todo, lambda t: t[1].end - t[1].start, _BATCH_PIECES):
            rows = [read[owner].between(window.start, window.end) for owner, window in batch]
            for (owner, window), logits in zip(batch, model.ask(rows), strict=True):
                core = slice(window.core_start, window.core_end)
                within = slice(core.start - window.start + 1, core.stop - window.start + 1)
                answers[owner][core] = logits[within].reshape(-1, *shape)
        return list(zip(read, answers, strict=True))

    def _read(
        self, pieces: Pieces, answers: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return calibrated scores and whether a value begins, both (pieces, types)."""
        slopes = np.array([c.slope for c in self._settings.calibration], dtype=np.float32)
        shifts = np.array([c.shift for c in self._settings.calibration], dtype=np.float32)
        logits = private_logit(answers) * slopes + shifts
        if EntityType.PERSON in self._settings.types:
            person = self._settings.types.index(EntityType.PERSON)
            logits[pieces.unlisted, person] += _UNLISTED
        return 1 / (1 + np.exp(-logits)), answers[..., 1] > answers[..., 2]


def _lines_of_code(text: str, span: Span) -> Iterator[Span]:
    """Yield an ID once per line that it covers, any other span whole: no code is on two lines."""
    if span.entity_type is not EntityType.ID or "\n" not in text[span.start : span.end]:
        yield span
        return
    for line in _LINE.finditer(text, span.start, span.end):
        yield replace(span, start=line.start(), end=line.end())


def _families(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the spans without those that call a family ("the Pellegrinos") a place or a firm.

    Surnames rarely have a plural in what the network was trained on. A team or a place with such a
    name stays what it is where its score says so.
    """
    people = {(s.start, s.end): s.score for s in spans if s.entity_type is EntityType.PERSON}
    return [
        span
        for span in spans
        if span.entity_type not in _BODIES
        or not _is_family(text, span, people.get((span.start, span.end)))
    ]


def _is_family(text: str, span: Span, person: float | None) -> bool:
    """Return whether a place or a body is a family; `person`: its score as a person."""
    if person is None or span.score >= _SURELY_NO_FAMILY:
        return False
    if not _FAMILY.fullmatch(text, max(0, span.start - 4), span.end):
        return False
    kinds = default_lexicon().kinds_of(fold(text[span.start : span.end - 1]))
    return Kind.SURNAME in kinds or person >= span.score / 2


def _elsewhere(text: str, sure: Sequence[Span], spans: Sequence[Span]) -> list[Span]:
    """Return the other occurrences of the names, organisations and places in `sure`."""
    known = {(span.start, span.end, span.entity_type) for span in spans}
    again = find_repetitions({"": text}, {"": sure}, names_only=True)[""]
    return [span for span in again if (span.start, span.end, span.entity_type) not in known]


def shipped_weights() -> Path:
    """Return the file of the weights that come with the package."""
    return Path(str(resources.files("sage_rag.privacy.recognizers.tagging"))) / "weights" / WEIGHTS
