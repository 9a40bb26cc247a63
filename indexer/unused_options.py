"""Refuse options of a run that its recipe does not use: an option that is given is never ignored.

Settings that the corpus file keeps from an earlier run may be without use: another recipe may have
needed them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus_file import TABLES, CorpusFile
from sage_rag.indexer.passages import CONSENSUS
from sage_rag.indexer.recipes import Recipe
from sage_rag.indexer.wiring import asks_a_model, layers_of

KEYS = ("keyset", "passphrase_file", "keyset_secret")
_RECOGNITION = ("recognizers", "languages")
_MODEL = ("model.name", *(f"model.{name}" for name in TABLES["model"]))
_OPTIONS = {"model.name": "--llm-model", "model.base_url": "--llm-base-url"}


def refuse_unused(corpus: CorpusFile, recipe: Recipe, given: Iterable[str]) -> None:
    """Raise an error if a given setting has no effect; `given` are keys and names of `KEYS`.

    Raises:
        InputError: names the setting, never its value.
    """
    named = frozenset(given)
    for names, reason in _unused(corpus, recipe):
        for name in names:
            if name in named:
                said = _OPTIONS.get(name, f"--{name.replace('_', '-')}" if name in KEYS else name)
                raise InputError(
                    f"`{said}` has no effect: recipe `{recipe.name}` {reason}",
                    hint="leave it out, or name another --recipe",
                )


def _unused(corpus: CorpusFile, recipe: Recipe) -> Iterator[tuple[tuple[str, ...], str]]:
    if recipe.policy is None:
        yield (*KEYS, *_RECOGNITION), "protects nothing"
    writes = recipe.synthesize or CONSENSUS in layers_of(corpus)
    if not writes and not any(map(asks_a_model, corpus.recognizers)):
        yield _MODEL, "asks no model"
