"""Write a corpus file: change single keys, keep the owner's comments, replace the file at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_rag.agents.attributes import toml_scalar
from sage_rag.agents.chat.options import ModelOptions
from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.indexer.corpus_file import (
    GATE_DEFAULTS,
    TABLES,
    TOP_KEYS,
    ConsensusTable,
    CorpusFile,
    absolute,
    parse_settings,
    read_text,
    validated,
)
from sage_rag.indexer.ledger import locked_corpus
from sage_rag.indexer.passages import CONSENSUS, RECORDS
from sage_rag.indexer.recipes import RECIPES

WITH_MODEL, WITHOUT_MODEL = "sage", CONSENSUS
"""The recipes of new corpora: rules cannot reword most records, so without a model passages say
what several subjects say."""


@dataclass(frozen=True, slots=True)
class CorpusFileUpdate:
    """New settings of a corpus, not yet written. `changed` lists settings as `key = value`."""

    path: Path
    corpus: CorpusFile
    changed: tuple[str, ...]
    before: str | None
    after: str

    def write(self) -> None:
        """Replace the file at once, mode 0600; do nothing where nothing changed.

        Raises:
            InputError: when it cannot be written, another run has the corpus, or the file was
                changed after it was read.
        """
        if self.before == self.after:
            return
        with locked_corpus(self.path.parent):
            if self.before != (read_text(self.path) if self.path.exists() else None):
                raise InputError(f"`{self.path}` was changed meanwhile", hint="start again")
            try:
                write_file(self.path, self.after)
            except OSError as error:
                raise InputError(f"cannot write `{self.path}`: {error.strerror}") from None


def update_corpus_file(path: Path, changes: Mapping[str, Any]) -> CorpusFileUpdate:
    """Apply settings by key to a corpus file, or to a new one; write nothing.

    Comments and keys that `changes` does not name stay, but for settings that they leave without
    use (`left_over`). `None` sets a key to its default.

    Raises:
        InputError: when the file cannot be read, or a key or value is wrong.
    """
    before = read_text(path) if path.exists() else None
    old = parse_settings(before, path) if before is not None else {}
    changes = {**changes, **dict.fromkeys(left_over(changes, old))}
    new = {key: value for key, value in {**old, **changes}.items() if value is not None}
    changed = [key for key in changes if old.get(key) != new.get(key)]
    corpus = validated(absolute(new, path.parent), f"`{path}`")
    after = before if before is not None else _rendered(path.parent.name, {})
    for key in changed:
        after = _with_setting(after, key, new.get(key))
    if not _contains(after, new, path):  # a layout that line edits cannot follow
        after = _rendered(path.parent.name, new)
    said = tuple(f"{key} = {_toml(new[key])}" if key in new else f"{key} unset" for key in changed)
    return CorpusFileUpdate(path, corpus, said, before, after)


def default_recipe(settings: Mapping[str, Any]) -> str:
    """Return the recipe of a new corpus with these settings by key."""
    layers = settings.get("layers") or (RECORDS,)
    return WITH_MODEL if settings.get("model.name") and RECORDS in layers else WITHOUT_MODEL


def left_over(changes: Mapping[str, Any], stored: Mapping[str, Any]) -> Iterator[str]:
    """Yield the stored settings that changes leave without use: their keys.

    A newly named recipe ends layers that it does not make or treat, and without a layer `consensus`
    its settings end.
    """
    layers = changes["layers"] if "layers" in changes else stored.get("layers")
    recipe = changes.get("recipe") or stored.get("recipe")
    if layers and "layers" not in changes and changes.get("recipe"):
        made = CONSENSUS if recipe == CONSENSUS else RECORDS
        if made not in layers or (made == CONSENSUS and RECORDS in layers):
            yield "layers"
            layers = None
    has_consensus = CONSENSUS in layers if layers else recipe == CONSENSUS
    if not has_consensus:
        table = (f"consensus.{key}" for key in TABLES["consensus"])
        yield from (key for key in table if key in stored and key not in changes)


def _contains(text: str, settings: Mapping[str, Any], path: Path) -> bool:
    try:
        return parse_settings(text, path) == settings
    except InputError:
        return False


def _toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return toml_scalar(value)


def _rendered(name: str, settings: Mapping[str, Any]) -> str:
    """Return a whole file: every key with its meaning; a commented line shows a default."""
    lines = [
        f"# How `sage-rag index {name}` indexes this corpus; `review` and `rekey` read it, too.",
        "# A line that begins with # shows an example or the default. Paths are relative to this",
        "# file. Keys and passphrases never belong here.",
    ]
    lines += _section("", CorpusFile.model_fields, TOP_KEYS, settings)
    lines += ["", "# Recipe and layer consensus."]
    table = ConsensusTable.model_fields
    lines += ["[consensus]", *_section("consensus.", table, TABLES["consensus"], settings)]
    lines += ["", "# The model that the agents ask; its key is read from SAGE_RAG_LLM_API_KEY."]
    lines += ["[model]", *_section("model.", ModelOptions.model_fields, TABLES["model"], settings)]
    lines += ["", '# Limits of the gate that replace those of recipe and policy; "off" for none.']
    lines += ["[gate]"]
    for key, default in GATE_DEFAULTS.items():
        value = settings.get(f"gate.{key}")
        shown = "off" if default is None else default
        lines.append(f"# {key} = {_toml(shown)}" if value is None else f"{key} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _section(
    prefix: str, models: Mapping[str, Any], keys: Iterable[str], settings: Mapping[str, Any]
) -> Iterator[str]:
    for key in keys:
        field, value = models[key], settings.get(prefix + key)
        shown = field.examples[0] if field.examples else field.default
        yield ""
        yield f"# {field.description}"
        if key == "recipe":
            yield from (f"#   {recipe.name}: {recipe.summary}" for recipe in RECIPES.values())
        yield f"# {key} = {_toml(shown)}" if value is None else f"{key} = {_toml(value)}"


def _with_setting(text: str, key: str, value: Any) -> str:
    """Return the file's text with one line replaced, or added at the end of its table."""
    section, _, name = key.rpartition(".")
    lines = text.splitlines()
    headers = [i for i, line in enumerate(lines) if line.lstrip().startswith("[")]
    start = 0
    if section:
        own = [i for i in headers if lines[i].split("#")[0].strip() == f"[{section}]"]
        if not own:
            lines += ["", f"[{section}]"]
        start = own[0] + 1 if own else len(lines)
    end = min((i for i in headers if i >= start), default=len(lines))
    places = [i for i in range(start, end) if re.match(rf"\s*#?\s*{name}\s*=", lines[i])]
    live = [i for i in places if not lines[i].lstrip().startswith("#")]
    if value is None:
        for i in live:
            lines[i] = f"# {lines[i]}"
    elif places:
        lines[(live or places)[0]] = f"{name} = {_toml(value)}"
    else:
        lines.insert(end, f"{name} = {_toml(value)}")
    return "\n".join(lines) + "\n"
