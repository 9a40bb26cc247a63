"""Measurements are written once per step, and say what they are a share of."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from sage_rag.training.pretraining.config import LoraSettings, ModelSettings, SizeSettings
from sage_rag.training.pretraining.lora import with_adapters
from sage_rag.training.pretraining.metrics import (
    MeasurementLog,
    StepMeasurement,
    flops_per_token,
    peak_of,
    read_measurements,
)
from sage_rag.training.pretraining.model import starting_model
from sage_rag.training.pretraining.tokenizing import train_tokenizer
from tests.training.pretraining.runs import invented_texts

SIZE = SizeSettings(width=32, layers=2, heads=2, feed_forward_width=64)


def measurement(step: int, loss: float = 0.1) -> StepMeasurement:
    return StepMeasurement(step, loss, 1e-3, 1.0, 10 * step, 5.0, 0.5, 1000)


def test_operations_are_six_per_weight_in_a_product_and_attention() -> None:
    tokenizer = train_tokenizer(invented_texts(200), 300)
    settings = ModelSettings(start="random", size=SIZE)
    model = starting_model(settings, tokenizer, 64, seed=0)
    weights = 2 * (4 * 32 * 32 + 3 * 32 * 64) + 300 * 32  # layers, and the output
    assert flops_per_token(model, 64) == 6 * weights + 12 * 2 * 32 * 64
    untied = settings.model_copy(
        update={"size": SIZE.model_copy(update={"tied_embeddings": False})}
    )
    other = starting_model(untied, tokenizer, 64, seed=0)
    assert flops_per_token(other, 64) == flops_per_token(model, 64)
    adapted = with_adapters(other, LoraSettings(rank=4))
    assert flops_per_token(adapted, 64) < flops_per_token(model, 64)


def test_a_peak_names_its_source() -> None:
    device = torch.device("cpu")
    assert peak_of(device, torch.float32, 5e9).source == "hardware.peak_flops"
    measured = peak_of(device, torch.float32)
    assert measured.flops > 1e8
    assert measured.source.startswith("measured: product of 1024 x 1024 matrices in float32")


def test_a_run_that_continues_writes_each_step_once(tmp_path: Path) -> None:
    log = MeasurementLog(tmp_path, 0, tensorboard=False)
    for step in (1, 2, 3):
        log.write(measurement(step))
    log.close()
    with (tmp_path / "measurements.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')  # killed while writing
    log = MeasurementLog(tmp_path, 2, tensorboard=False)
    assert log.tokens == 20
    log.write(measurement(3, loss=1 / 3))
    log.close()
    found = list(read_measurements(tmp_path))
    assert found == [measurement(1), measurement(2), measurement(3, loss=1 / 3)]


@pytest.mark.slow
def test_tensorboard_reads_the_curves(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = MeasurementLog(tmp_path, 0, tensorboard=True)
    log.write(measurement(1, loss=2.5))
    log.close()
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    (event,) = events.Scalars("loss")
    assert (event.step, event.value) == (1, 2.5)
