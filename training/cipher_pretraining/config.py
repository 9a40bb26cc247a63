"""The settings of a two-stage training, read from a TOML file.

Sections: `texts`, `first_stage`, `size`, `optimization`, `hardware`; `out`, `seed`, `vocabulary`
and `row_tokens` stand before them. `training/cipher_pretraining/configs/` has examples.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from sage_rag.training.pretraining.config import (
    HardwareSettings,
    OptimizationSettings,
    Section,
    SizeSettings,
)


class FirstStage(StrEnum):
    """What the model reads before the public texts.

    `cipher`: the sensitive texts under the polyalphabetic cipher. `plain`: the sensitive texts as
    they are. `scrubbed`: with every recognised value replaced by its type. `shuffled`: the tokens
    of the ciphertext in random order. `dyck`: Shuffle-Dyck, brackets without language. `absent`:
    nothing.
    """

    CIPHER = "cipher"
    PLAIN = "plain"
    SCRUBBED = "scrubbed"
    SHUFFLED = "shuffled"
    DYCK = "dyck"
    ABSENT = "absent"


class Carry(StrEnum):
    """What the second stage keeps of the first one, where their vocabularies differ.

    `whole`: attention, MLPs and norms, and of the embeddings their scale: the new ones are drawn
    with the mean and deviation of each dimension of the old ones. `body`: attention, MLPs and
    norms alone; embeddings are drawn as for a new model.
    """

    WHOLE = "whole"
    BODY = "body"


CIPHERED = (FirstStage.CIPHER, FirstStage.SHUFFLED)
OWN_VOCABULARY = (*CIPHERED, FirstStage.DYCK)
"""Stages whose tokens are not those of plain text."""


class TextSettings(Section):
    """The texts of both stages: files .jsonl, .jsonl.gz or .txt, or folders of these."""

    sensitive: tuple[Path, ...] = Field(min_length=1)
    """Texts of the first stage."""
    public: tuple[Path, ...] = ()
    """Texts of the second stage; without them, `public_share` of the documents are drawn."""
    public_share: float = Field(default=0.25, gt=0, lt=1)
    """Source: Kobashi et al., Crypto-LLM, §5.1: three parts are encrypted, one is plain."""
    field: str = "text"
    """The field of a JSON line that holds the text."""


class FirstStageSettings(Section):
    """What the first stage reads, and what is carried from it."""

    kind: FirstStage
    key_length: int | None = Field(default=None, gt=0)
    """Letters of the key, for `cipher` and `shuffled`. The key is drawn once and kept in `out`."""
    tokens: int | None = Field(default=None, gt=0)
    """Number of tokens, for `dyck`."""
    carry: Carry | None = None
    """Required where the vocabularies differ; elsewhere, all weights are carried."""
    trained: Path | None = None
    """Folder `out` of an earlier training, whose first stage is used instead of a new one."""

    @model_validator(mode="after")
    def _settings_of_the_kind(self) -> Self:
        for name, kinds in (
            ("key_length", CIPHERED),
            ("tokens", (FirstStage.DYCK,)),
            ("carry", OWN_VOCABULARY),
        ):
            if self.kind in kinds and getattr(self, name) is None:
                raise ValueError(f"`kind` = {self.kind} needs `{name}`")
            if self.kind not in kinds and getattr(self, name) is not None:
                raise ValueError(f"`{name}` belongs to `kind` = {' or '.join(kinds)}")
        return self


class CipherPretrainingConfig(Section):
    """All settings of a two-stage training."""

    out: Path
    """Folder of the training: key, texts, tokenizers, and a run of each stage."""
    seed: int = Field(default=0, ge=0)
    vocabulary: int = Field(ge=257)
    """Tokens of each tokenizer."""
    row_tokens: int = Field(gt=1)
    texts: TextSettings
    first_stage: FirstStageSettings
    size: SizeSettings
    optimization: OptimizationSettings
    """Of both stages, each with its own schedule."""
    hardware: HardwareSettings = HardwareSettings()
