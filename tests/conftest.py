"""Settings of every test."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Test processes share the cores, with each other (pytest-xdist) or with what else runs: one thread
# each, children included. Threads of a small model mostly wait for each other: with another process
# on the cores, a question took 1.2 s instead of 0.08 s. torch reads it when it is loaded.
os.environ["OMP_NUM_THREADS"] = "1"

# How long an example takes says something of the machine, not of the code.
settings.register_profile("default", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("default")

_FOLDERS = {"common", "privacy", "agents", "indexer", "rag_server", "eval", "training"}
_QUICK = "not slow"
_SLOW_MODULE = re.compile(r"^pytestmark = (\[\s+)?pytest\.mark\.slow\b", re.MULTILINE)


@pytest.fixture(scope="session", autouse=True)
def _installed_names_only() -> Iterator[None]:
    """Nothing imports a package by its folder's name, which an installed copy does not have."""
    yield
    assert not _FOLDERS & set(sys.modules)


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_disks(pytestconfig: pytest.Config) -> Iterator[None]:
    """Without slow tests, skip `os.fsync`: only a power failure shows whether it was called."""
    with pytest.MonkeyPatch.context() as patch:
        if pytestconfig.option.markexpr == _QUICK:
            patch.setattr(os, "fsync", lambda _: None)
        yield


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a parameter with a token or key in it by its argument, since keys differ by process."""
    return argname if isinstance(val, str) and re.search(r"[\w/+-]{16}", val) else None


def pytest_configure(config: pytest.Config) -> None:
    """Without slow tests, try a quarter of the usual examples of a property."""
    if config.option.markexpr == _QUICK:
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without slow tests, do not import modules that have no others: they load large libraries."""
    if config.option.markexpr != _QUICK or collection_path.suffix != ".py":
        return None
    return True if _SLOW_MODULE.search(collection_path.read_text("utf-8")) else None


def pytest_collection_finish() -> None:
    """Freeze what collection made, half a million objects: garbage collections skip it."""
    gc.freeze()
