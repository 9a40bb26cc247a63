"""The engine on Ray: workers on one machine or on several of the owner's machines.

Texts go to the workers' memory. A cluster that this module starts writes no text to a disk: it may
not spill objects. It requires a token that is made for the run, since Ray listens on every network.
The safety of a cluster that runs already is up to its owner.
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
from sage_rag.common.workers import Responder, WorkerLostError, WorkerPool, WorkerReply
from sage_rag.indexer.engines.local import EndpointRecognizer, Engine
from sage_rag.indexer.engines.models import ModelHandler, ModelSetup

_ADDRESS = "RAY_ADDRESS"
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is reported to Ray's makers
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # else it prints to standard output when a worker ends
}
_STORE_BYTES = 128 * 1024 * 1024
"""Texts and spans are small; the minimum of Ray is 75 MB."""
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - not a folder for files
_CONNECT_S = 10.0


class RayEngine(Engine):
    """An engine that also disconnects from Ray."""

    def __init__(
        self, cluster: _Cluster, pool: WorkerPool, models: ModelHandler, **settings: Any
    ) -> None:
        super().__init__(pool, models, **settings)
        self._cluster = cluster

    def close(self) -> None:
        """End workers, threads and, where it was started for this run, the cluster."""
        try:
            super().close()
        finally:
            self._cluster.close()


def on_ray(
    setup: ModelSetup, workers: int, *, threads: int, endpoint: EndpointRecognizer | None = None
) -> RayEngine:
    """Return an engine on the cluster that `RAY_ADDRESS` names, or on a new one of this machine.

    A worker takes one of Ray's CPUs and stays until the end, so that models load once.

    Raises:
        MissingExtraError: without Ray.
        UpstreamError: when there is no cluster at the address, or Ray does not start.
        InputError: when the cluster has fewer CPUs than `workers`.
    """
    named = os.environ.get(_ADDRESS)
    address = None if named in ("", "local") else named  # both mean a new cluster
    ray = _ray(own=address is None)
    models = setup()
    cluster = _Cluster(ray, address, workers)
    pool = WorkerPool(partial(_Actor, ray, setup), workers, models.fingerprint)
    settings: dict[str, Any] = {"threads": threads, "endpoint": endpoint}
    return RayEngine(cluster, pool, models, documents_in_flight=2 * workers, **settings)


def _ray(*, own: bool) -> Any:
    """Import Ray after its settings are made: it reads them when it is imported.

    A cluster of our own requires a token: Ray listens on every network and runs what it is sent.
    """
    if own:
        os.environ["RAY_AUTH_MODE"] = "token"  # overrides the environment
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with extra("ray", needed_by="engine ray"):
        ray = import_module("ray")
    if ray.is_initialized():
        raise SageRagError("this process is connected to Ray already")
    return ray


class _Cluster:
    """The connection of this process to Ray."""

    def __init__(self, ray: Any, address: str | None, workers: int) -> None:
        self.ray = ray
        self._folder = None if address else tempfile.mkdtemp(prefix="sage-rag-")  # mode 0700
        try:
            if address is not None:
                _require_listener(address)
            self._connect(address, workers)
        except BaseException:
            self.close()
            raise

    def _connect(self, address: str | None, workers: int) -> None:
        if address is None and not _fits_in_memory():
            raise UpstreamError(
                "Ray would keep texts on a disk: /dev/shm is missing or has less than 128 MB free",
                hint="--set engine=local; in Docker: --shm-size=256m",
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
                raise _no_cluster(address) from None
            raise UpstreamError(f"Ray does not start here: {type(error).__name__}") from None
        cpus = int(self.ray.cluster_resources().get("CPU", 0))
        if cpus < workers:
            raise InputError(
                f"the Ray cluster has {cpus} CPUs", hint=f"--workers {max(cpus, 1)}, or fewer"
            )

    def close(self) -> None:
        self.ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _fits_in_memory() -> bool:
    """Return whether Ray's store fits into shared memory; otherwise Ray puts it on a disk."""
    return _SHARED_MEMORY.is_dir() and shutil.disk_usage(_SHARED_MEMORY).free >= _STORE_BYTES


def _require_listener(address: str) -> None:
    """Fail immediately where no server listens; Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():
        return  # for example "auto"
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()
    except (OSError, OverflowError):
        raise _no_cluster(address) from None


def _no_cluster(address: str) -> UpstreamError:
    return UpstreamError(
        f"no Ray cluster answers at `{address}`",
        hint=f"{_ADDRESS} names it, RAY_AUTH_TOKEN must be the one it was started with; "
        f"without {_ADDRESS}, one is started on this machine",
    )


class _Actor:
    """A worker on Ray. Ray does not restart it: the pool starts another one."""

    def __init__(self, ray: Any, setup: ModelSetup) -> None:
        self._ray = ray
        self._actor = ray.remote(Responder).options(num_cpus=1).remote(setup)

    def ask(self, task: str, argument: Any) -> WorkerReply:
        try:
            reply: WorkerReply = self._ray.get(self._actor.reply.remote(task, argument))
        except self._ray.exceptions.RayError:
            raise WorkerLostError from None
        return reply

    def end(self) -> None:
        self._ray.kill(self._actor)
