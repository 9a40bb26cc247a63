"""What a run reports of each step: JSON lines, TensorBoard, and the progress bar's note."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from sage_rag.common.exceptions import extra
from sage_rag.common.jsonl import rows, write_jsonl

_GPU_PEAKS = {
    "A100": 312e12,
    "H100": 989e12,
    "H200": 989e12,
    "L40S": 362e12,
    "A10G": 70e12,
    "V100": 125e12,
}
"""Dense products in bfloat16 (V100: float16), from NVIDIA's data sheets."""
_MATRIX = 1024
_TRIALS = 20


@dataclass(frozen=True, slots=True)
class StepMeasurement:
    """The measurements of one step.

    `step`: steps done. `loss`: mean cross-entropy of the step's targets, in nats. `tokens`: targets
    trained on so far. `mfu`: achieved share of the peak. `memory_bytes`: the highest so far.
    """

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int
    tokens_per_s: float
    mfu: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest rate of one device: `flops` per second, and where the number is from."""

    flops: float
    source: str


def peak_of(device: torch.device, dtype: torch.dtype, stated: float | None = None) -> Peak:
    """Return the peak of a device: as stated, from a data sheet, or measured.

    Data sheets of processors do not give one number, so a CPU is measured: the best of twenty
    products of two square matrices, which is below the true peak.
    """
    if stated:
        return Peak(stated, "hardware.peak_flops")
    if device.type == "cuda" and dtype == torch.bfloat16:
        name = torch.cuda.get_device_name(device)
        for model, flops in _GPU_PEAKS.items():
            if model in name:
                return Peak(flops, f"data sheet of {name}, dense bfloat16")
    kind = str(dtype).removeprefix("torch.")
    source = f"measured: product of {_MATRIX} x {_MATRIX} matrices in {kind}"
    return Peak(_measured_peak(device, dtype), f"{source}, {torch.get_num_threads()} threads")


def _measured_peak(device: torch.device, dtype: torch.dtype) -> float:
    matrix = torch.ones(_MATRIX, _MATRIX, dtype=dtype, device=device)
    best = float("inf")
    for _ in range(_TRIALS):
        start = time.perf_counter()
        float((matrix @ matrix)[0, 0])  # reading a number waits for the device
        best = min(best, time.perf_counter() - start)
    return 2 * _MATRIX**3 / best


def flops_per_token(model: nn.Module, row_tokens: int) -> float:
    """Return the operations per token of a forward and a backward pass.

    6 per weight that takes part in a product (4 where it is frozen), and 12 · layers · width ·
    row_tokens for attention over the full row.

    Source: Chowdhery et al. (2022), PaLM, arXiv 2204.02311, appendix B.
    """
    config: Any = model.config
    embeddings = {id(p) for m in model.modules() if isinstance(m, nn.Embedding) for p in [m.weight]}
    tied = bool(getattr(config, "tie_word_embeddings", False))
    products = sum(
        (6 if p.requires_grad else 4) * p.numel()
        for p in model.parameters()
        if p.ndim == 2 and (tied or id(p) not in embeddings)
    )
    attention = 12 * config.num_hidden_layers * config.hidden_size * row_tokens
    return float(products + attention)


def memory_bytes(device: torch.device) -> int:
    """Return the highest memory use so far: of the device, or of this process on a CPU."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def read_measurements(out: Path) -> Iterator[StepMeasurement]:
    """Yield the measurements of a run, in order of steps."""
    return (StepMeasurement(**row) for row in rows(out / "measurements.jsonl"))


class MeasurementLog:
    """Writes the measurements of a run to `measurements.jsonl`, and to TensorBoard if asked.

    A run that continues after `step` steps drops the lines of later steps, and writes them again.
    `tokens`: the targets of the lines that are kept.
    """

    def __init__(self, out: Path, step: int, *, tensorboard: bool) -> None:
        self._path = out / "measurements.jsonl"
        self._board = _board(out / "tensorboard", step) if tensorboard else None
        kept = [row for row in _complete_rows(self._path) if row["step"] <= step]
        self.tokens = int(kept[-1]["tokens"]) if kept else 0
        write_jsonl(self._path, kept)
        self._file = self._path.open("a", encoding="utf-8")

    def write(self, measurement: StepMeasurement) -> None:
        """Append the measurements of a step.

        Raises:
            OSError: when the disk does not take them.
        """
        self._file.write(json.dumps(asdict(measurement)) + "\n")
        self._file.flush()
        if self._board is not None:
            for name, value in asdict(measurement).items():
                if name != "step":
                    self._board.add_scalar(name, value, measurement.step)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._board is not None:
            self._board.close()


def _complete_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file up to one that a killed process did not complete."""
    if not path.exists():
        return
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return


def _board(folder: Path, step: int) -> Any:
    with extra("training", needed_by="hardware.tensorboard"):
        from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder), purge_step=step + 1)
