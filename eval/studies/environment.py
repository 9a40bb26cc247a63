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
    parts = [_processor(), f"{cores} cores", f"{memory:.0f} GiB memory", *_gpus()]
    return ", ".join(parts)


def _processor() -> str:
    try:
        models = _values("model name", Path("/proc/cpuinfo"))
    except OSError:
        return platform.machine()
    return models[0] if models else platform.machine()


def _gpus() -> list[str]:
    """Return the models of the GPUs that NVIDIA's driver lists."""
    files = sorted(Path("/proc/driver/nvidia/gpus").glob("*/information"))
    return [model for file in files for model in _values("Model", file)]


def _values(name: str, file: Path) -> list[str]:
    lines = file.read_text("ascii", "replace").splitlines()
    return [line.partition(":")[2].strip() for line in lines if line.startswith(name)]
