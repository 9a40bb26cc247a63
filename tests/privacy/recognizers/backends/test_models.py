from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import huggingface_hub
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.recognizers.backends.models import folder_digest, model_folder


def test_a_digest_changes_with_names_and_contents_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.bin").write_bytes(b"1")
    first = folder_digest(tmp_path)
    assert first == folder_digest(tmp_path)
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "lock").touch()
    assert first == folder_digest(tmp_path)
    (tmp_path / "a" / "x.bin").write_bytes(b"2")
    changed = folder_digest(tmp_path)
    (tmp_path / "a" / "x.bin").rename(tmp_path / "a" / "y.bin")
    assert len({first, changed, folder_digest(tmp_path)}) == 3


def test_a_folder_is_its_own_model(tmp_path: Path) -> None:
    assert model_folder(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("name", ["nope", "./nope", "a b", "/no/such/folder", "models/nope"])
def test_what_is_no_name_on_the_hub_is_a_missing_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", pytest.fail)
    with pytest.raises(InputError, match="there is no such folder"):
        model_folder(name)


def test_a_model_that_is_nowhere_is_one_clear_error() -> None:
    code = (
        "from sage_rag.common.exceptions import InputError\n"
        "from sage_rag.privacy.recognizers.backends.models import model_folder\n"
        "for name in ('nobody/nothing', '/no/such/folder', 'a b'):\n"
        "    try: model_folder(name)\n"
        "    except InputError as e: print(e.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"HF_HUB_OFFLINE": "1", "PATH": ""},
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("no model `") for line in lines)
