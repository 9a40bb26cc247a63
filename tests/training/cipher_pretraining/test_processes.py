"""A two-stage training in two processes, as torchrun starts them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sage_rag.training.pretraining.metrics import read_measurements
from tests.training.cipher_pretraining.settings import tiny_training
from tests.training.pretraining.test_processes import environment

pytestmark = pytest.mark.slow

_RUN = """
import sys
from pathlib import Path
from sage_rag.training.cipher_pretraining.config import CipherPretrainingConfig
from sage_rag.training.cipher_pretraining.run import pretrain_in_two_stages
text = Path(sys.argv[1]).read_text()
pretrain_in_two_stages(CipherPretrainingConfig.model_validate_json(text))
"""


def test_both_stages_train_in_one_group_of_processes(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, kind="cipher", key_length=10, carry="body")
    script, settings = tmp_path / "run.py", tmp_path / "config.json"
    script.write_text(_RUN)
    settings.write_text(config.model_dump_json())
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command = [*torchrun, str(script), str(settings)]
    subprocess.run(command, env=environment(), check=True, timeout=300)
    assert (config.out / "second" / "model" / "config.json").exists()
    for stage in ("first", "second"):
        steps = list(read_measurements(config.out / stage))
        assert steps[-1].loss < steps[0].loss
