"""Continue the pretraining of a causal language model: one loop from one core to many GPUs.

    sage-rag train cpt --config tiny.toml
    torchrun --nproc-per-node 8 --no-python sage-rag train cpt --config soe_llama3_8b.toml

A killed run continues from its last checkpoint with the same command; on a CPU its losses are the
same to the last bit.

Source: Liu et al. (2025), SoE, §3 and Table 7.

Dimensions: B rows, L tokens of a row, V tokens of the vocabulary.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.optim import AdamW
from torch.utils.checkpoint import checkpoint

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import write_file
from sage_rag.common.minilm.precision import Precision, fastest_precision
from sage_rag.training.pretraining.checkpoints import Checkpoints
from sage_rag.training.pretraining.compiler import has_compiler
from sage_rag.training.pretraining.config import (
    HardwareSettings,
    OptimizationSettings,
    PretrainingConfig,
)
from sage_rag.training.pretraining.corpus import prepared_order
from sage_rag.training.pretraining.export import export_model, whole_model
from sage_rag.training.pretraining.lora import with_adapters
from sage_rag.training.pretraining.metrics import (
    MeasurementLog,
    StepMeasurement,
    flops_per_token,
    memory_bytes,
    peak_of,
)
from sage_rag.training.pretraining.model import loss_sum, starting_model
from sage_rag.training.pretraining.order import Order
from sage_rag.training.pretraining.packing import Batch, batch_of
from sage_rag.training.pretraining.processes import Processes, joined_processes
from sage_rag.training.pretraining.run_folder import claimed_folder, failed_writes
from sage_rag.training.pretraining.schedule import rate_at
from sage_rag.training.pretraining.tokenizing import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

Progress = Callable[[int, int, StepMeasurement], None]
"""Receives the steps done, all steps, and the measurements of the last one."""
Observer = Callable[[int, nn.Module], None]
"""Receives the steps done and the model, to measure it; it leaves weights and gradients alone.

