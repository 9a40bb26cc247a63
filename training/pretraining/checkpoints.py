"""Complete checkpoints: model, optimizer, random numbers, and the step, which gives the rest.

The learning rate and the order of the rows are pure functions of the step. A checkpoint is a folder
`step-00000100` of torch.distributed.checkpoint files, one per process, and `checkpoint.json` with
their digests. It is written under another name and renamed when it is complete and on the disk.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from torch.distributed.checkpoint.state_dict_loader import load as read_state
from torch.distributed.checkpoint.state_dict_saver import save as write_state
from torch.optim import Optimizer

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import reading, sha256_of, sync_folder, write_file
from sage_rag.training.pretraining.processes import Processes

_LIST = "checkpoint.json"
_NAME = re.compile(r"step-(\d{8})")
_OF_DAMAGE = (
    *(CheckpointException, RuntimeError, FileNotFoundError, EOFError),
    *(KeyError, TypeError, ValueError),  # the list is not what was written
)
_TRAINED_ONLY = StateDictOptions(ignore_frozen_params=True)


class Checkpoints:
    """The checkpoints of one run, in a folder; the newest `kept` stay."""

    def __init__(self, folder: Path, processes: Processes, kept: int) -> None:
        self._folder = folder
        self._processes = processes
        self._kept = kept

    def latest(self) -> int | None:
        """Return the step of the newest checkpoint."""
        steps = self._steps()
        return steps[-1] if steps else None

    def save(self, step: int, model: nn.Module, optimizer: Optimizer) -> None:
        """Write a checkpoint after `step` steps, and delete old ones.

        Raises:
            InputError: when the disk does not take it; earlier checkpoints are unchanged.
        """
        draft = self._folder / f".step-{step:08d}.tmp"
        with _writing(step, draft, self._processes):
            if self._processes.first:
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir(parents=True)
            self._processes.wait()
            state = _state(model, optimizer, self._processes.rank)
            writer = FileSystemWriter(draft, sync_files=True)
            with _single_process_allowed():
                write_state(state, storage_writer=writer, no_dist=self._processes.mesh is None)
            digests = self._digests(draft)
            if self._processes.first:
                described = {"world": self._processes.world, "files": digests}
                write_file(draft / _LIST, json.dumps(described, indent=1) + "\n")
                draft.rename(self._folder / f"step-{step:08d}")
                sync_folder(self._folder)
                for old in self._steps()[: -self._kept]:
                    shutil.rmtree(self._folder / f"step-{old:08d}")
        self._processes.wait()

    def load(self, step: int, model: nn.Module, optimizer: Optimizer) -> None:
        """Restore model, optimizer and random numbers.

        Raises:
            InputError: for a damaged checkpoint, or one of another number of processes.
        """
        folder = self._folder / f"step-{step:08d}"
        with reading(folder / _LIST), _damage(folder):
            described = json.loads((folder / _LIST).read_text("utf-8"))
            world = int(described["world"])
            intact = self._digests(folder) == described["files"]
        if world != self._processes.world:
            raise InputError(
                f"`{folder}` was written by {world} processes, and this run has "
                f"{self._processes.world}",
                hint=f"start it with --nproc-per-node {world}",
            )
        if not intact:
            raise _damaged(folder)
        rank = self._processes.rank
        state = _state(model, optimizer, rank)
        with _damage(folder), _single_process_allowed():
            reader = FileSystemReader(folder)
            read_state(state, storage_reader=reader, no_dist=self._processes.mesh is None)
        set_state_dict(
            model,
            optimizer,
            model_state_dict=state["model"],
            optim_state_dict=state["optimizer"],
            options=StateDictOptions(ignore_frozen_params=True, strict=False),
        )
        _restore_random_numbers(state[f"random-{rank}"])

    def _steps(self) -> list[int]:
        found = self._folder.iterdir() if self._folder.is_dir() else ()
        return sorted(int(m.group(1)) for path in found if (m := _NAME.fullmatch(path.name)))

    def _digests(self, folder: Path) -> dict[str, str]:
        """Return the digest of each file; every process reads its share of them."""
        names = sorted(path.name for path in folder.iterdir() if path.name != _LIST)
        own_names = names[self._processes.rank :: self._processes.world]
        own = {name: sha256_of(folder / name) for name in own_names}
        shares = self._processes.gather(own)
        return dict(sorted((k, v) for share in shares for k, v in share.items()))


def _state(model: nn.Module, optimizer: Optimizer, rank: int) -> dict[str, Any]:
    weights, moments = get_state_dict(model, optimizer, options=_TRAINED_ONLY)
    return {"model": weights, "optimizer": moments, f"random-{rank}": _random_numbers()}


def _random_numbers() -> dict[str, torch.Tensor]:
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def _restore_random_numbers(states: Mapping[str, torch.Tensor]) -> None:
    torch.set_rng_state(states["cpu"])
    if "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"])


@contextmanager
def _single_process_allowed() -> Iterator[None]:
    """Silence the warning that there is one process, which `no_dist` states already."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="torch.distributed is disabled")
        yield


@contextmanager
def _writing(step: int, draft: Path, processes: Processes) -> Iterator[None]:
    """Translate a failed write, and delete its remains."""
    try:
        yield
    except (OSError, RuntimeError, CheckpointException) as error:
        reason = _reason(error)
        if processes.first:
            shutil.rmtree(draft, ignore_errors=True)
        raise InputError(
            f"cannot write the checkpoint of step {step} to `{draft.parent}`: {reason}",
            hint="free space and run the same command: it continues from the last checkpoint",
        ) from None


def _reason(error: BaseException) -> str:
    """Return the system's reason for a failed write."""
    causes = [error]
    if isinstance(error, CheckpointException):
        causes = [failure[0] for failure in error.failures.values()]
    for cause in causes:
        found: BaseException | None = cause
        while found is not None:
            if isinstance(found, OSError) and found.errno:
                return os.strerror(found.errno)
            found = found.__cause__ or found.__context__
    return "the write failed"


@contextmanager
def _damage(folder: Path) -> Iterator[None]:
    try:
        yield
    except _OF_DAMAGE:
        raise _damaged(folder) from None


def _damaged(folder: Path) -> InputError:
    return InputError(
        f"the checkpoint `{folder}` is damaged",
        hint="delete it; the same command continues from the one before",
    )
