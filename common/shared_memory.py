"""Memory that a process shares with those that it forks."""

from __future__ import annotations

import fcntl
import mmap
import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class SharedMemory:
    """Zeros at first; use it inside `locked`, where no other thread or process has it.

    Guarantees: the end of a process that has it blocks no other one.
    """

    def __init__(self, size_bytes: int) -> None:
        """Make it before the processes that share it."""
        # The lock of a file is one of processes, and ends with the process that holds it.
        self._file, name = tempfile.mkstemp(prefix="sage-rag-shared-")
        Path(name).unlink()
        weakref.finalize(self, os.close, self._file)
        os.truncate(self._file, size_bytes)
        self._memory = mmap.mmap(self._file, 0)
        self._threads = threading.Lock()

    @contextmanager
    def locked(self) -> Iterator[mmap.mmap]:
        """Yield the memory; other threads and processes wait."""
        with self._threads:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield self._memory
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)
