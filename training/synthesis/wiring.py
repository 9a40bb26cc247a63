"""The one place that builds a `SynthesisJob`: from names, a keyset and perhaps a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_rag.agents.model.recognizer import LlmRecognizer
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import Policy, load_policy
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.protocols import EntityCipher, Recognizer
from sage_rag.privacy.recognizers.catalog import covered_languages, recognizer_of
from sage_rag.training.owner_folder import OWNER
from sage_rag.training.synthesis.asking import Asking
from sage_rag.training.synthesis.association import RuleAssociation
from sage_rag.training.synthesis.encryption import CODEBOOK_FILE, CipherName, When, cipher_named
from sage_rag.training.synthesis.entities import EntityReader
from sage_rag.training.synthesis.model_association import ModelAssociation
from sage_rag.training.synthesis.model_writing import ModelWriter
from sage_rag.training.synthesis.options import ContextName
from sage_rag.training.synthesis.run import SynthesisJob
from sage_rag.training.synthesis.samples import CountTokens, SourceDocument, estimated_tokens
from sage_rag.training.synthesis.shards import read_manifest
from sage_rag.training.synthesis.synthesis import Choices, Synthesizer


@dataclass(frozen=True, slots=True)
class Parts:
    """Names of the parts of a synthesis, as a command line has them."""

    corpus: str
    policy: str = "soe-all"
    recognizers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    cipher: CipherName = CipherName.SIV
    when: When = When.BEFORE
    contexts: ContextName = ContextName.WORDS


def synthesis_job(
    documents: Sequence[SourceDocument],
    folder: Path,
    parts: Parts,
    choices: Choices,
    keyset: Keyset | None,
    *,
    asking: Asking | None = None,
    count: CountTokens = estimated_tokens,
    count_name: str = "four-bytes",
) -> SynthesisJob:
    """Return the job.

    `keyset`: `None` for the cipher `PLAIN` alone. `asking`: the model that scores and writes;
    without one, rules and templates do. `count` counts tokens; `count_name` changes with it.

    Raises:
        InputError: for names that mean nothing, or parts that do not fit together.
    """
    policy = load_policy(parts.policy)
    if parts.cipher is not CipherName.PLAIN and keyset is None:
        raise InputError(f"the cipher `{parts.cipher}` needs a keyset", hint="--keyset FILE")
    if parts.cipher is CipherName.PLAIN and parts.when is When.AFTER:
        raise InputError("`plain` encrypts nothing, so there is no time when", hint="--cipher siv")
    recognizer = _recognizer(parts, policy, asking)
    languages = covered_languages(parts.recognizers, parts.languages)
    reader = EntityReader(recognizer, policy, languages)

    def open_cipher() -> AbstractContextManager[EntityCipher | None]:
        if keyset is None:
            return nullcontext()
        return cipher_named(parts.cipher, keyset, parts.corpus, folder / OWNER)

    by = _by(asking, parts.contexts)

    def build(cipher: EntityCipher | None) -> Synthesizer:
        after = cipher is not None and parts.when is When.AFTER
        protector = Protector(recognizer, policy, cipher) if after and cipher else None
        return Synthesizer(reader, cipher, choices, protector=protector, count_tokens=count, **by)

    key = keyset.primary if keyset else "no-key"
    return SynthesisJob(
        documents,
        folder,
        open_cipher,
        build,
        _settings(parts, choices, asking),
        f"{parts.cipher}/{parts.corpus}/{key}/{parts.when}/{count_name}",
    )


@contextmanager
def cipher_of(folder: Path, keyset: Keyset) -> Iterator[EntityCipher]:
    """Yield the cipher of a finished synthesis, with its codebook from the owner's folder.

    Raises:
        InputError: for a folder without a manifest, or whose samples are not encrypted.
    """
    manifest = read_manifest(folder)
    try:
        name, corpus = CipherName(manifest["cipher"]), str(manifest["corpus"])
    except (KeyError, ValueError):
        raise InputError(f"the manifest in `{folder}` names no cipher and corpus") from None
    if name is CipherName.CODEBOOK and not (folder / OWNER / CODEBOOK_FILE).is_file():
        raise InputError(
            f"`{folder}` has no codebook", hint=f"name the folder that has `{OWNER}` in it"
        )
    with cipher_named(name, keyset, corpus, folder / OWNER) as cipher:
        if cipher is None:
            raise InputError(f"the samples in `{folder}` are not encrypted")
        yield cipher


def _recognizer(parts: Parts, policy: Policy, asking: Asking | None) -> Recognizer:
    """Return the recognizer of these names; `llm` asks the model, which reads texts in clear."""

    def llm(_: str) -> Recognizer:
        if asking is None:
            raise InputError("recognizer `llm` needs --llm-base-url and --llm-model")
        return LlmRecognizer(asking.model, disconnect=getattr(asking.model, "disconnect", None))

    ordered = sorted(parts.recognizers, key="llm".__eq__)
    return recognizer_of(ordered, {"llm": llm}, thresholds=policy.thresholds)


def _by(asking: Asking | None, contexts: ContextName) -> dict[str, Any]:
    """Return the association and the writer."""
    if asking is None and contexts is ContextName.WORDS:
        return {}
    if asking is None:
        from sage_rag.training.synthesis.minilm import NAME, minilm_vectors

        return {"association": RuleAssociation(minilm_vectors, NAME)}
    return {"association": ModelAssociation(asking), "writer": ModelWriter(asking)}


def _settings(parts: Parts, choices: Choices, asking: Asking | None) -> dict[str, Any]:
    return {
        "corpus": parts.corpus,
        "policy": Path(parts.policy).stem,
        "cipher": parts.cipher,
        "encrypted": "never" if parts.cipher is CipherName.PLAIN else parts.when,
        "recipe": choices.recipe,
        "k": choices.k,
        "tokens_per_document": choices.tokens,
        "seed": choices.seed,
        "threshold": choices.threshold,
        "contexts": parts.contexts if asking is None else None,
        "model": asking.model.name if asking else None,
    }
