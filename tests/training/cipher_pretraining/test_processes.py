"""A two-stage training in two processes, in the environment that torchrun gives them."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sage_rag.training.pretraining.metrics import read_measurements
from tests.training.cipher_pretraining.settings import tiny_training
from tests.training.pretraining.test_processes import environment

pytestmark = pytest.mark.slow

_RUN = """
import multiprocessing, os, sys
from pathlib import Path
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
from sage_rag.training.cipher_pretraining.config import CipherPretrainingConfig
from sage_rag.training.cipher_pretraining.run import pretrain_in_two_stages

def train(rank):
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
    pretrain_in_two_stages(CipherPretrainingConfig.model_validate_json(Path(sys.argv[1]).read_text()))

fork = multiprocessing.get_context("fork")  # libraries are loaded once
running = [fork.Process(target=train, args=(rank,)) for rank in range(2)]
for process in running: process.start()
for process in running: process.join()
sys.exit(any(process.exitcode for process in running))
"""


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def test_both_stages_train_in_one_group_of_processes(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, kind="cipher", key_length=10, carry="body")
    script, settings = tmp_path / "run.py", tmp_path / "config.json"
    script.write_text(_RUN)
    settings.write_text(config.model_dump_json())
    group = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    command = [sys.executable, str(script), str(settings)]
    subprocess.run(command, env=environment() | group, check=True, timeout=300)
    assert (config.out / "second" / "model" / "config.json").exists()
    for stage in ("first", "second"):
        steps = list(read_measurements(config.out / stage))
        assert steps[-1].loss < steps[0].loss
