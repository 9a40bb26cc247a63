"""Options of `synthesize`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from sage_rag.training.synthesis.encryption import CipherName, When
from sage_rag.training.synthesis.recipes import Recipe


class ContextName(StrEnum):
    """Vectors of sentences: tf-idf, or all-MiniLM-L6-v2 (English, slower)."""

    WORDS = "words"
    MINILM = "minilm"


def _option(kind: Any, help_text: str, *names: str, **more: Any) -> Any:
    return Annotated[kind, typer.Option(*names, help=help_text, **more)]


Corpus = Annotated[Path, typer.Argument(help="A jsonl, txt or md file, or a folder of texts.")]
Out = _option(Path, "Folder for shards; a killed run resumes there.")
CorpusName = _option(
    str | None,
    "The corpus's name: tokens are bound to it. Default: that of the file.",
    show_default=False,
)
PolicyName = _option(str, "soe-all: all values; soe-pl: names and places; or a TOML file.")
TextFields = _option(str | None, "Fields of a jsonl record, e.g. question,answer.")
RecipeName = _option(Recipe, "soe: weighted tuples; entigraph: all pairs and triples.")
Members = _option(int, "Entities of the longest tuple, 2 to 10.", "--k")
Tokens = _option(int, "Tokens to make of each document.", min=1)
TokenizerFile = _option(
    Path | None, "A tokenizer.json that counts them. Default: four bytes are a token."
)
Cipher = _option(CipherName, "ecb is the paper's and leaks equal blocks; plain encrypts nothing.")
Contexts = _option(
    ContextName, "How contexts of entities are compared: by their words, or as MiniLM reads them."
)
Encrypt = _option(When, "after: a recognizer reads each sample; what it overlooks is plain.")
Seed = _option(int, "The same seed gives the same shards.")
BaseUrl = _option(str | None, "OpenAI-compatible endpoint, ending in /v1.")
ModelName = _option(str | None, "Model that scores and writes. Default: rules, templates.")
BudgetTokens = _option(int | None, "Stop before the model uses more tokens.", min=1)
