"""NuExtract: a language model trained to fill a JSON template from a text, in this process.

For numind/NuExtract-1.5, its tiny and small versions, and models fine-tuned in their format. The
later vision models need another prompt and an endpoint.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.unicode_text import well_formed
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.backends.default_labels import DEFAULT_LABELS
from sage_rag.privacy.recognizers.backends.extraction import Value, locate
from sage_rag.privacy.recognizers.backends.models import (
    folder_digest,
    model_folder,
    quiet_loading,
    settings_digest,
    torch_device,
)
from sage_rag.privacy.recognizers.windows import windows
from sage_rag.privacy.spans import Span

VERSION = 1
"""Raised with every change of the spans from the same answers of the model."""

_WINDOW_CHARS, _MARGIN_CHARS = 4_000, 200
"""About a thousand words: small models copy less faithfully from longer texts."""
_SCORE = 0.8
"""A generated answer has no probability. Below the score of a pattern with a checksum."""
_CONTEXT = 4_096
"""Tokens for question and answer where the model's configuration states no limit."""


class Completion(Protocol):
    """Continues a prompt: the seam between NuExtract's format and the runtime of the model."""

    @property
    def fingerprint(self) -> str:
        """A name that changes with everything that could change an answer."""
        ...

    def complete(self, prompt: str) -> str:
        """Return what follows the prompt; the same for the same prompt."""
        ...


class MalformedAnswerError(ValueError):
    """An answer that does not fill the template. The message never quotes it."""


def nuextract_recognizer(
    model: str, *, labels: Mapping[str, EntityType] = DEFAULT_LABELS
) -> NuExtractRecognizer:
    """Load a NuExtract model from a folder or by its name on the hub.

    Raises:
        InputError: when it is missing or not a language model.
    """
    return NuExtractRecognizer(TransformersCompletion(model), labels=labels)


class NuExtractRecognizer:
    """Ask for values by a template, and find them in the text.

    `labels`: the name of each template field, in plain words, and the type of its values.

    Guarantees: after an answer that does not fill the whole template, the model is asked once more,
    for each half of the text; if that fails, too, recognition fails. The text contains every span's
    value.
    Does not guarantee: that the model names every value, or resists a text written to mislead it
    ("this letter contains no names"). Chain it with recognizers that do not follow text.

    Source: Thales (2025), When Privacy Meets Performance (blog). Differs: every occurrence of a
    value is a span, and answers are checked against the text.
    """

    def __init__(
        self, completion: Completion, *, labels: Mapping[str, EntityType] = DEFAULT_LABELS
    ) -> None:
        if not labels:
            raise InputError("an extraction model needs at least one label to ask for")
        self._completion = completion
        self._types = {_folded(label): entity_type for label, entity_type in labels.items()}
        self._template = json.dumps({label: [] for label in labels}, indent=4, ensure_ascii=False)
        settings = settings_digest(VERSION, list(labels.items()))
        self.fingerprint: Final = f"nuextract-{completion.fingerprint}-{settings}"
        """Digests of the model and of labels, and our version."""

    def recognize(self, text: str) -> Sequence[Span]:
        """Return the spans of one text.

        Raises:
            ProtectionError: when the model's answers do not fit the template twice.
        """
        parts = windows(len(text), size=_WINDOW_CHARS, margin=_MARGIN_CHARS)
        values = [v for part in parts for v in self._values(text[part.start : part.end])]
        return locate(text, values, _SCORE)

    def _values(self, text: str) -> list[Value]:
        """Ask for a text's values; after a bad answer, for those of its halves.

        Greedy decoding would repeat the bad answer; a shorter text needs a shorter answer.
        """
        if not text.strip():
            return []
        try:
            return self._ask(text)
        except MalformedAnswerError:
            middle, margin = len(text) // 2, min(_MARGIN_CHARS, len(text) // 4)
        try:
            return [*self._ask(text[: middle + margin]), *self._ask(text[middle - margin :])]
        except MalformedAnswerError as error:
            raise ProtectionError(
                f"the extraction model's answer does not fit its template: {error}",
                hint="is it a model in NuExtract 1.5's format?",
            ) from None

    def _ask(self, text: str) -> list[Value]:
        return parse_answer(self._completion.complete(self._prompt(text)), self._types)

    def _prompt(self, text: str) -> str:
        # A text must not end its part of the prompt and write the answer itself.
        shown = well_formed(text).replace("<|", "< |")
        return f"<|input|>\n### Template:\n{self._template}\n### Text:\n{shown}\n\n<|output|>"


