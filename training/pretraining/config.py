"""The settings of a training run, read from a TOML file; a key that no setting has is an error.

Sections: `model`, `data`, `optimization`, `hardware`; `out` and `seed` stand before them.
`training/pretraining/configs/` has examples.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading


class Section(BaseModel):
    """Frozen settings without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Settings = TypeVar("Settings", bound=Section)


class SizeSettings(Section):
    """The shape of a model with random weights, of Llama's architecture."""

    width: int = Field(default=256, gt=0)
    """Length of a token's vector (`hidden_size`)."""
    layers: int = Field(default=6, gt=0)
    heads: int = Field(default=4, gt=0)
    key_value_heads: int | None = Field(default=None, gt=0)
    """Default: as many as `heads`."""
    feed_forward_width: int | None = Field(default=None, gt=0)
    """Default: 8/3 of `width`, rounded up to a multiple of 32, as in Llama."""
    tied_embeddings: bool = True
    norm_epsilon: float = Field(default=1e-6, gt=0)
    """Added to the mean square in each norm (`rms_norm_eps`)."""

    @model_validator(mode="after")
    def _heads_divide_width(self) -> Self:
        if self.width % (2 * self.heads):
            raise ValueError("`width` must be an even multiple of `heads`")
        if self.key_value_heads and self.heads % self.key_value_heads:
            raise ValueError("`key_value_heads` must divide `heads`")
        return self


class LoraSettings(Section):
    """Low-rank adapters on every linear layer but the output; the export merges them.

    Source: Hu et al. (2021), arXiv 2106.09685.
    """

    rank: int = Field(default=16, gt=0)
    alpha: int = Field(default=32, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)


class ModelSettings(Section):
    """The model at step 0.

    `start`: `random` (weights drawn from the seed, shape from `size`), `weights` (all weights of
    `path`), or `body` (the layers of `path`; embeddings and output drawn from the seed, for a
    tokenizer that shares no vocabulary with that of `path`).
    """

    start: Literal["random", "weights", "body"]
    path: Path | None = None
    """Folder of a transformers model. Nothing is downloaded."""
    size: SizeSettings | None = None
    lora: LoraSettings | None = None
    attention: Literal["sdpa", "flex"] = "sdpa"
    """`flex` skips blocks of other documents; it has no backward pass on a CPU."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.path is None) != (self.start == "random"):
            raise ValueError("`path` belongs to `start` = weights or body, and only to these")
        if (self.size is None) != (self.start != "random"):
            raise ValueError("`size` belongs to `start` = random, and only to it")
        return self


class DataSettings(Section):
    """Texts and how they become rows of tokens."""

    corpus: tuple[Path, ...] = Field(min_length=1)
    """Files .jsonl or .jsonl.gz (a document per line), .txt (a document), or folders of these."""
    field: str = "text"
    """The field of a JSON line that holds the text."""
    tokenizer: Path | None = None
    """Folder of a tokenizer; default: that of `model.path`."""
    row_tokens: int = Field(gt=1)
    """Length of a training row (the cut-off length). Longer documents are split."""
    replay: tuple[Path, ...] = ()
    """General text, against forgetting."""
    replay_share: float = Field(default=0.0, ge=0, lt=1)
    """Share of replay rows among all rows."""

    @model_validator(mode="after")
    def _replay_has_texts(self) -> Self:
        if bool(self.replay) != (self.replay_share > 0):
            raise ValueError("`replay` and `replay_share` are set together")
        return self


class OptimizationSettings(Section):
    """Steps and learning rates; AdamW with gradients clipped to a norm."""

    learning_rate: float = Field(gt=0)
    """The highest rate. It rises linearly, then falls along half a cosine to `final_rate` of it."""
    epochs: int = Field(default=1, gt=0)
    rows_per_device: int = Field(gt=0)
    """Rows in one forward pass of one process."""
    accumulation: int = Field(default=1, gt=0)
    """Forward passes per step and process."""
    warm_up: float = Field(default=0.1, ge=0, lt=1)
    """Share of the steps in which the rate rises."""
    final_rate: float = Field(default=0.0, ge=0, le=1)
    weight_decay: float = Field(default=0.0, ge=0)
    """Acts on matrices alone, not on norms."""
    betas: tuple[float, float] = (0.9, 0.999)
    max_gradient_norm: float = Field(default=1.0, gt=0)
    max_steps: int | None = Field(default=None, gt=0)
    """Ends the run early; the schedule is that of the shorter run."""


class HardwareSettings(Section):
    """Where and in which precision a run computes, and how often it writes."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["auto", "bfloat16", "float32"] = "auto"
    """Of products of matrices; weights and optimizer stay in float32. `auto` is bfloat16 on a GPU
    and on processors with instructions for it."""
    recompute: bool = False
    """Compute activations again in the backward pass (gradient checkpointing): less memory."""
    compiled: bool = False
    """Fuse operations with torch.compile; needs a C++ compiler."""
    peak_flops: float | None = Field(default=None, gt=0)
    """Peak of one device in operations per second; default: known for some GPUs, else measured."""
    steps_per_checkpoint: int = Field(default=500, gt=0)
    kept_checkpoints: int = Field(default=2, gt=0)
    tensorboard: bool = False
    export_precision: Literal["bfloat16", "float32"] = "float32"


class PretrainingConfig(Section):
    """All settings of one run."""

    out: Path
    """Folder of the run: tokens, checkpoints, measurements, exported model."""
    seed: int = Field(default=0, ge=0)
    model: ModelSettings
    data: DataSettings
    optimization: OptimizationSettings
    hardware: HardwareSettings = HardwareSettings()

    @model_validator(mode="after")
    def _tokenizer_is_known(self) -> Self:
        if self.data.tokenizer is None and self.model.start != "weights":
            raise ValueError("`data.tokenizer` is missing")
        return self

    @property
    def tokenizer(self) -> Path:
        """The folder of the tokenizer."""
        folder = self.data.tokenizer or self.model.path
        if folder is None:
            raise InputError("`data.tokenizer` is missing")
        return folder


def read_config(path: Path) -> PretrainingConfig:
    """Read the settings of a run.

    Raises:
        InputError: for a file that is not TOML, a missing or unknown key, or a wrong value.
    """
    return read_settings(path, PretrainingConfig)


def read_settings(path: Path, kind: type[Settings]) -> Settings:
    """Read settings of a kind from a TOML file; the hint of an error names the kind's module.

    Raises:
        InputError: for a file that is not TOML, a missing or unknown key, or a wrong value.
    """
    with reading(path):
        source = path.read_text("utf-8-sig")
    try:
        return kind.model_validate(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"`{path}` is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        module = kind.__module__.removeprefix("sage_rag.").replace(".", "/")
        raise InputError(
            f"`{path}`: {key}: {first['msg'].removeprefix('Value error, ')}",
            hint=f"keys and values: {module}.py",
        ) from None


def shipped_configs(package: str = __package__ or "") -> dict[str, str]:
    """Return the text of each configuration that a package ships, by its name."""
    folder = resources.files(package) / "configs"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return {file.name.removesuffix(".toml"): file.read_text("utf-8") for file in files}
