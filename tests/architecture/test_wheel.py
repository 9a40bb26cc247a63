"""The wheel and the source archive contain the whole program and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("common", "privacy", "agents", "indexer", "rag_server", "eval", "training")
NO_DATA = {"examples/README.md"}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    for name in (*PACKAGES, "examples", "src"):
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder)
    return folder


def build(source, kind):
    """Return the path of the `wheel` or `sdist` that the build backend makes of a folder."""
    code = f"from setuptools import build_meta; build_meta.build_{kind}('dist')"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    suffix = {"wheel": "*.whl", "sdist": "*.tar.gz"}[kind]
    return next((source / "dist").glob(suffix))


def expected(source):
    """Return every file of the packages and the examples, as the wheel names it."""
    files = {
        path.relative_to(source).as_posix()
        for name in (*PACKAGES, "examples")
        for path in (source / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return {f"sage_rag/{name}" for name in files - NO_DATA}


@pytest.mark.slow
def test_the_wheel_has_one_top_level_name_and_all_data(source):
    wanted = expected(source) | {"sage_rag/__init__.py", "sage_rag/py.typed"}
    with zipfile.ZipFile(build(source, "wheel")) as wheel:
        names = set(wheel.namelist())
        entry_points = next(n for n in names if n.endswith("entry_points.txt"))
        text = wheel.read(entry_points).decode()
    packaged = {name for name in names if ".dist-info/" not in name}
    assert packaged == wanted
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    for command in project["entry-points"]["sage_rag.commands"].values():
        assert command in text


@pytest.mark.slow
def test_a_wheel_can_be_built_from_the_source_archive(source, tmp_path):
    wanted = expected(source)
    with tarfile.open(build(source, "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    with zipfile.ZipFile(build(unpacked, "wheel")) as wheel:
        assert wanted <= set(wheel.namelist())
