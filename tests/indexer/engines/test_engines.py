"""Every engine writes the same version and ledger, also when a worker or the run is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sage_rag.agents.protocols import Attribute, CorpusAttributes, Roles
from sage_rag.agents.testing import ReversingAgent
from sage_rag.common.exceptions import MissingExtraError, UpstreamError
from sage_rag.indexer.engines import ray
from sage_rag.indexer.engines.local import in_process
from sage_rag.indexer.engines.models import ModelSetup
from sage_rag.indexer.engines.ray import on_ray
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES, Run
from tests.indexer.engines.corpora import MortalRecognizer, table

ENGINES = [
    pytest.param("local", marks=pytest.mark.slow),
    pytest.param("ray", marks=pytest.mark.slow),
]


SAME = (
    "passages.jsonl",
    "passages.offsets.npy",
    "vectors.faiss",
    "sentences.npy",
    "sentences.offsets.npy",
)


def start(kind: str, engine: str, folder: Path) -> subprocess.Popen[str]:
    """Start a run over two workers, in a session of its own."""
    if engine == "ray":
        pytest.importorskip("ray")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.indexer.engines.runs", kind, engine, str(folder)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(export_raw(KEYSET) + "\n")
    process.stdin.flush()
    return process


def output_of(kind: str, engine: str, folder: Path) -> Any:
    """Return the output of a run, which holds no name."""
    with start(kind, engine, folder) as process:
        output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert not any(name in errors for name in NAMES)
    return json.loads(output)


def roles_of(agent: ReversingAgent) -> Roles:
    return Roles(agent, agent, agent, agent, agent, "test")


def published(home: Path) -> dict[str, str]:
    """Return the digests of passages and vectors.

    The report holds the time, and the order of the lexical index depends on the hash seed.
    """
    files = open_version(current_path(home, "clinic"), verify=True).manifest.files
    others = {"lexical", "lookup.sealed", "report.json"}
    assert {name.partition("/")[0] for name in files} == {*SAME, *others}
    return {name: str(files[name]) for name in SAME}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_is_killed_over_a_document_changes_nothing(
    engine: str, run: Run, tmp_path: Path
) -> None:
    run(recognizer=MortalRecognizer(), home=tmp_path / "one")
    summary = output_of("killed", engine, tmp_path)
    assert (tmp_path / "died").exists()
    assert (summary["documents"], summary["published"]) == (20, 19)
    assert summary["reasons"] == {"unprotectable": 1}  # the document that the recognizer fails over
    assert summary["times"] == [1] * 20
    assert summary["extracted"] == 19
    assert published(tmp_path / "several") == published(tmp_path / "one")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_that_is_down_ends_the_run_and_another_engine_resumes_it(
    engine: str, run: Run, tmp_path: Path
) -> None:
    ended = output_of("down", engine, tmp_path)
    assert ended == {"kind": "UpstreamError", "message": "the model endpoint failed"}
    agent = ReversingAgent()
    summary = run(roles=roles_of(agent))
    assert (summary.resumed + summary.redrafted + agent.extracted, summary.published) == (20, 20)
    assert summary.resumed + summary.redrafted >= 1


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_leaves_no_process_behind(engine: str, run: Run, tmp_path: Path) -> None:
    with start("slow", engine, tmp_path) as process, ended(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=600)
        assert process.returncode not in (0, None)
        assert errors.count("KeyboardInterrupt") <= 2
        assert not left_of(process.pid)
    assert 1 <= run(roles=roles_of(ReversingAgent())).resumed < 20


@pytest.mark.slow
def test_a_killed_run_leaves_no_process_behind_and_goes_on(run: Run, tmp_path: Path) -> None:
    with start("slow", "local", tmp_path) as process, ended(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.kill()
        process.communicate(timeout=600)
        assert not left_of(process.pid)
    assert 1 <= run(roles=roles_of(ReversingAgent())).resumed < 20


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Leave nothing of a session, whatever the test found."""
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def left_of(session: int) -> list[str]:
    """Return the living processes of a session; wait up to 30 seconds for their end."""
    for _ in range(600):
        if not (left := _alive(session)):
            break
        time.sleep(0.05)
    return left


