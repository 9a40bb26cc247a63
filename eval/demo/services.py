"""Start `sage-rag` commands as separate processes, and stop them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sage_rag.common.exceptions import UpstreamError

_LISTENING = re.compile(r"listening on (http://\S+)")
_START_S = 120.0
_STOP_S = 10.0
_POLL_S = 0.1


class Service:
    """A `sage-rag` process whose messages go to a file."""

    def __init__(
        self, arguments: list[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self._log = log
        self._name = arguments[0]
        # Only the process that needs the passphrase gets it; the server must not have it.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SAGE_RAG_")}
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as messages:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sage_rag.rag_server", *arguments],
                stdout=messages,
                stderr=messages,
                env={**inherited, **(environment or {})},
            )

    def wait(self) -> str:
        """Return the URL as soon as the service reports that it listens.

        Raises:
            UpstreamError: when it ends or reports nothing in time.
        """
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            if match := _LISTENING.search(self._log.read_text("utf-8")):
                return match.group(1).rstrip("/")
            if self._process.poll() is not None:
                break
            time.sleep(_POLL_S)
        raise UpstreamError(f"`{self._name}` did not start", hint=f"see {self._log}")

    def stop(self) -> None:
        """Terminate the process; kill it if it does not end."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def running(
    arguments: list[str], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """Run a service during a block, and stop it in any case."""
    service = Service(arguments, log, environment)
    try:
        yield service
    finally:
        service.stop()
