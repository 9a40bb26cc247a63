"""Small runs on invented texts."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sage_rag.training.pretraining.config import PretrainingConfig
from sage_rag.training.pretraining.corpus import write_texts
from sage_rag.training.pretraining.tokenizing import save_tokenizer, train_tokenizer

_SYLLABLES = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "in", "or")]
VOCABULARY = 300


def invented_texts(count: int, seed: int = 0) -> list[str]:
    """Return sentences of invented words."""
    drawn = random.Random(seed)  # noqa: S311 - not a secret

    def word() -> str:
        return drawn.choice(_SYLLABLES) + drawn.choice(_SYLLABLES)

    return [" ".join(word() for _ in range(drawn.randint(3, 40))) + "." for _ in range(count)]


def tiny_settings(folder: Path, texts: int = 40, **changes: Any) -> dict[str, Any]:
    """Write texts and a tokenizer to a folder; return the settings of a run of a few steps."""
    corpus = folder / "texts.jsonl"
    if not corpus.exists():
        write_texts(corpus, invented_texts(texts))
        save_tokenizer(train_tokenizer(invented_texts(200), VOCABULARY), folder / "tokenizer")
    settings: dict[str, Any] = {
        "out": str(folder / "run"),
        "seed": 3,
        "model": {"start": "random", "size": {"width": 32, "layers": 2, "heads": 2}},
        "data": {
            "corpus": [str(corpus)],
            "tokenizer": str(folder / "tokenizer"),
            "row_tokens": 64,
        },
        "optimization": {"learning_rate": 0.01, "rows_per_device": 4, "epochs": 2},
        "hardware": {
            "device": "cpu",
            "precision": "float32",
            "steps_per_checkpoint": 3,
            "peak_flops": 1e12,
        },
    }
    for key, value in changes.items():
        section = settings[key]
        settings[key] = {**section, **value} if isinstance(section, dict) else value
    return settings


def tiny_run(folder: Path, texts: int = 40, **changes: Any) -> PretrainingConfig:
    """Return a run of a few steps; `changes` are keys of its sections."""
    return PretrainingConfig.model_validate(tiny_settings(folder, texts, **changes))


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let the system refuse every write beyond `size` bytes of a file, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
