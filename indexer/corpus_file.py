"""The corpus file: how one corpus is indexed, as TOML in the owner's zone.

`home/owner/NAME/corpus.toml` holds settings and paths, never a key or a passphrase. Relative paths
are relative to the file.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from difflib import SequenceMatcher
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sage_rag.agents.chat.options import ModelOptions
from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading
from sage_rag.common.unicode_text import well_formed
from sage_rag.indexer.consensus.options import LEAST_K, MOST_K, ConsensusOptions
from sage_rag.indexer.passages import CONSENSUS, Layer
from sage_rag.indexer.versions import corpus_folder
from sage_rag.privacy.gate.limits import GateLimits, Limit, parse_limits

FILE_NAME = "corpus.toml"
_PATHS = ("source", "keyset")
_NAMES_OR_PATHS = ("policy", "attributes", "domain", "recognizers", "model.name")


class EngineName(StrEnum):
    """Where recognizer and embedder run: in processes of this machine, or on Ray."""

    LOCAL = "local"
    RAY = "ray"


_STRICT = ConfigDict(
    strict=True, extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True
)


class ConsensusTable(BaseModel):
    """The table `consensus` of a corpus file."""

    model_config = _STRICT

    k: int = Field(
        default=ConsensusOptions().k,
        ge=LEAST_K,
        le=MOST_K,
        description="Subjects that say each statement; a larger k says less and protects better.",
    )

    @property
    def options(self) -> ConsensusOptions:
        """The options of the recipe."""
        return ConsensusOptions(k=self.k)


class CorpusFile(BaseModel):
    """Settings of one corpus."""

    model_config = _STRICT

    source: Path = Field(
        description="The documents: a jsonl, csv, txt, md, pdf, docx or html file, or a folder.",
        examples=["notes.jsonl"],
    )
    fields: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        description="Fields of a jsonl record that make up a document. Default: text, or question "
        "and answer.",
        examples=[["question", "answer"]],
    )
    answer_fields: tuple[str, ...] = Field(
        default=(),
        description="Fields of a record that answer questions, for answers without a model; the "
        "others show what was asked. Default: the last of several fields.",
        examples=[["answer"]],
    )
    subject: str | None = Field(
        default=None,
        min_length=1,
        description="Field of a jsonl record that names whom it is about, for recipe consensus; "
        "it is never published. Default: each record has a subject of its own.",
        examples=["patient"],
    )
    keyset: Path | None = Field(
        default=None,
        description="The sealed keyset; its passphrase is never stored here.",
        examples=["keys/clinic.keyset"],
    )
    recipe: str = Field(
        description="How records are treated:",
        examples=[CONSENSUS],
    )
    layers: tuple[Layer, ...] | None = Field(
        default=None,
        min_length=1,
        description="What a version holds: consensus, records, or both. A question that names "
        "someone searches the records, any other one the consensus. Default: by recipe.",
        examples=[["consensus", "records"]],
    )
    policy: str | None = Field(
        default=None,
        description="Replaces the recipe's policy: a preset, or ./mine.toml.",
        examples=["hipaa-safe-harbor"],
    )
    recognizers: tuple[str, ...] = Field(
        default=(),
        description="Recognizers added to the default one, as KIND:MODEL.",
        examples=[["spacy:en_core_web_lg"]],
    )
    languages: tuple[str, ...] = Field(
        default=(),
        description="Languages that the added recognizers cover (ISO 639-1), besides English and "
        "Chinese; records in others are refused.",
        examples=[["es"]],
    )
    attributes: str | None = Field(
        default=None,
        description="What to keep of a record: a preset, or ./mine.toml. Default: the agents "
        "propose it.",
        examples=["medical-dialogue"],
    )
    attributes_per_field: int = Field(
        default=5,
        ge=0,
        description="Attributes that a model proposes; 0: those that most samples contain.",
    )
    domain: str | None = Field(
        default=None,
        description="Advice for a field of work: finance, health, law, or ./mine.md.",
        examples=["health"],
    )
    two_calls: bool = Field(
        default=False,
        description="Use separate calls to extract and to write; the writer reads no record.",
    )
    adversary: bool = Field(
        default=False, description="Let a model guess the person behind each draft, too."
    )
    concurrency: int = Field(default=8, ge=1, description="Calls to the model at a time.")
    engine: EngineName = Field(
        default=EngineName.LOCAL,
        description="local, or ray: the cluster that RAY_ADDRESS names, or a new one.",
    )
    workers: int = Field(
        default=1,
        ge=1,
        description="Processes that recognise and embed; local with 1: no other process.",
    )
    consensus: ConsensusTable = ConsensusTable()
    model: ModelOptions = ModelOptions()
    gate: dict[str, float | int | bool | str] = {}

    @field_validator("fields", "layers", "answer_fields")
    @classmethod
    def _differ(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names and (len(set(names)) < len(names) or not all(names)):
            raise ValueError("must be different names, and none empty")
        return names

    @property
    def limits(self) -> dict[str, Limit]:
        """The gate's limits that this file sets."""
        return parse_limits(self.gate, "corpus file")


