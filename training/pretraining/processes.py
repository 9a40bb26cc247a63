"""The processes of one run: one alone, or those that torchrun starts, with one device each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from sage_rag.common.exceptions import InputError


@dataclass(frozen=True, slots=True)
class Processes:
    """This process among those of the run. `mesh` is `None` for a single process."""

    rank: int
    world: int
    device: torch.device
    mesh: DeviceMesh | None

    @property
    def first(self) -> bool:
        """Whether this process writes files and shows progress."""
        return self.rank == 0

    def sum(self, value: float) -> float:
        """Return the sum of a number over all processes, in float64."""
        if self.mesh is None:
            return value
        total = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.all_reduce(total)
        return float(total)

    def gather(self, value: Any) -> list[Any]:
        """Return the value of every process, by rank."""
        if self.mesh is None:
            return [value]
        values: list[Any] = [None] * self.world
        dist.all_gather_object(values, value)
        return values

    def wait(self) -> None:
        """Wait until every process is here."""
        if self.mesh is not None:
            dist.barrier()


@contextmanager
def joined_processes(device: Literal["auto", "cpu", "cuda"]) -> Iterator[Processes]:
    """Join the processes that torchrun started; without torchrun, there is one.

    A block within another one uses the same group: a second group of the same torchrun would find
    addresses of the first.

    The mesh names its device: with a GPU in the machine, FSDP takes it unless the mesh is of CPUs.

    Raises:
        InputError: when CUDA is required and absent.
    """
    has_cuda = torch.cuda.is_available()
    if device == "cuda" and not has_cuda:
        raise InputError("`hardware.device` is cuda, and torch finds no GPU")
    kind = "cuda" if has_cuda and device != "cpu" else "cpu"
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if kind == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    here = torch.device(kind, torch.cuda.current_device()) if kind == "cuda" else torch.device(kind)
    if world == 1:
        yield Processes(0, 1, here, None)
        return
    if dist.is_initialized():
        yield _of_group(kind, world, here)
        return
    # A group of both kinds: checkpoints gather Python objects on the CPU.
    dist.init_process_group("cpu:gloo,cuda:nccl" if kind == "cuda" else "gloo")
    try:
        yield _of_group(kind, world, here)
    finally:
        dist.destroy_process_group()


def _of_group(kind: str, world: int, here: torch.device) -> Processes:
    mesh = init_device_mesh(kind, (world,), mesh_dim_names=("shard",))
    return Processes(dist.get_rank(), world, here, mesh)
