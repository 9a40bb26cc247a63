"""The folder of a run: one process writes to it, with the settings that it began with."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked, reading, write_file
from sage_rag.training.pretraining.config import PretrainingConfig
from sage_rag.training.pretraining.processes import Processes


@contextmanager
def claimed_folder(config: PretrainingConfig, processes: Processes) -> Iterator[None]:
    """Hold the folder of a run, and check that it belongs to these settings."""
    if not processes.first:
        processes.wait()
        yield
        return
    with ExitStack() as held:
        config.out.mkdir(mode=0o700, parents=True, exist_ok=True)  # tokens are the texts
        try:
            held.enter_context(locked(config.out / ".lock", create=True))
        except BlockingIOError:
            raise InputError(f"another run is writing to `{config.out}`") from None
        record = config.out / "config.json"
        if record.exists() and has_begun(config.out):
            _check_same(config, record)
        else:
            write_file(record, config.model_dump_json(indent=1) + "\n")
        processes.wait()
        yield


@contextmanager
def failed_writes(out: Path) -> Iterator[None]:
    """Translate a full disk and other failed writes to the folder of a run.

    Raises:
        InputError: instead of `OSError`.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise InputError(
            f"cannot write to `{out}`: {error.strerror}",
            hint="free space and run the same command: it continues from the last checkpoint"
            if full
            else "set `out` to a folder that you may write to",
        ) from None


def has_begun(out: Path) -> bool:
    """Return whether a step was taken: a run that failed before has no settings to keep to."""
    return any((out / name).exists() for name in ("measurements.jsonl", "checkpoints", "model"))


def _check_same(config: PretrainingConfig, record: Path) -> None:
    """Compare with the settings of the run; one that the record does not have had its default."""
    with reading(record):
        try:
            stored = PretrainingConfig.model_validate_json(record.read_text("utf-8"))
        except ValidationError:
            raise InputError(
                f"`{record}` is not the record of a run of this version", hint="set another `out`"
            ) from None
    before = json.loads(stored.model_dump_json())
    now = json.loads(config.model_dump_json())
    free = ("hardware", "out")
    changed = sorted(
        f"{section}.{key}" if isinstance(now[section], dict) else section
        for section in now
        if section not in free
        for key in (now[section] if isinstance(now[section], dict) else [section])
        if _value(before, section, key) != _value(now, section, key)
    )
    if changed:
        raise InputError(
            f"`{config.out}` holds a run with another `{changed[0]}`",
            hint="set another `out`, or restore the setting to continue that run",
        )


def _value(settings: dict[str, Any], section: str, key: str) -> Any:
    found = settings.get(section)
    return found.get(key) if isinstance(found, dict) else found