_NEEDED = {"source": "", "recipe": ""}
GATE_DEFAULTS = {each.name: each.default for each in fields(GateLimits)}
TABLES = {
    "consensus": tuple(ConsensusTable.model_fields),
    "model": tuple(ModelOptions.model_fields),
    "gate": tuple(GATE_DEFAULTS),
}
TOP_KEYS = tuple(name for name in CorpusFile.model_fields if name not in TABLES)
KEYS = (*TOP_KEYS, *(f"{table}.{key}" for table, keys in TABLES.items() for key in keys))
"""Every key, those of a table with its name before a dot."""


def corpus_file_path(home: Path, name: str) -> Path:
    """Return where the settings of a corpus are stored.

    Raises:
        InputError: for a name that no corpus can have.
    """
    corpus_folder(home, name)
    return home / "owner" / name / FILE_NAME


def read_corpus_file(path: Path) -> CorpusFile:
    """Read a corpus file; paths in it become absolute.

    Raises:
        InputError: when it cannot be read, or a key or value is wrong.
    """
    settings = absolute(parse_settings(read_text(path), path), path.parent)
    return validated(settings, f"`{path}`")


def nearest_key(word: str) -> str:
    """Return the key that is most like a word."""

    def likeness(key: str) -> float:
        last = word.rpartition(".")[2], key.rpartition(".")[2]
        return max(SequenceMatcher(None, *pair).ratio() for pair in ((word, key), last))

    return max(KEYS, key=likeness)


def parse_setting(text: str) -> tuple[str, Any]:
    """Return key and value of `KEY=VALUE`; an empty value (`None`) for the default, if it has one.

    A list is written with commas. Paths are relative to the working directory.

    Raises:
        InputError: for an unknown key or a value that does not fit.
    """
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals:
        raise InputError(f"`--set {text}` is not KEY=VALUE", hint="e.g. --set policy=soe-all")
    if key not in KEYS:
        raise _unknown(key, "--set")
    if not value:
        return key, None
    error: InputError | None = None
    for read in _readings(value):
        setting = absolute({key: read}, Path.cwd())
        try:
            validated({**_NEEDED, **setting}, "--set")
        except InputError as caught:
            error = error or caught
        else:
            return key, setting[key]
    raise error or InputError(f"--set: `{key}` cannot be read")


def settings_of(named: Mapping[str, Any], settings: Iterable[str] = ()) -> dict[str, Any]:
    """Return settings by key: those of named options that are given, and of `KEY=VALUE` texts.

    Raises:
        InputError: as `parse_setting`; for a key with two different values.
    """
    given = {k: str(v) if isinstance(v, Path) else v for k, v in named.items() if v is not None}
    for key, value in given.items():
        if isinstance(value, str) and well_formed(value) != value:
            raise InputError(f"`{key}` is not UTF-8", hint="rename the file or its folder")
    found = absolute(given, Path.cwd())
    for key, value in map(parse_setting, settings):
        if key in found and found[key] != value:
            hint = "give it once, as an option or with --set"
            raise InputError(f"`{key}` is given twice with different values", hint=hint)
        found[key] = value
    return found


