"""A trained prefix: keys and values of virtual tokens that every layer attends to.

Source: Li and Liang (2021), arXiv 2101.00190. Differs: the keys and values are trained directly,
without the network that makes them there, and begin as those of real text.

Dimensions: B rows, P virtual tokens, H heads of keys, D width of a head.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, write_file

if TYPE_CHECKING:
    from transformers import DynamicCache, PreTrainedModel

VIRTUAL_TOKENS = 20
"""Source: Zhao and Field (2025), §3.2."""
WEIGHTS = "prefix.safetensors"
SETTINGS = "prefix.json"
_FIRST_TEXT = "The following record contains these values and no others: "


class Prefix(nn.Module):
    """Keys and values (H, P, D) of each layer of one model."""

    def __init__(self, keys: list[Tensor], values: list[Tensor]) -> None:
        super().__init__()
        self.keys = nn.ParameterList(nn.Parameter(tensor.clone()) for tensor in keys)
        self.values = nn.ParameterList(nn.Parameter(tensor.clone()) for tensor in values)

    @property
    def tokens(self) -> int:
        """The number of virtual tokens."""
        return int(self.keys[0].shape[1])

    @classmethod
    def of_text(cls, model: PreTrainedModel, tokenizer: Any, tokens: int) -> Prefix:
        """Return the prefix that equals `tokens` tokens of a fixed text before every prompt."""
        if tokens < 1:
            raise InputError("a prefix has at least one virtual token")
        ids = tokenizer(_FIRST_TEXT, add_special_tokens=False)["input_ids"]
        row = [ids[place % len(ids)] for place in range(tokens)]
        untyped: Any = model
        with torch.no_grad():
            cache = untyped(torch.tensor([row], device=untyped.device), use_cache=True)
        layers = [(layer.keys[0], layer.values[0]) for layer in cache.past_key_values.layers]
        return cls([keys for keys, _ in layers], [values for _, values in layers])

    def cache(self, model: PreTrainedModel, rows: int) -> DynamicCache:
        """Return the prefix as the cache with which a model reads a batch of `rows`."""
        from transformers import DynamicCache

        cache = DynamicCache(config=model.config)
        for place, (keys, values) in enumerate(zip(self.keys, self.values, strict=True)):
            cache.update(
                keys.unsqueeze(0).expand(rows, -1, -1, -1),
                values.unsqueeze(0).expand(rows, -1, -1, -1),
                place,
            )
        return cache

    def save(self, folder: Path, model_digest: str, settings: dict[str, Any]) -> None:
        """Write weights and settings; the settings appear last.

        Raises:
            InputError: when the folder cannot be written.
        """
        tensors = {name: tensor.detach().contiguous() for name, tensor in self.state_dict().items()}
        written = {"model": model_digest, "tokens": self.tokens, **settings}
        make_folder(folder)
        try:
            (folder / SETTINGS).unlink(missing_ok=True)  # those of an earlier prefix
            (folder / WEIGHTS).touch(mode=0o600)  # weights may contain private text
            (folder / WEIGHTS).write_bytes(save(tensors))
            write_file(folder / SETTINGS, json.dumps(written, indent=1) + "\n")
        except OSError as error:
            raise InputError(f"cannot write to `{folder}`: {error.strerror}") from None

    @classmethod
    def load(cls, folder: Path, model_digest: str) -> Prefix:
        """Read a prefix that was trained on the model with this digest.

        Raises:
            InputError: for a folder without a prefix, a damaged one, or one of another model.
        """
        if not (folder / SETTINGS).is_file():
            raise InputError(
                f"`{folder}` has no trained prefix", hint="see: sage-rag train prefix --help"
            )
        if _model_of(folder / SETTINGS) != model_digest:
            raise InputError(
                f"the prefix of `{folder}` is damaged, or was trained on another model",
                hint="name the model that it was trained on, or train it again",
            )
        try:
            tensors = load_file(folder / WEIGHTS)
            places = range(len(tensors) // 2)
            keys = [tensors[f"keys.{place}"] for place in places]
            return cls(keys, [tensors[f"values.{place}"] for place in places])
        except (OSError, SafetensorError, KeyError) as error:
            raise InputError(
                f"`{folder / WEIGHTS}` is damaged ({type(error).__name__})", hint="train it again"
            ) from None


def make_folder(folder: Path) -> None:
    """Make the folder of a prefix, which the owner alone can read.

    Raises:
        InputError: when it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"cannot write to `{folder}`: {error.strerror}") from None


def _model_of(file: Path) -> str:
    """Return the digest of the model that settings name; empty for a damaged file."""
    with reading(file):
        content = file.read_text("utf-8", "replace")
    try:
        settings = json.loads(content)
    except json.JSONDecodeError:
        return ""
    return str(settings.get("model", "")) if isinstance(settings, dict) else ""
