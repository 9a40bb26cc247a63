"""Threads that share the cores of a machine."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from sage_rag.indexer.engines.cores import ThreadCores


@pytest.mark.parametrize(
    ("cores", "most", "threads", "each"),
    [(1, 8, 1, 1), (2, 8, 2, 1), (3, 8, 3, 1), (16, 8, 4, 4), (2, 1, 1, 2)],
)
def test_threads_share_the_cores(cores: int, most: int, threads: int, each: int) -> None:
    usual, before, interval = torch.get_num_threads(), sys.getswitchinterval(), 0.005
    torch.set_num_threads(cores)
    sys.setswitchinterval(interval)  # a service that a test began may have made it shorter
    try:
        shared = ThreadCores(most)
        assert shared.threads == threads
        with ThreadPoolExecutor(1, initializer=shared.begin_thread) as pool:
            assert pool.submit(torch.get_num_threads).result() == each
            assert sys.getswitchinterval() < interval
        shared.end()
        assert (torch.get_num_threads(), sys.getswitchinterval()) == (cores, interval)
    finally:
        torch.set_num_threads(usual)
        sys.setswitchinterval(before)
