"""Options of `generate` and `train prefix`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sage_rag.training.controlled.codes import Identifiers
from sage_rag.training.controlled.names import Block, Contrast, Entities, Method


def _option(kind: Any, help_text: str, *names: str, **more: Any) -> Any:
    return Annotated[kind, typer.Option(*names, help=help_text, **more)]


Corpus = Annotated[Path, typer.Argument(help="A jsonl, txt or md file, or a folder of texts.")]
Out = _option(Path, "Folder to write; a killed run continues there.")
MethodName = _option(Method, "baseline: three examples without codes; leaks by design.")
ModelName = _option(str | None, "transformers:FOLDER, or a model of --llm-base-url.")
BaseUrl = _option(str | None, "OpenAI-compatible endpoint, ending in /v1.")
PrefixFolder = _option(Path | None, "With --method prefix: what `train prefix` wrote.")
Count = _option(int, "Texts to write.", min=1)
BlockName = _option(Block, "Whose private values no text may contain.")
IdentifierNames = _option(Identifiers, "Which values are private.")
EntitiesName = _option(Entities, "auto: annotated spans if there are any, else recognized.")
Paragraphs = _option(int, "Paragraphs of a piece; a document gives at most two.", min=1)
MostTokens = _option(int, "Longest text, in tokens.", min=1)
Temperature = _option(float, "Randomness of the text; 0 takes the likeliest token.", min=0, max=2)
TopP = _option(
    float, "Draw from the likeliest tokens that have this share together.", min=0.01, max=1
)
Attempts = _option(int, "Tries before a text is dropped and counted.", min=1)
TextFields = _option(str | None, "Fields of a jsonl record, e.g. question,answer.")
AllowPlaintext = _option(bool, "Send examples in clear to --llm-base-url, if it is your own.")
BudgetTokens = _option(int | None, "Stop before the endpoint uses more tokens.", min=1)

ModelFolder = _option(Path, "Folder of the model, which stays unchanged.")
PrefixOut = _option(Path, "Folder for the prefix; it stays with the owner.")
ContrastName = _option(
    Contrast, "Loss on private tokens: none, equation 3 as printed, or its reverse."
)
VirtualTokens = _option(int, "Virtual tokens.", min=1)
LearningRate = _option(float, "Of AdamW.", min=0)
Epochs = _option(int, "How often each document is read.", min=1)
Rows = _option(int, "Documents of a step.", min=1)
Seed = _option(int, "The same seed gives the same prefix.")