A run that was killed repeats the steps since its last checkpoint, so it may report a step twice.
"""
_REFUSED = "can't allocate memory"
"""What PyTorch says on a CPU, where the error has no type of its own."""
_PRECISIONS = {"bfloat16": torch.bfloat16, "float32": torch.float32}


def pretrain(
    config: PretrainingConfig,
    *,
    progress: Progress | None = None,
    observe: Observer | None = None,
) -> Path:
    """Train as configured, and return the folder of the exported model.

    `config.out` receives the tokens, the checkpoints, `measurements.jsonl` and `model`. A run that
    was killed continues; one that is complete returns at once.

    Raises:
        InputError: when the settings, the texts or the model do not fit together, the folder
            belongs to a run of other settings, a checkpoint is damaged, the disk is full, or the
            loss is not a number.
    """
    exported = config.out / "model"
    with failed_writes(config.out), joined_processes(config.hardware.device) as processes:
        with claimed_folder(config, processes):
            if not exported.exists():
                _train(
                    config,
                    exported,
                    processes,
                    progress or (lambda done, steps, last: None),
                    observe or (lambda done, model: None),
                )
        processes.wait()
    return exported


def _train(
    config: PretrainingConfig,
    exported: Path,
    processes: Processes,
    progress: Progress,
    observe: Observer,
) -> None:
    if config.model.attention == "flex" and processes.device.type == "cpu":
        raise InputError(
            "flex attention has no backward pass on a CPU", hint="set `model.attention` = sdpa"
        )
    if config.hardware.compiled and not has_compiler():
        raise InputError(
            "`hardware.compiled` needs a C++ compiler",
            hint="install g++, or set `hardware.compiled` = false",
        )
    tokenizer = load_tokenizer(config.tokenizer)
    order = prepared_order(config, tokenizer, processes)
    build = _builder(config, tokenizer)
    model = _placed(build(), config, processes)
    optimizer = _adamw(model, config.optimization)
    steps = step_count(config.optimization, order, processes.world)
    checkpoints = Checkpoints(
        config.out / "checkpoints", processes, config.hardware.kept_checkpoints
    )
    first = checkpoints.latest() or 0
    if first:
        checkpoints.load(first, model, optimizer)
    with _reported(config, model, processes, first, steps, progress) as report:
        for step in range(first, steps):
            began = time.perf_counter()
            batches = _batches(config, order, step, processes, tokenizer)
            rate = _rate(config.optimization, step, steps)
            with _finite(step), _enough_memory(config):
                loss, norm, targets = _step(model, optimizer, batches, rate, config, processes)
            report(step, rate, loss, norm, targets, time.perf_counter() - began)
            done = step + 1
            observe(done, model)
            if done % config.hardware.steps_per_checkpoint == 0 or done == steps:
                checkpoints.save(done, model, optimizer)
    whole = whole_model(model, build, processes)
    if whole is not None:
        export_model(whole, tokenizer, exported, _PRECISIONS[config.hardware.export_precision])


def _step(
    model: nn.Module,
    optimizer: AdamW,
    batches: list[Batch],
    rate: float,
    config: PretrainingConfig,
    processes: Processes,
) -> tuple[float, float, int]:
    """Take one step; return the loss per target, the norm of the gradient, and the targets.

    Every target of the step has the same weight, in whichever pass and process it is.

    Raises:
        FloatingPointError: when loss or gradient is not finite; the weights are unchanged.
    """
    targets = int(processes.sum(sum(batch.target_count() for batch in batches)))
    half = _precision(config.hardware, processes.device) == torch.bfloat16
    total = torch.zeros((), device=processes.device)
    for number, batch in enumerate(batches, 1):
        if isinstance(model, FSDPModule):  # exchange gradients once per step
            model.set_requires_gradient_sync(number == len(batches))
        with torch.autocast(processes.device.type, torch.bfloat16, enabled=half):
            loss = loss_sum(model, batch.to(processes.device))
        # FSDP takes the mean over processes; the factor makes it the sum.
        (loss * (processes.world / max(1, targets))).backward()  # type: ignore[no-untyped-call]
        total += loss.detach()
    loss_per_target = processes.sum(float(total)) / max(1, targets)
    norm = _number(
        nn.utils.clip_grad_norm_(model.parameters(), config.optimization.max_gradient_norm)
    )
    if not (math.isfinite(loss_per_target) and math.isfinite(norm)):
        raise FloatingPointError
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    optimizer.zero_grad()
    return loss_per_target, norm, targets


@contextmanager
def _finite(step: int) -> Iterator[None]:
    """Name the step whose loss or gradient is not finite; its weights are not written."""
    try:
        yield
    except FloatingPointError:
        raise InputError(
            f"loss or gradient of step {step + 1} is not a finite number",
            hint="set a lower `learning_rate`, or `precision` = float32, and another `out`",
        ) from None


@contextmanager
def _enough_memory(config: PretrainingConfig) -> Iterator[None]:
    """Name the settings of a step for which PyTorch gets no memory."""
    try:
        yield
    except RuntimeError as error:
        if not (isinstance(error, torch.OutOfMemoryError) or _REFUSED in str(error)):
            raise
        rows, tokens = config.optimization.rows_per_device, config.data.row_tokens
        raise InputError(
            f"there is too little memory for a step of {rows} rows of {tokens} tokens",
            hint="set fewer `rows_per_device` and more `accumulation`, or fewer `row_tokens`",
        ) from None


def step_count(settings: OptimizationSettings, order: Order, world: int) -> int:
    """Return the number of steps of a run; the last one may have fewer rows."""
    rows = settings.epochs * order.rows_per_epoch
    steps = math.ceil(rows / (settings.rows_per_device * settings.accumulation * world))
    return min(steps, settings.max_steps or steps)


def _batches(
    config: PretrainingConfig,
    order: Order,
    step: int,
    processes: Processes,
    tokenizer: PreTrainedTokenizerFast,
) -> list[Batch]:
    """Return this process's batches of a step.

    The rows of a step are the same for every number of processes that gives the same product of
    rows, passes and processes.
    """
    settings = config.optimization
    per_pass = settings.rows_per_device * processes.world
    batches = []
    for number in range(settings.accumulation):
        start = (step * settings.accumulation + number) * per_pass
        start += processes.rank * settings.rows_per_device
        found = []
        for index in range(start, start + settings.rows_per_device):
            epoch, place = divmod(index, order.rows_per_epoch)
            in_run = epoch < settings.epochs
            found.append(order.row(epoch, place) if in_run else (order.corpus[0], []))
        batches.append(batch_of(found, config.data.row_tokens, int(tokenizer.eos_token_id)))
    return batches


def _builder(
    config: PretrainingConfig, tokenizer: PreTrainedTokenizerFast
) -> Callable[[], PreTrainedModel]:
    def build() -> PreTrainedModel:
        settings = config.model
        model = starting_model(settings, tokenizer, config.data.row_tokens, config.seed)
        return with_adapters(model, settings.lora) if settings.lora else model

    return build


def _placed(model: PreTrainedModel, config: PretrainingConfig, processes: Processes) -> nn.Module:
    """Move a model to its device, and divide it among the processes (FSDP2)."""
    hardware = config.hardware
    placed: Any = model
    placed.train()
    if hardware.recompute:
        for layer in _layers(placed):
            layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)
    if hardware.compiled:
        placed.compile(dynamic=False)
    if processes.mesh is not None:
        half = _precision(hardware, processes.device) == torch.bfloat16
        policy = MixedPrecisionPolicy(
            param_dtype=torch.bfloat16 if half else None, reduce_dtype=torch.float32
        )
        for layer in _layers(placed):
            fully_shard(layer, mesh=processes.mesh, mp_policy=policy)
        fully_shard(placed, mesh=processes.mesh, mp_policy=policy)
    module: nn.Module = placed.to(processes.device)
    torch.manual_seed(config.seed + 1 + processes.rank)  # dropout differs between processes
    return module


def _layers(model: nn.Module) -> Iterator[nn.Module]:
    """Yield the transformer blocks: the parts that FSDP gathers one at a time."""
    for module in model.modules():
        if isinstance(module, nn.ModuleList):
            yield from module
            return


def _adamw(model: nn.Module, settings: OptimizationSettings) -> AdamW:
    trained = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim >= 2], "weight_decay": settings.weight_decay},
        {"params": [p for p in trained if p.ndim < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    return AdamW(groups, lr=settings.learning_rate, betas=settings.betas, fused=True)


def _precision(hardware: HardwareSettings, device: torch.device) -> torch.dtype:
    if hardware.precision != "auto":
        return _PRECISIONS[hardware.precision]
    half = device.type == "cuda" or fastest_precision() is Precision.HALF
    return torch.bfloat16 if half else torch.float32


def _rate(settings: OptimizationSettings, step: int, steps: int) -> float:
    return rate_at(
        step,
        steps,
        highest=settings.learning_rate,
        warm_up=settings.warm_up,
        final_rate=settings.final_rate,
    )


def _number(norm: Tensor) -> float:
    return float(norm.full_tensor() if isinstance(norm, DTensor) else norm)


@contextmanager
def _reported(
    config: PretrainingConfig,
    model: nn.Module,
    processes: Processes,
    first: int,
    steps: int,
    progress: Progress,
) -> Iterator[Callable[[int, float, float, float, int, float], None]]:
    """Yield the function that takes the results of a step and writes its measurements."""
    if not processes.first:
        yield lambda step, rate, loss, norm, targets, seconds: None
        return
    precision = _precision(config.hardware, processes.device)
    peak = peak_of(processes.device, precision, config.hardware.peak_flops)
    described = {**asdict(peak), "precision": str(precision).removeprefix("torch.")}
    write_file(config.out / "hardware.json", json.dumps(described, indent=1) + "\n")
    operations = flops_per_token(model, config.data.row_tokens)
    log = MeasurementLog(config.out, first, tensorboard=config.hardware.tensorboard)
    tokens = log.tokens

    def report(
        step: int, rate: float, loss: float, norm: float, targets: int, seconds: float
    ) -> None:
        nonlocal tokens
        tokens += targets
        per_second = targets / seconds
        mfu = per_second * operations / (peak.flops * processes.world)
        memory = memory_bytes(processes.device)
        found = StepMeasurement(step + 1, loss, rate, norm, tokens, per_second, mfu, memory)
        log.write(found)
        progress(step + 1, steps, found)

    try:
        yield report
    finally:
        log.close()
