"""The one place that builds a generation from names, a keyset and a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sage_rag.agents.chat.options import IN_PROCESS, ModelOptions, chat_model
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.catalog import covered_languages, recognizer_of
from sage_rag.training.controlled.codes import AnnotatedDocument
from sage_rag.training.controlled.documents import (
    PARAGRAPHS,
    PIECES,
    has_spans,
    pieces_of,
    read_annotated,
)
from sage_rag.training.controlled.names import Entities, Method
from sage_rag.training.controlled.prefix import WEIGHTS, Prefix
from sage_rag.training.controlled.samplers import CausalSampler, ChatSampler
from sage_rag.training.controlled.sampling import CausalWriter, SamplingSettings


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus and how it is read. `pieces`: of `paragraphs` paragraphs, from each document."""

    path: Path
    entities: Entities = Entities.AUTO
    fields: tuple[str, ...] = ()
    recognizers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    paragraphs: int = PARAGRAPHS
    pieces: int = PIECES


def whole_documents(source: Source) -> list[AnnotatedDocument]:
    """Return the documents of a corpus with their private values.

    Raises:
        InputError: for a corpus that cannot be read.
    """
    gold = source.entities is Entities.GOLD
    if source.entities is Entities.AUTO:
        gold = has_spans(source.path) and not source.recognizers
    recognizer = None if gold else recognizer_of(source.recognizers)
    languages = covered_languages(source.recognizers, source.languages)
    return read_annotated(source.path, recognizer, source.fields, languages)


def pieces_of_all(
    documents: Sequence[AnnotatedDocument], source: Source
) -> list[AnnotatedDocument]:
    """Return the pieces of documents that models read.

    Raises:
        InputError: when they have no private value.
    """
    found = [p for d in documents for p in pieces_of(d, source.paragraphs, source.pieces)]
    if not any(document.spans for document in found):
        raise InputError(f"`{source.path}` has no private value, so no control code")
    return found


def causal_sampler(
    model: Path, prefix: Path | None, settings: SamplingSettings, rows: int = 8
) -> CausalSampler:
    """Return the sampler of a model in a folder, perhaps with a trained prefix."""
    writer = CausalWriter.open(model)
    if prefix is None:
        return CausalSampler(writer, settings, rows=rows)
    loaded = Prefix.load(prefix, writer.digest).to(writer.model.device)
    digest = hashlib.sha256((prefix / WEIGHTS).read_bytes()).hexdigest()[:12]
    return CausalSampler(writer, settings, loaded, prefix_digest=digest, rows=rows)


def sampler_of(
    method: Method,
    options: ModelOptions,
    prefix: Path | None,
    settings: SamplingSettings,
    *,
    allow_plaintext: bool,
) -> CausalSampler | ChatSampler:
    """Return where texts come from.

    Raises:
        InputError: for a model and a method that do not fit together, or an endpoint that would
            read the examples in clear without `allow_plaintext`.
    """
    if method is Method.PREFIX and prefix is None:
        raise InputError("--method prefix needs --prefix", hint="make one: sage-rag train prefix")
    if method is not Method.PREFIX and prefix is not None:
        raise InputError(f"--method {method} uses no prefix", hint="add --method prefix")
    if not options.given:
        raise InputError("no model is named", hint=f"--llm-model {IN_PROCESS}FOLDER")
    name = options.name or ""
    if name.startswith(IN_PROCESS):
        return causal_sampler(Path(name.removeprefix(IN_PROCESS)), prefix, settings)
    if method is Method.PREFIX:
        raise InputError(
            "a prefix needs the model in this process", hint=f"--llm-model {IN_PROCESS}FOLDER"
        )
    if not allow_plaintext:
        raise InputError(
            "the endpoint would read three real documents in clear for each text",
            hint="if it is your own, add --allow-plaintext",
        )
    limited = options.model_copy(update={"max_tokens": settings.most_tokens})
    sampling = {"temperature": settings.temperature, "top_p": settings.top_p}
    return ChatSampler(chat_model(limited, sampling=sampling), settings)


def named(listed: str | None) -> Sequence[str]:
    """Return the names of a comma-separated option."""
    return [name.strip() for name in (listed or "").split(",") if name.strip()]
