"""Low-rank adapters through peft, an optional library."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from sage_rag.common.exceptions import extra
from sage_rag.training.pretraining.config import LoraSettings

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def with_adapters(model: PreTrainedModel, settings: LoraSettings) -> PreTrainedModel:
    """Freeze a model and add adapters to each linear layer but the output.

    Raises:
        MissingExtraError: without peft.
    """
    with extra("training", needed_by="model.lora"):
        from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():  # peft calls transformers by names of an older version
        warnings.simplefilter("ignore", FutureWarning)
        adapted: Any = get_peft_model(model, config)
    found: PreTrainedModel = adapted
    return found


def merged(model: PreTrainedModel) -> PreTrainedModel:
    """Add the adapters to the weights of a model, and return it without them."""
    merge = getattr(model, "merge_and_unload", None)
    return merge() if merge is not None else model
