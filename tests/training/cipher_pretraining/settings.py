"""A two-stage training of a few steps on invented texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sage_rag.training.cipher_pretraining.config import CipherPretrainingConfig
from sage_rag.training.pretraining.corpus import write_texts
from tests.training.pretraining.runs import invented_texts

VOCABULARY = 300


def tiny_training(folder: Path, **first_stage: Any) -> CipherPretrainingConfig:
    sensitive, public = folder / "sensitive.jsonl", folder / "public.jsonl"
    if not public.exists():
        write_texts(sensitive, invented_texts(120, seed=1))
        write_texts(public, invented_texts(40, seed=2))
    return CipherPretrainingConfig.model_validate(
        {
            "out": folder / "training",
            "seed": 3,
            "vocabulary": VOCABULARY,
            "row_tokens": 64,
            "texts": {"sensitive": [sensitive], "public": [public]},
            "first_stage": first_stage,
            "size": {"width": 32, "layers": 2, "heads": 2, "tied_embeddings": False},
            "optimization": {"learning_rate": 0.01, "rows_per_device": 8},
            "hardware": {"device": "cpu", "precision": "float32", "peak_flops": 1e12},
        }
    )
