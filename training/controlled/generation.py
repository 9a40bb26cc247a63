"""Write synthetic texts by control codes, and keep those that contain no blocked value.

Source: Zhao and Field (2025), §2.2 and §2.3. Differs: a text with a blocked value is written again
with other examples, a bounded number of times, and then dropped; the paper reports one pass.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.operators.keyed import KeyedChoice
from sage_rag.training.controlled import fiction
from sage_rag.training.controlled.codes import (
    AnnotatedDocument,
    ControlCode,
    Identifiers,
    PrivateValue,
)
from sage_rag.training.controlled.fiction import Fiction
from sage_rag.training.controlled.names import Block, Method
from sage_rag.training.controlled.prompts import SHOTS, code_prompt, in_context_prompt, own_text
from sage_rag.training.controlled.samplers import Sampler, TextRequest
from sage_rag.training.controlled.spellings import SpelledValues
from sage_rag.training.controlled.value_trie import ValueTrie, squeezed

VERSION = 4
"""Raised with every change of the text that the same settings give."""
_SEEDS = 1 << 62


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """What is written. `attempts`: how often a text is tried before it is dropped."""

    method: Method = Method.IN_CONTEXT
    block: Block = Block.CORPUS
    identifiers: Identifiers = Identifiers.BOTH
    count: int = 100
    attempts: int = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One finished sample. `text` is empty where it was dropped, `reason` says why."""

    number: int
    attempts: int
    text: str = field(default="", repr=False)
    reason: str = ""


class Generation:
    """The samples of one corpus. The same parts give the same samples, but for the rounding of
    a model that writes them in other batches."""

    def __init__(
        self,
        documents: Sequence[AnnotatedDocument],
        settings: GenerationSettings,
        sampler: Sampler,
        choice: KeyedChoice,
        corpus: Sequence[AnnotatedDocument] = (),
    ) -> None:
        """Prepare the examples and the blocked values.

        `documents`: examples, and what codes are counted in. `corpus`: whose values `Block.CORPUS`
        blocks, besides theirs; whole documents where `documents` are pieces of them.

        Raises:
            InputError: for a corpus with fewer documents than examples.
        """
        if len(documents) < SHOTS + 1 and settings.method is not Method.PREFIX:
            raise InputError(
                f"{SHOTS} examples need {SHOTS + 1} documents; the corpus has {len(documents)}",
                hint="use a larger corpus, or --method prefix",
            )
        if settings.count < 1 or settings.attempts < 1:
            raise InputError("at least one text is written in at least one attempt")
        self.settings = settings
        self._documents = documents
        self._corpus = (*documents, *corpus)
        self._sampler = sampler
        self._choice = choice
        self._fiction = Fiction(choice, self.corpus_values.found_in)

    @cached_property
    def corpus_values(self) -> ValueTrie:
        """What names the private values of the whole corpus."""
        return self._trie(self._corpus)

    @property
    def value_count(self) -> int:
        """How many different values of the corpus are private."""
        return len({squeezed(value.text) for value in self._private(self._corpus)})

    @property
    def rows(self) -> int:
        """How many samples are written side by side."""
        return self._sampler.rows

    @property
    def fingerprint(self) -> str:
        """A name that changes with every sample; it names no private text."""
        content = hashlib.sha256()
        for document in self._corpus:
            values = [(span.start, span.end, span.value.direct) for span in document.spans]
            content.update(json.dumps([document.text, values]).encode("utf-8", "replace"))
        own = json.dumps({**asdict(self.settings), "count": 0}, default=str)
        drawn = self._choice.digest("fingerprint").hex()[:12]
        versions = f"{VERSION}/{fiction.VERSION}"
        return f"{versions}/{content.hexdigest()[:16]}/{own}/{drawn}/{self._sampler.fingerprint}"

    def samples(self, numbers: Sequence[int]) -> Iterator[Sample]:
        """Yield the samples of these numbers, as batches of them are finished."""
        for start in range(0, len(numbers), self._sampler.rows):
            yield from self._batch(numbers[start : start + self._sampler.rows])

    def _batch(self, numbers: Sequence[int]) -> Iterator[Sample]:
        waiting, reasons = list(numbers), dict.fromkeys(numbers, "")
        for attempt in range(self.settings.attempts):
            requests = [self._request(number, attempt) for number in waiting]
            texts = [own_text(text) for text in self._sampler.write(requests)]
            for number, request, text in zip(tuple(waiting), requests, texts, strict=True):
                reasons[number] = _fault(text, request.values)
                if not reasons[number]:
                    waiting.remove(number)
                    yield Sample(number, attempt + 1, text)
            if not waiting:
                return
        for number in waiting:
            yield Sample(number, self.settings.attempts, reason=reasons[number])

    def _request(self, number: int, attempt: int) -> TextRequest:
        settings = self.settings
        name = f"{number}/{attempt}"
        source = self._documents[number % len(self._documents)]
        seed = self._choice.number(_SEEDS, "seed", name)
        code = self._code(number, source)
        if settings.method is Method.PREFIX:
            return TextRequest(code_prompt(code), seed, self._blocked(()))
        examples = self._examples(name)
        shown = None if settings.method is Method.BASELINE else code
        prompt = in_context_prompt(examples, shown, settings.identifiers)
        return TextRequest(prompt, seed, self._blocked(examples), coded=shown is not None)

    def _code(self, number: int, source: AnnotatedDocument) -> ControlCode:
        """Return a fictional code with the types and counts of a real one."""
        counts = ControlCode.of_document(source, self.settings.identifiers).counts
        return self._fiction.code(str(number), counts)

    def examples(self, sample: Sample) -> list[AnnotatedDocument]:
        """Return the examples that a sample was written from."""
        if self.settings.method is Method.PREFIX:
            return []
        return self._examples(f"{sample.number}/{sample.attempts - 1}")

    def _examples(self, name: str) -> list[AnnotatedDocument]:
        left = list(range(len(self._documents)))
        drawn = [
            left.pop(self._choice.number(len(left), "example", name, str(place)))
            for place in range(SHOTS)
        ]
        return [self._documents[place] for place in drawn]

    def _blocked(self, examples: Sequence[AnnotatedDocument]) -> ValueTrie | None:
        if self.settings.block is Block.NONE:
            return None
        if self.settings.block is Block.CORPUS or not examples:
            return self.corpus_values
        return self._trie(examples)

    def _trie(self, documents: Sequence[AnnotatedDocument]) -> ValueTrie:
        return SpelledValues(self._private(documents))

    def _private(self, documents: Sequence[AnnotatedDocument]) -> list[PrivateValue]:
        covered = self.settings.identifiers.cover
        return [value for d in documents for value in d.values if covered(value)]


def _fault(text: str, values: ValueTrie | None) -> str:
    """Return why a text is not used; empty where it is."""
    if not text:
        return "empty"
    if values is not None and values.found_in(text):
        return "blocked value"
    return ""


@dataclass
class GenerationSummary:
    """Counts of a run. `resumed`: of an earlier run; `again`: attempts after the first ones."""

    samples: int = 0
    written: int = 0
    resumed: int = 0
    again: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, sample: Sample) -> None:
        """Count a sample."""
        self.samples += 1
        self.written += bool(sample.text)
        self.again += sample.attempts - 1
        if sample.reason:
            self.dropped[sample.reason] += 1

    def line(self) -> str:
        """Return written and dropped texts for a terminal."""
        reasons = ", ".join(f"{reason} {count}" for reason, count in self.dropped.items())
        dropped = f", dropped {self.dropped.total()} ({reasons})" if reasons else ""
        return f"{self.written} texts, {self.again} written again{dropped}"