def model_options(named: Mapping[str, Any], settings: Iterable[str]) -> ModelOptions:
    """Return the options of a model from settings as in `settings_of`, without a file.

    Raises:
        InputError: as `parse_setting`.
    """
    return validated({**_NEEDED, **settings_of(named, settings)}, "--set").model


def read_text(path: Path) -> str:
    """Return the text of a corpus file.

    Raises:
        InputError: when it cannot be read.
    """
    if not path.exists():
        hint = "sage-rag index FILE --name NAME writes one"
        raise InputError(f"there is no corpus file `{path}`", hint=hint)
    with reading(path):
        return path.read_text("utf-8-sig")


def parse_settings(text: str, path: Path) -> dict[str, Any]:
    """Return the settings of a file's text by key, those of a table with its name before a dot."""
    try:
        return _by_key(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"`{path}` is not TOML: {error}") from None


def validated(settings: Mapping[str, Any], where: str) -> CorpusFile:
    """Return settings by key as a corpus file; `where` opens the messages.

    Raises:
        InputError: for an unknown key, or a value that does not fit.
    """
    try:
        # From JSON: a strict model then takes a list for a tuple and a string for a path.
        corpus = CorpusFile.model_validate_json(json.dumps(_nested(settings), default=str))
    except ValidationError as error:
        raise _fault(error, where) from None
    if unknown := set(corpus.gate) - set(GATE_DEFAULTS):
        raise _unknown(f"gate.{min(unknown)}", where)
    parse_limits(corpus.gate, where)
    return corpus


def _fault(error: ValidationError, where: str) -> InputError:
    faults = error.errors(include_input=False, include_url=False)
    first = min(faults, key=lambda fault: fault["type"] == "missing")
    key = ".".join(map(str, first["loc"][: 2 if first["loc"][0] in TABLES else 1]))
    if first["type"] == "extra_forbidden":
        return _unknown(key, where)
    if first["type"] == "missing":
        named = "add --recipe NAME; in earlier files without one it was --recipe sage"
        hint = named if key == "recipe" else None
        return InputError(f"{where}: `{key}` is missing", hint=hint)
    said = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return InputError(f"{where}: `{key}` {said[:1].lower()}{said[1:]}")


def _unknown(key: str, where: str) -> InputError:
    if re.search("passphrase|secret|api_?key|password", key):
        hint = "a corpus file holds no secret; the endpoint's key is SAGE_RAG_LLM_API_KEY"
        return InputError(f"{where}: there is no key `{key}`", hint=hint)
    return InputError(f"{where}: there is no key `{key}`", hint=f"nearest: `{nearest_key(key)}`")


def _readings(value: str) -> Iterator[Any]:
    """Yield what a value on the command line may mean: a TOML value, a list, a string."""
    parts = [part.strip() for part in value.split(",") if part.strip()]
    for toml in (value, f"[{value}]"):
        try:
            yield tomllib.loads(f"v = {toml}")["v"]
        except tomllib.TOMLDecodeError:
            continue
    yield value
    yield parts


def absolute(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return settings by key with relative paths taken from `folder`.

    Where a name or a path may be meant, it is a path if it looks like one and the file exists.
    """
    located = dict(settings)
    for key, value in settings.items():
        if key in _PATHS and isinstance(value, str):
            located[key] = str((folder / Path(value).expanduser()).absolute())
        elif key in _NAMES_OR_PATHS and isinstance(value, str):
            located[key] = _located(value, folder)
        elif key in _NAMES_OR_PATHS and isinstance(value, list):
            located[key] = [_located(v, folder) if isinstance(v, str) else v for v in value]
    return located


def _located(name: str, folder: Path) -> str:
    prefix, colon, place = name.rpartition(":")
    path = folder / place
    is_path = ("/" in place or Path(place).suffix) and path.exists()
    return f"{prefix}{colon}{path.absolute()}" if is_path else name


def _by_key(table: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and value:
            settings.update({f"{key}.{name}": inner for name, inner in value.items()})
        elif value != {}:
            settings[key] = value
    return settings


def _nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in settings.items():
        section, dot, name = key.partition(".")
        (table.setdefault(section, {}) if dot else table)[name if dot else key] = value
    return table
