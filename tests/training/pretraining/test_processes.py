"""Runs as their users start them: killed by the system, and with two processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sage_rag.training.pretraining.config import PretrainingConfig
from sage_rag.training.pretraining.loop import pretrain
from sage_rag.training.pretraining.metrics import read_measurements
from tests.training.pretraining.runs import tiny_run

pytestmark = pytest.mark.slow

_RUN = """
import sys
from pathlib import Path
from sage_rag.training.pretraining.config import PretrainingConfig
from sage_rag.training.pretraining.loop import pretrain
pretrain(PretrainingConfig.model_validate_json(Path(sys.argv[1]).read_text()))
"""


def write_script(config: PretrainingConfig, folder: Path) -> tuple[str, str]:
    script, settings = folder / "run.py", folder / "config.json"
    script.write_text(_RUN)
    settings.write_text(config.model_dump_json())
    return str(script), str(settings)


def environment() -> dict[str, str]:
    root = str(Path(__file__).parents[3] / "src")
    return {**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"}


def curve(out: Path) -> list[tuple[int, float, float, float]]:
    return [(m.step, m.loss, m.learning_rate, m.gradient_norm) for m in read_measurements(out)]


def test_a_run_killed_by_the_system_continues_to_the_same_bits(tmp_path: Path) -> None:
    whole = tiny_run(tmp_path, texts=150, hardware={"steps_per_checkpoint": 4})
    killed = whole.model_copy(update={"out": tmp_path / "killed"})
    script = write_script(killed, tmp_path)
    process = subprocess.Popen([sys.executable, *script], env=environment())
    measurements = killed.out / "measurements.jsonl"
    while not measurements.exists() or measurements.read_bytes().count(b"\n") < 10:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not (killed.out / "model").exists()
    subprocess.run([sys.executable, *script], env=environment(), check=True)
    with subprocess.Popen([sys.executable, *write_script(whole, tmp_path)], env=environment()) as p:
        assert p.wait() == 0
    assert len(curve(whole.out)) > 20
    assert curve(killed.out) == curve(whole.out)
    files = (run.out / "model" / "model.safetensors" for run in (killed, whole))
    assert len({file.read_bytes() for file in files}) == 1


def test_two_processes_give_the_losses_of_one(tmp_path: Path) -> None:
    one = tiny_run(tmp_path, optimization={"accumulation": 2})
    two = tiny_run(tmp_path, optimization={"accumulation": 1}, out=str(tmp_path / "two"))
    pretrain(one)
    torchrun = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
    ]
    command = [*torchrun, *write_script(two, tmp_path)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    expected, found = curve(one.out), curve(two.out)
    assert [step for step, *_ in found] == [step for step, *_ in expected]
    for (_, *plain), (_, *sharded) in zip(expected, found, strict=True):
        assert sharded == pytest.approx(plain, rel=1e-4)
