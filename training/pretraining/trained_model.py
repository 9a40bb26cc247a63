"""Open a trained causal language model and its tokenizer; nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.backends.models import quiet_loading, torch_device
from sage_rag.training.pretraining.model import complete_model
from sage_rag.training.pretraining.tokenizing import read_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json")
_MEASUREMENTS = "measurements.jsonl"
"""A training run writes it next to its own `config.json`."""
_AGAIN = "copy or export the model again"
_TOKENIZER_AGAIN = "copy the tokenizer that the model was trained with into the folder"


def load_causal(
    folder: Path, device: str | None = None
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Read a model and its tokenizer from a folder; the weights are float32.

    `device`: PyTorch's name of it; default: a GPU, if any.

    Raises:
        InputError: for a folder without a model and a tokenizer that transformers reads, or with a
            tokenizer that is not the model's.
    """
    quiet_loading()
    require_model(folder)
    try:
        model: Any = complete_model(folder)
    except SafetensorError:
        raise InputError(f"the weights in `{folder}` are damaged", hint=_AGAIN) from None
    except (OSError, ValueError, TypeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(
            f"`{folder}` is not a causal language model: {reason}", hint=_AGAIN
        ) from None
    tokenizer = read_tokenizer(folder)
    _check_tokenizer(tokenizer, model, folder)
    return model.to(device or torch_device()), tokenizer


def require_model(folder: Path) -> None:
    """Raise an `InputError` for a folder without the files of a model and a tokenizer."""
    if not (folder / "config.json").is_file():
        raise InputError(
            f"`{folder}` has no model: `config.json` is missing",
            hint="name the exported model of a training run",
        )
    if (folder / _MEASUREMENTS).is_file():
        raise InputError(
            f"`{folder}` is the folder of a training run",
            hint=f"name its model, `{folder / 'model'}`: it is there when the run is complete",
        )
    if not any((folder / name).is_file() for name in _TOKENIZER_FILES):
        raise InputError(
            f"`{folder}` has no tokenizer: none of {', '.join(_TOKENIZER_FILES)} is there",
            hint=_TOKENIZER_AGAIN,
        )


def _check_tokenizer(tokenizer: Any, model: Any, folder: Path) -> None:
    """Refuse a tokenizer that is not the model's."""
    if tokenizer.eos_token_id is None:
        raise InputError(
            f"the tokenizer in `{folder}` has no token that ends a text", hint=_TOKENIZER_AGAIN
        )
    known = model.get_input_embeddings().num_embeddings
    if len(tokenizer) > known:
        raise InputError(
            f"the tokenizer in `{folder}` has {len(tokenizer)} tokens, and the model {known}",
            hint=_TOKENIZER_AGAIN,
        )
