"""Options that verbs on a corpus share, and what they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privacy.exceptions import InputError

if TYPE_CHECKING:
    from agents.chat import ChatModel
    from indexer.protocols import Embedder
    from privacy.keyset.keyset import Keyset
    from privacy.protocols import Recognizer

Home = Annotated[Path, typer.Option(help="Where versions and the ledger live.")]
TextFields = Annotated[
    str | None, typer.Option(help="Fields of a jsonl record, e.g. question,answer.")
]
RecipeName = Annotated[
    str,
    typer.Option(
        help="sage, surrogates, or a baseline: encrypted, redacted, origin, paraphrase, "
        "checklist, zerogen, attrprompt."
    ),
]
PolicyName = Annotated[
    str | None, typer.Option(help="Instead of the recipe's: a preset, or ./mine.toml.")
]
AttributesName = Annotated[
    str | None, typer.Option(help="What to keep of a record: a preset's name, or ./mine.toml.")
]
AttributesPerField = Annotated[
    int,
    typer.Option(min=0, help="How many a model proposes; 0: as many as most samples speak of."),
]
DomainName = Annotated[
    str | None,
    typer.Option(help="Advice for a field of work: finance, health, law, or ./mine.md."),
]
TwoCalls = Annotated[
    bool,
    typer.Option("--two-calls", help="Let a model write without having read the record."),
]
Adversary = Annotated[
    bool,
    typer.Option("--adversary", help="Let a model guess at the person behind each draft, too."),
]
Concurrency = Annotated[int, typer.Option(min=1, help="Documents at a time with a model.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only estimate documents, calls, cost and time.")
]
AllowPlaintext = Annotated[
    bool,
    typer.Option(
        "--allow-plaintext", help="Needed for recipe origin: its index holds plain identifiers."
    ),
]


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How a model does the roles of recipe `sage`; of no use to rules or baselines."""

    attributes_per_field: int = 5
    domain: str | None = None
    two_calls: bool = False
    adversary: bool = False


def parsed_fields(text_fields: str | None) -> tuple[str, ...] | None:
    """Return the names in `--text-fields`.

    Raises:
        InputError: when they are none, or repeat.
    """
    if text_fields is None:
        return None
    fields = tuple(name.strip() for name in text_fields.split(",") if name.strip())
    if not fields or len(set(fields)) < len(fields):
        raise InputError("--text-fields needs different names separated by commas")
    return fields


def keyset_of(path: Path | None, passphrase_file: Path | None, secret_file: Path | None) -> Keyset:
    """Return the whole keyset, from whichever source is named."""
    from privacy.keyset.sources import open_whole_keyset

    return open_whole_keyset(path, passphrase_file, secret_file=secret_file)


def default_embedder() -> Embedder:
    """Return the embedder that comes with the package; its model loads on first use."""
    from indexer.embedding import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder()


def recognizer_named(
    names: Sequence[str], policy: str | None, model: ChatModel | None
) -> Recognizer:
    """Return the recognizer that the options and the policy's thresholds name."""
    from privacy.policy import load_policy
    from privacy.recognizers.catalog import recognizer_of

    def llm(_: str) -> Recognizer:
        if model is None:
            raise InputError("recognizer `llm` needs --llm-base-url and --llm-model")
        from agents.recognizer import LlmRecognizer

        return LlmRecognizer(model)

    thresholds = load_policy(policy).thresholds if policy else None
    return recognizer_of(names, {"llm": llm}, thresholds=thresholds)