def _alive(session: int) -> list[str]:
    """Return the processes of a session that have not ended; a zombie has ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(stat.parent.name)
    return found


def test_progress_is_reported_once_per_document_and_in_order(run: Run) -> None:
    calls: dict[str, list[int]] = {}

    def progress(stage: str, done: int, total: int) -> None:
        assert total == 20 or stage == "sentences"
        calls.setdefault(stage, []).append(done)

    run(progress=progress)
    assert calls.pop("sentences")
    assert calls == {"protect": list(range(1, 21)), "embed": [20]}


def test_documents_wait_for_a_recognizer_together(run: Run) -> None:
    """A recognizer that asks a model blocks neither the event loop nor other documents."""
    together = threading.Barrier(8, timeout=60)

    class Waiting(TableRecognizer):
        fingerprint = "waiting"
        closed = False

        def recognize(self, text: str) -> Any:
            if re.search(r"^I am .* number [0-7] ", text):
                together.wait()
            return []

        def close(self) -> None:
            self.closed = True

    endpoint = Waiting({})
    start = partial(in_process, table(), HashEmbedder(), threads=8, endpoint=endpoint)
    entries = tuple(Attribute(name, name, "all of it") for name in ("question", "answer"))
    attributes = CorpusAttributes(entries, "dialogue")
    assert run(engine=start, concurrency=8, attributes=attributes).published == 20
    assert endpoint.closed
    assert not together.broken


def test_a_gate_that_cannot_read_a_draft_quarantines_it(run: Run) -> None:
    class Unreadable(ReversingAgent):
        async def generate(self, extraction: Any, attributes: Any) -> Any:
            draft = await super().generate(extraction, attributes)
            if "number 9 " not in " ".join(draft.text.split()[::-1]):
                return draft
            return type(draft)({**draft.fields, "question": "this is where it fails"})

    class Fails(TableRecognizer):
        def recognize(self, text: str) -> Any:
            if "is where it fails" in text:
                raise RuntimeError("as planned")
            return super().recognize(text)

    summary = run(roles=roles_of(Unreadable()), recognizer=Fails(NAMES))
    assert (summary.published, summary.reasons) == (19, {"unprotectable": 1})


def test_a_cluster_that_is_not_there_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=bool, shutdown=bool))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    start = partial(on_ray, ModelSetup(table, HashEmbedder), 2, threads=8)
    with pytest.raises(UpstreamError, match="no Ray cluster answers at `127"):
        run(engine=start)


@pytest.mark.parametrize("address", [None, "", "local"])
def test_a_cluster_of_our_own_is_locked_and_keeps_nothing_on_disk(
    monkeypatch: pytest.MonkeyPatch, address: str | None
) -> None:
    asked: dict[str, Any] = {}

    def init(where: str, **settings: Any) -> None:
        asked.update(settings, where=where, mode=os.environ["RAY_AUTH_MODE"])

    stub = SimpleNamespace(
        is_initialized=bool, shutdown=bool, init=init, cluster_resources=lambda: {"CPU": 2}
    )
    monkeypatch.setitem(sys.modules, "ray", stub)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "t")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if address is not None:
        monkeypatch.setenv("RAY_ADDRESS", address)
    on_ray(ModelSetup(table, HashEmbedder), 2, threads=8).close()
    assert (asked["where"], asked["mode"]) == ("local", "token")
    assert asked["_system_config"] == {"automatic_object_spilling_enabled": False}
    assert asked["_temp_dir"]
    assert not Path(asked["_temp_dir"]).exists()


def test_where_shared_memory_is_small_ray_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=bool, shutdown=bool))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "_STORE_BYTES", 1 << 60)
    with pytest.raises(UpstreamError, match="would keep texts on a disk"):
        on_ray(ModelSetup(table, HashEmbedder), 2, threads=8)


def test_without_ray_one_line_names_the_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    start = partial(on_ray, ModelSetup(table, HashEmbedder), 2, threads=8)
    with pytest.raises(MissingExtraError, match="engine ray needs `ray`") as caught:
        run(engine=start)
    assert caught.value.exit_code == 6
    assert caught.value.hint == "pip install 'sage-rag[ray]'"
