"""Run the real `sage-rag` command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSPHRASE = "correct horse battery staple"
COMMAND = [sys.executable, "-m", "sage_rag.rag_server"]
_PATIENCE_S = 120.0


def environment(**extra: str) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SAGE_RAG_")}
    return {**inherited, **extra}


def sage_rag(
    *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        env=dict(env or environment()),
        stdin=subprocess.DEVNULL,
        timeout=_PATIENCE_S * 3,
        check=False,
    )


@dataclass(frozen=True)
class Running:
    """A service at work: where it listens, what it wrote, who it is."""

    url: str
    log: Path
    pid: int


@contextmanager
def service(*arguments: str, log: Path, env: Mapping[str, str] | None = None) -> Iterator[Running]:
    """Keep a service running until the block ends; wait until it says that it listens."""
    with log.open("w") as messages:
        process = subprocess.Popen(
            [*COMMAND, *arguments], stdout=messages, stderr=messages, env=dict(env or environment())
        )
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not (match := re.search(r"listening on (http://\S+)", log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{arguments[0]} did not start: {log.read_text()}")
            time.sleep(0.1)
        yield Running(match.group(1).rstrip("/"), log, process.pid)
    finally:
        process.terminate()
        process.wait(20)
