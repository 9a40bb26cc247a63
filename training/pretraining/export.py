"""Write a trained model as a folder that transformers and vLLM load."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import sync_file, sync_folder
from sage_rag.training.pretraining.lora import merged
from sage_rag.training.pretraining.model import without_bars
from sage_rag.training.pretraining.processes import Processes
from sage_rag.training.pretraining.rust_errors import rust_errors_translated
from sage_rag.training.pretraining.tokenizing import save_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


def whole_model(
    model: nn.Module, build: Callable[[], PreTrainedModel], processes: Processes
) -> PreTrainedModel | None:
    """Return the model with all its weights on the first process, and `None` on the others.

    `build` returns the model at step 0. Every process has to call this function.
    """
    if processes.mesh is None:
        alone: Any = model
        found: PreTrainedModel = alone
        return found
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(model, options=options)
    if not processes.first:
        return None
    whole = build()
    whole.load_state_dict(weights)
    return whole


def export_model(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
    precision: torch.dtype,
) -> None:
    """Write weights, configuration, tokenizer and generation settings; adapters are merged.

    The folder appears when it is complete.

    Raises:
        OSError: when the disk does not take it.
        InputError: when it does not take the tokenizer.
    """
    whole = merged(model).to(precision)  # type: ignore[arg-type]
    whole.config.use_cache = True
    generation: Any = whole.generation_config
    generation.eos_token_id = generation.eos_token_id or tokenizer.eos_token_id
    generation.pad_token_id = tokenizer.pad_token_id or tokenizer.eos_token_id
    draft = folder.with_name(f".{folder.name}.tmp")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        with without_bars(), rust_errors_translated():
            whole.save_pretrained(draft)
        save_tokenizer(tokenizer, draft)
        for file in draft.iterdir():
            sync_file(file)
        draft.rename(folder)
        sync_folder(folder.parent)
    except (OSError, InputError):
        shutil.rmtree(draft, ignore_errors=True)
        raise
