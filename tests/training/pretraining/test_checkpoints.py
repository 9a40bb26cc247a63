"""Checkpoints are whole or absent, and damage stops a run."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining.loop import pretrain
from sage_rag.training.pretraining.metrics import read_measurements
from tests.training.pretraining.runs import tiny_run


class Stopped(BaseException):
    pass


def stop_after(step: int):
    def progress(done: int, steps: int, last: object) -> None:
        if done == step:
            raise Stopped

    return progress


def started(folder: Path, step: int = 5, **changes: object):
    """Return a run that stopped after a step, with a checkpoint of each step."""
    config = tiny_run(folder, hardware={"steps_per_checkpoint": 1, **changes})
    with pytest.raises(Stopped):
        pretrain(config, progress=stop_after(step))
    return config


def names(out: Path) -> list[str]:
    return sorted(path.name for path in (out / "checkpoints").iterdir())


def test_the_newest_checkpoints_stay(tmp_path: Path) -> None:
    assert names(started(tmp_path).out) == ["step-00000003", "step-00000004"]


@pytest.mark.parametrize(
    ("file", "harm"),
    [
        ("__0_0.distcp", "changed"),
        ("__0_0.distcp", "missing"),
        (".metadata", "shortened"),
        ("checkpoint.json", "shortened"),
        ("checkpoint.json", "missing"),
    ],
)
def test_a_damaged_checkpoint_stops_the_run_and_the_one_before_continues(
    tmp_path: Path, file: str, harm: str
) -> None:
    config = started(tmp_path)
    damaged = config.out / "checkpoints" / "step-00000004"
    content = (damaged / file).read_bytes()
    middle = len(content) // 2
    changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    (damaged / file).write_bytes(content[:middle] if harm == "shortened" else changed)
    if harm == "missing":
        (damaged / file).unlink()
    with pytest.raises(InputError, match="is damaged") as caught:
        pretrain(config)
    assert "step-00000004" in caught.value.message
    (damaged / file).write_bytes(b"")
    for left in damaged.iterdir():
        left.unlink()
    damaged.rmdir()
    pretrain(config)
    steps = [m.step for m in read_measurements(config.out)]
    assert steps == list(range(1, len(steps) + 1))


@pytest.mark.parametrize("listed", ["[]", "null", '{"world": null}', '{"world": 1, "files": []}'])
def test_a_list_of_another_form_is_damage(tmp_path: Path, listed: str) -> None:
    config = started(tmp_path)
    (config.out / "checkpoints" / "step-00000004" / "checkpoint.json").write_text(listed)
    with pytest.raises(InputError, match="step-00000004` is damaged"):
        pretrain(config)


def test_a_full_disk_leaves_the_earlier_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = started(tmp_path, step=2)

    checkpoints = config.out / "checkpoints"
    sync = os.fsync

    def full(file: int) -> None:
        if checkpoints in Path(f"/proc/self/fd/{file}").readlink().parents:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError) as caught:
            pretrain(config)
    assert "the checkpoint of step 2 " in caught.value.message
    assert "No space left on device" in caught.value.message
    assert names(config.out) == ["step-00000001"]
    assert pretrain(config).exists()


def test_a_full_disk_elsewhere_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    config = started(tmp_path, step=2)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot write to .*: No space left on device"):
        pretrain(config)


def test_another_number_of_processes_is_refused(tmp_path: Path) -> None:
    config = started(tmp_path)
    record = config.out / "checkpoints" / "step-00000004" / "checkpoint.json"
    record.write_text(record.read_text().replace('"world": 1', '"world": 2'))
    with pytest.raises(InputError, match="written by 2 processes, and this run has 1"):
        pretrain(config)


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)

    def second(done: int, steps: int, last: object) -> None:
        pretrain(config)

    with pytest.raises(InputError, match="another run is writing"):
        pretrain(config, progress=second)
