"""The model at step 0, and its loss.

Dimensions: B rows, L tokens of a row, V tokens of the vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.config import ModelSettings, SizeSettings
from sage_rag.training.pretraining.packing import NO_TARGET, Batch, block_diagonal_mask
from sage_rag.training.pretraining.tokenizing import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


def starting_model(
    settings: ModelSettings, tokenizer: PreTrainedTokenizerFast, row_tokens: int, seed: int
) -> PreTrainedModel:
    """Return the model at step 0, in float32; the same seed gives the same random weights.

    Raises:
        InputError: when the folder has no model, the model's rows are too short, or the
            tokenizer does not extend the model's own.
    """
    torch.manual_seed(seed)
    if settings.path is None:
        model = _random(settings.size or SizeSettings(), tokenizer, row_tokens)
    else:
        model = _pretrained(settings.path, row_tokens)
        if settings.start == "body":
            _draw_embeddings(model, tokenizer)
        else:
            _extend_embeddings(model, tokenizer, load_tokenizer(settings.path))
    if settings.attention == "flex":
        model.set_attn_implementation("flex_attention")
    model.config.use_cache = False
    return model


@contextmanager
def without_bars() -> Iterator[None]:
    """Keep transformers from showing bars of its own."""
    from transformers.utils import logging as module

    logging: Any = module
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def loss_sum(model: nn.Module, batch: Batch) -> Tensor:
    """Return the sum of the cross-entropies of a batch's targets, in nats, in float32."""
    return _losses(model, batch, "sum")


def losses_by_row(model: nn.Module, batch: Batch) -> Tensor:
    """Return the sum of the cross-entropies of each row's targets (B,), in nats, in float32."""
    return _losses(model, batch, "none").view(batch.targets.shape).sum(1)


def _losses(model: nn.Module, batch: Batch, reduction: str) -> Tensor:
    logits_BLV = model(
        input_ids=batch.tokens,
        position_ids=batch.positions,
        attention_mask=_mask(model, batch.documents),
        use_cache=False,
    ).logits
    return functional.cross_entropy(
        logits_BLV.float().flatten(0, 1),
        batch.targets.flatten(),
        ignore_index=NO_TARGET,
        reduction=reduction,
    )


def _mask(model: nn.Module, documents_BL: Tensor) -> Any:
    config: Any = model.config
    if config._attn_implementation != "flex_attention":
        return block_diagonal_mask(documents_BL)
    from torch.nn.attention.flex_attention import create_block_mask

    def visible(b: Tensor, h: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (documents_BL[b, query] == documents_BL[b, key]) & (query >= key)

    rows, length = documents_BL.shape
    return create_block_mask(visible, rows, None, length, length, device=str(documents_BL.device))


def _random(
    size: SizeSettings, tokenizer: PreTrainedTokenizerFast, row_tokens: int
) -> PreTrainedModel:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        intermediate_size=size.feed_forward_width or -(-size.width * 8 // 3 // 32) * 32,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.key_value_heads or size.heads,
        max_position_embeddings=row_tokens,
        tie_word_embeddings=size.tied_embeddings,
        rms_norm_eps=size.norm_epsilon,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=None,
    )
    return LlamaForCausalLM(config)


def _pretrained(folder: Path, row_tokens: int) -> PreTrainedModel:
    from safetensors import SafetensorError

    try:
        model = complete_model(folder)
    except SafetensorError:
        raise InputError(f"the weights in `{folder}` are damaged") from None
    except (OSError, ValueError, json.JSONDecodeError):
        raise InputError(
            f"`{folder}` has no causal language model that transformers loads",
            hint="download one first: hf download NAME --local-dir FOLDER",
        ) from None
    if model.config.max_position_embeddings < row_tokens:
        raise InputError(
            f"the model of `{folder}` reads {model.config.max_position_embeddings} tokens, fewer "
            f"than `data.row_tokens` = {row_tokens}"
        )
    return model


def complete_model(folder: Path, dtype: torch.dtype | str = torch.float32) -> PreTrainedModel:
    """Read a causal language model; refuse one that lacks weights, which would be drawn at random.

    `dtype`: "auto" for that of the file. Errors of transformers and safetensors pass through.

    Raises:
        InputError: for a weight that is in no file, or has another shape than `config.json` says.
    """
    from transformers import AutoModelForCausalLM

    with without_bars():
        loading: Any = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, local_files_only=True, output_loading_info=True
        )
    model: PreTrainedModel = loading[0]
    _check_complete(loading[1], folder)
    return model


def _check_complete(loaded: Mapping[str, Any], folder: Path) -> None:
    absent = [*loaded.get("missing_keys", ()), *loaded.get("mismatched_keys", ())]
    if absent:
        name = absent[0] if isinstance(absent[0], str) else absent[0][0]
        raise InputError(
            f"`{folder}` lacks {len(absent)} of the weights that its `config.json` names, such as "
            f"`{name}`",
            hint="copy the whole folder of the model again",
        )


def _draw_embeddings(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
    """Replace embeddings and output by random ones for another vocabulary."""
    deviation = float(getattr(model.config, "initializer_range", 0.02))
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    with torch.no_grad():
        for matrix in vocabulary_matrices(model):
            matrix.normal_(0.0, deviation)
    for name in ("bos_token_id", "eos_token_id"):
        setattr(model.config, name, getattr(tokenizer, name))
    model.generation_config.bos_token_id = tokenizer.bos_token_id
    model.generation_config.eos_token_id = tokenizer.eos_token_id


def _extend_embeddings(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, own: PreTrainedTokenizerFast
) -> None:
    """Give each token that the model's own tokenizer lacks the mean of the tokens it replaces.

    Source: Hewitt (2021), "Initializing New Word Embeddings for Pretrained Language Models", takes
    the mean of all embeddings. Differs: the mean of the word's own pieces, which starts it near
    what the model read before.
    """
    known = own.get_vocab()
    vocabulary = tokenizer.get_vocab()
    if any(vocabulary.get(token) != place for token, place in known.items()):
        raise InputError(
            "the tokenizer does not extend the model's own",
            hint="add words to the model's tokenizer, or set `model.start` to `body`",
        )
    new = {token: place for token, place in vocabulary.items() if token not in known}
    if len(tokenizer) > vocabulary_matrices(model)[0].shape[0]:
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    with torch.no_grad():
        for matrix in vocabulary_matrices(model):
            for token, place in new.items():
                pieces = own(token, add_special_tokens=False)["input_ids"]
                matrix[place] = matrix[pieces].mean(0)


def vocabulary_matrices(model: PreTrainedModel) -> list[Tensor]:
    """Return the embeddings (V, D) and, where it is another matrix, the output (V, D)."""
    untyped: Any = model
    layers = (untyped.get_input_embeddings(), untyped.get_output_embeddings())
    found: dict[int, Tensor] = {}
    for layer in layers:
        if layer is not None:
            weight: Tensor = layer.weight
            found[id(weight)] = weight
    return list(found.values())
