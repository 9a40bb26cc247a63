"""Share the cores of a machine among the threads of an engine."""

from __future__ import annotations

import sys

_MOST_THREADS = 4
"""Beyond this many, threads wait for Python's lock: a third of the work on a record is Python."""
_SWITCH_S = 0.0005
"""How long a thread may keep Python's lock while another one waits. A network asks for it after
each of its hundred operations; with Python's default of 5 ms, it waits longer than it works."""


def use_one_core() -> None:
    """Let networks and searches of the calling thread use one core, and Python's lock move often.

    For a service that answers several requests at a time: one core for each is the least work in
    all. Concerns the libraries that are loaded already.
    """
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)
    if (faiss := sys.modules.get("faiss")) is not None:
        faiss.omp_set_num_threads(1)
    sys.setswitchinterval(min(_SWITCH_S, sys.getswitchinterval()))


class ThreadCores:
    """The part of the cores that the networks of each of `threads` threads use, until `end`.

    The cores are those that torch would use: `OMP_NUM_THREADS`, or all that the process may use.
    """

    def __init__(self, most: int) -> None:
        """`most`: the greatest number of threads; there are no more than four, or than cores."""
        import torch

        cores = torch.get_num_threads()
        self.threads = min(cores, most, _MOST_THREADS)
        self._each = cores // self.threads
        self._before = cores, sys.getswitchinterval()

    def begin_thread(self) -> None:
        """Limit the networks of the calling thread."""
        import torch

        torch.set_num_threads(self._each)
        sys.setswitchinterval(min(_SWITCH_S, self._before[1]))

    def end(self) -> None:
        """Restore the limits for threads that begin later."""
        import torch

        torch.set_num_threads(self._before[0])
        sys.setswitchinterval(self._before[1])