def parse_answer(answer: str, types: Mapping[str, EntityType]) -> list[Value]:
    """Read the values of a filled template; `types` by case-folded label.

    Accepts fences and words around the JSON, numbers instead of strings, single strings instead
    of lists, `null`, raw line breaks and repeated fields.

    Raises:
        MalformedAnswerError: for anything else, such as a missing or unknown field.
    """
    fields = _json_object(answer)
    if {_folded(name) for name, _ in fields} != types.keys():
        raise MalformedAnswerError("fields are missing, or not those of the template")
    return [
        Value(text, types[_folded(name)])
        for name, content in fields
        for text in _texts(content)
        if text.strip()
    ]


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with repeated fields kept."""


def _json_object(answer: str) -> _Pairs:
    # Numbers stay as written: the text contains 47.50, not 47.5.
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str, strict=False
    )
    start = answer.find("{")
    if start < 0:
        raise MalformedAnswerError("no JSON object")
    try:
        found, _ = decoder.raw_decode(answer, start)
    except (ValueError, RecursionError):
        raise MalformedAnswerError("no complete JSON object") from None
    if not isinstance(found, _Pairs):
        raise MalformedAnswerError("no JSON object")
    return found


def _texts(content: object) -> Iterator[str]:
    many = isinstance(content, list) and not isinstance(content, _Pairs)
    for text in content if many and isinstance(content, list) else [content]:
        if isinstance(text, str):
            yield text
        elif text is not None:
            raise MalformedAnswerError("a value is neither text nor number")


def _folded(label: str) -> str:
    return " ".join(label.casefold().split())


class TransformersCompletion:
    """Continue prompts greedily with a causal language model of transformers."""

    def __init__(self, model: str) -> None:
        """Load weights and tokenizer; the model's own code is never run.

        Raises:
            InputError: when there is no such model, or it is not a language model.
        """
        quiet_loading()
        folder = model_folder(model)
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._device = torch_device()
        try:
            loaded: Any = AutoModelForCausalLM.from_pretrained(folder, dtype="auto")
        except ValueError:
            raise InputError(f"model `{model}` is not a causal language model") from None
        self._model = loaded.to(self._device).eval()
        self._ends = loaded.generation_config.eos_token_id or self._tokenizer.eos_token_id
        self._context = getattr(loaded.config, "max_position_embeddings", None) or _CONTEXT
        self._lock = threading.Lock()
        self.fingerprint: Final = folder_digest(folder)
        """Digest of the model's files."""

    @torch.inference_mode()
    def complete(self, prompt: str) -> str:
        """Return the continuation, at most as long as the prompt: it repeats parts of it.

        Raises:
            MalformedAnswerError: when the prompt leaves no room for an answer.
        """
        with self._lock:
            asked = self._tokenizer(prompt, return_tensors="pt").to(self._device)
            length = asked["input_ids"].shape[1]
            room = min(length, self._context - length)
            if room < 1:
                raise MalformedAnswerError("the text is too long for the model")
            settings = GenerationConfig(  # type: ignore[no-untyped-call]
                do_sample=False,
                max_new_tokens=room,
                eos_token_id=self._ends,
                pad_token_id=self._tokenizer.pad_token_id or 0,
            )
            answer = self._model.generate(
                input_ids=asked["input_ids"],
                attention_mask=asked["attention_mask"],
                generation_config=settings,
            )
        return str(self._tokenizer.decode(answer[0, length:], skip_special_tokens=True))
