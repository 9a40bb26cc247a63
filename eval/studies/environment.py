"""Commit, hardware and software of a measurement."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict

_PACKAGES = (
    "sage-rag",
    "torch",
    "sentence-transformers",
    "faiss-cpu",
    "faiss-gpu-cu12",
    "faiss-gpu-cuvs",
    "bm25s",
)
"""Where they are installed: a machine with a GPU has one of the other builds of faiss."""
_GIBIBYTE = 2**30


class Environment(BaseModel):
    """Commit, date, hardware and software of a measurement."""

    model_config = ConfigDict(frozen=True)
    commit: str
    date: str
    hardware: str
    software: dict[str, str]

    def __str__(self) -> str:
        software = ", ".join(f"{name} {number}" for name, number in self.software.items())
        return f"Commit {self.commit}, {self.date}. {self.hardware}. {software}."


def environment() -> Environment:
    """Describe the machine and its software, without the machine's name."""
    return Environment(
        commit=_commit(),
        date=datetime.now(UTC).date().isoformat(),
        hardware=_hardware(),
        software={"python": platform.python_version(), **dict(_installed(_PACKAGES))},
    )


def _installed(packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    for package in packages:
        with suppress(PackageNotFoundError):
            yield package, version(package)


def _commit() -> str:
    """Return the commit of the measured software, with `+` if files differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--short") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _hardware() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIBIBYTE
    cores = len(os.sched_getaffinity(0))
    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return ", ".join([_processor(), f"{cores} cores", f"{memory:.0f} GiB memory", *gpus])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("ascii", "replace").splitlines()
    except OSError:
        return platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
