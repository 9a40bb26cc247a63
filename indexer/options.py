"""Options that verbs on a corpus share, and what they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_rag.common.exceptions import InputError

if TYPE_CHECKING:
    from sage_rag.agents.chat.calls import ModelCalls
    from sage_rag.agents.model.recognizer import LlmRecognizer
    from sage_rag.indexer.protocols import Embedder
    from sage_rag.privacy.keyset.keyset import Keyset
    from sage_rag.privacy.protocols import Recognizer

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


class EngineName(StrEnum):
    """What recognises and embeds: processes of this machine, or Ray."""

    LOCAL = "local"
    RAY = "ray"


EngineOption = Annotated[
    EngineName,
    typer.Option(help="ray: on the cluster that RAY_ADDRESS names, or on one started here."),
]
Workers = Annotated[
    int, typer.Option(min=1, help="Processes that recognise and embed; local 1: this one.")
]
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
    from sage_rag.privacy.keyset.sources import open_whole_keyset

    return open_whole_keyset(path, passphrase_file, secret_file=secret_file)


def default_embedder() -> Embedder:
    """Return the embedder that comes with the package; its model loads on first use."""
    from sage_rag.indexer.embedding import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder()


def recognizer_named(
    names: Sequence[str], policy: str | None, model: ModelCalls | None
) -> Recognizer:
    """Return the recognizer that the options and the policy's thresholds name.

    One that asks a model comes last, however they are ordered.
    """
    from sage_rag.privacy.policy import load_policy
    from sage_rag.privacy.recognizers.catalog import recognizer_of

    def llm(_: str) -> Recognizer:
        found = endpoint_recognizer(names, model)
        if found is None:
            raise InputError("recognizer `llm` needs --llm-base-url and --llm-model")
        return found

    thresholds = load_policy(policy).thresholds if policy else None
    ordered = sorted(names, key=_asks_a_model)
    return recognizer_of(ordered, {"llm": llm}, thresholds=thresholds)


def endpoint_recognizer(names: Sequence[str], model: ModelCalls | None) -> LlmRecognizer | None:
    """Return the recognizer that asks a model, if one is named and there is a model."""
    if model is None or not any(map(_asks_a_model, names)):
        return None
    from sage_rag.agents.model.recognizer import LlmRecognizer

    return LlmRecognizer(model, disconnect=model.disconnect)


def working_recognizer(names: Sequence[str], policy: str | None) -> Recognizer:
    """Return what `recognizer_named` does without the one that asks a model: it may be nothing."""
    from sage_rag.privacy.recognizers.catalog import NO_DEFAULT
    from sage_rag.privacy.recognizers.chain import ChainRecognizer

    own = [name for name in names if not _asks_a_model(name)]
    return ChainRecognizer(()) if own == [NO_DEFAULT] else recognizer_named(own, policy, None)


def _asks_a_model(name: str) -> bool:
    return name.partition(":")[0] == "llm"
