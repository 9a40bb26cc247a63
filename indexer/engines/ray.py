"""The engine on Ray: workers on one machine or on several of the owner's.

Texts go to the workers' memory. A cluster that this module starts writes none of them to a disk: it
may not spill objects. It asks for a token that is made for the run, since Ray listens on every
network. A cluster that was there before is its owner's matter.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError, SageRagError, UpstreamError, extra
from sage_rag.indexer.engines.pool import Pool, WorkerLostError
from sage_rag.indexer.engines.pooled import EndpointRecognizer, PooledEngine
from sage_rag.indexer.engines.tools import Task, WorkerReply, WorkerSetup, WorkerTools
from sage_rag.indexer.protocols import Embedder
from sage_rag.privacy.protocols import Recognizer

_ADDRESS = "RAY_ADDRESS"
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is told to Ray's makers
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # else it prints to standard output when a worker ends
}
_STORE_BYTES = 128 * 1024 * 1024
"""Texts and spans are small; the least that Ray takes is 75 MB."""
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - not a folder for files
_KNOCK_S = 10.0


class RayEngine(PooledEngine):
    """A pooled engine that also ends what it started of Ray."""

    def __init__(
        self,
        cluster: _Cluster,
        pool: Pool,
        recognizer: Recognizer,
        embedder: Embedder,
        **settings: Any,
    ) -> None:
        super().__init__(pool, recognizer, embedder, **settings)
        self._cluster = cluster

    def close(self) -> None:
        """End workers, threads and, where it was started for this run, the cluster."""
        try:
            super().close()
        finally:
            self._cluster.close()


def on_ray(
    tools: WorkerSetup, workers: int, *, threads: int, beside: EndpointRecognizer | None = None
) -> RayEngine:
    """Return an engine on the cluster that `RAY_ADDRESS` names, or on one of this machine alone.

    A worker takes one of Ray's CPUs and stays until the end, so that models load once.

    Raises:
        MissingExtraError: without Ray.
        UpstreamError: when there is no cluster at the address, or Ray does not start.
        InputError: when the cluster has fewer CPUs than `workers`.
    """
    named = os.environ.get(_ADDRESS)
    address = None if named in ("", "local") else named  # both ask for a cluster of one's own
    ray = _ray(own=address is None)
    recognizer, embedder = tools.recognizer(), tools.embedder()
    cluster = _Cluster(ray, address, workers)
    introduction = (recognizer.fingerprint, embedder.name)
    pool = Pool(partial(_Actor, ray, tools), workers, introduction)
    return RayEngine(
        cluster, pool, recognizer, embedder, at_once=2 * workers, threads=threads, beside=beside
    )


def _ray(*, own: bool) -> Any:
    """Import Ray, set up first: it reads its settings when it is imported.

    A cluster of our own gets a lock, since Ray listens on every network and runs what it is sent.
    """
    if own:
        os.environ["RAY_AUTH_MODE"] = "token"  # whatever the environment says
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with extra("ray", needed_by="--engine ray"):
        ray = import_module("ray")
    if ray.is_initialized():
        raise SageRagError("this process is connected to Ray already")
    return ray


class _Cluster:
    """Ray as this process is connected to it."""

    def __init__(self, ray: Any, address: str | None, workers: int) -> None:
        self.ray = ray
        self._folder = None if address else tempfile.mkdtemp(prefix="sage-rag-")  # mode 0700
        try:
            if address is not None:
                _knock(address)
            self._connect(address, workers)
        except BaseException:
            self.close()
            raise

    def _connect(self, address: str | None, workers: int) -> None:
        if address is None and not _fits_in_memory():
            raise UpstreamError(
                "Ray would keep texts on a disk: /dev/shm is missing, or has under 128 MB free",
                hint="--engine local; in Docker: --shm-size=256m",
            )
        own = {
            "num_cpus": workers,
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
            "_temp_dir": self._folder,
            "_system_config": {"automatic_object_spilling_enabled": False},
        }
        quiet = {"log_to_driver": False, "logging_level": "critical"}
        try:
            self.ray.init(address or "local", **quiet, **({} if address else own))
        except Exception as error:  # noqa: BLE001 - Ray fails in many ways
            if address is not None:
                raise _silent(address) from None
            raise UpstreamError(f"Ray does not start here: {type(error).__name__}") from None
        there = int(self.ray.cluster_resources().get("CPU", 0))
        if there < workers:
            raise InputError(
                f"the Ray cluster has {there} CPUs", hint=f"--workers {max(there, 1)}, or fewer"
            )

    def close(self) -> None:
        self.ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _fits_in_memory() -> bool:
    """Return whether Ray's store fits where Linux keeps shared memory; else it takes a disk."""
    return _SHARED_MEMORY.is_dir() and shutil.disk_usage(_SHARED_MEMORY).free >= _STORE_BYTES


def _knock(address: str) -> None:
    """Find out at once whether anybody listens; Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():
        return  # "auto", say
    try:
        socket.create_connection((host, int(port)), timeout=_KNOCK_S).close()
    except (OSError, OverflowError):
        raise _silent(address) from None


def _silent(address: str) -> UpstreamError:
    return UpstreamError(
        f"no Ray cluster answers at `{address}`",
        hint=f"{_ADDRESS} names it, RAY_AUTH_TOKEN must be the one it was started with; "
        f"without {_ADDRESS}, one is started on this machine",
    )


class _Actor:
    """A worker on Ray. It is not restarted by Ray: the pool starts another in its place."""

    def __init__(self, ray: Any, tools: WorkerSetup) -> None:
        self._ray = ray
        self._actor = ray.remote(WorkerTools).options(num_cpus=1).remote(tools)

    def ask(self, task: Task, argument: Any) -> WorkerReply:
        try:
            answer: WorkerReply = self._ray.get(self._actor.answer.remote(task, argument))
        except self._ray.exceptions.RayError:
            raise WorkerLostError from None
        return answer

    def end(self) -> None:
        self._ray.kill(self._actor)
