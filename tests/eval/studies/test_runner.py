"""The runner of studies: options, errors, and what it writes."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies import runner
from sage_rag.eval.studies.runner import STUDIES, StudyResult, command, main, page


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("study", "A study.")
    module.add_options = lambda parser: parser.add_argument("--size", type=int)  # type: ignore[attr-defined]
    module.run = lambda options, run: StudyResult(  # type: ignore[attr-defined]
        page("Sizes", "About sizes.", run, "body"), {"size": options.size}
    )
    monkeypatch.setattr(runner, "import_module", lambda name: module)
    return module


def test_it_writes_the_page_and_the_figures_into_the_home(study: ModuleType, tmp_path: Path):
    out, home = tmp_path / "docs" / "sizes.md", tmp_path / "home"
    assert main(["linking", "--size", "3", "--out", str(out), "--home", str(home)]) == 0
    lines = out.read_text().splitlines()
    assert lines[:3] == ["# Sizes", "", "About sizes."]
    assert "python -m sage_rag.eval.studies linking --size 3 --out sizes.md --home home" in lines
    assert lines[-1] == "body"
    saved = json.loads((home / "linking.json").read_text())
    assert saved["figures"] == {"size": 3}
    assert set(saved) == {"command", "environment", "figures"}


def test_without_a_home_only_the_page_is_written(study: ModuleType, tmp_path: Path):
    assert main(["linking", "--out", str(tmp_path / "page.md")]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["page.md"]


def test_an_error_ends_with_its_code_and_without_a_page(
    study: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def fail(options: object, run: object) -> StudyResult:
        raise InputError("no data", hint="give --data")

    study.run = fail  # type: ignore[attr-defined]
    assert main(["linking", "--out", str(tmp_path / "page.md")]) == InputError.exit_code
    assert capsys.readouterr().err == "error: no data\nhint: give --data\n"
    assert not list(tmp_path.iterdir())


def test_ctrl_c_is_one_line(study: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def interrupted(options: object, run: object) -> StudyResult:
        raise KeyboardInterrupt

    study.run = interrupted  # type: ignore[attr-defined]
    assert main(["linking", "--out", str(tmp_path / "page.md")]) == 130
    assert capsys.readouterr().err.splitlines() == [
        "interrupted; a study continues in the --home that it had"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "folder"], "`folder` is a folder"),
        (["--out", "file/page.md"], "cannot write `file/page.md`: File exists"),
        (["--out", "page.md", "--home", "file"], "cannot write `file`: File exists"),
    ],
)
def test_a_page_or_home_that_cannot_be_written_ends_before_the_study(
    study: ModuleType,
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    study.run = lambda options, run: pytest.fail("the study ran")  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert main(["linking", *arguments]) == InputError.exit_code
    assert capsys.readouterr().err.startswith(f"error: {message}\n")


def test_a_problem_is_reported_after_the_page_is_written(study: ModuleType, tmp_path: Path):
    study.run = lambda options, run: StudyResult("page", problem="lost")  # type: ignore[attr-defined]
    assert main(["linking", "--out", str(tmp_path / "page.md")]) == 1
    assert (tmp_path / "page.md").read_text() == "page"


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_has_options_and_a_description(name: str):
    module = import_module(f"sage_rag.eval.studies.{STUDIES[name]}")
    assert module.__doc__
    assert callable(module.add_options)
    assert callable(module.run)


def test_commands_name_files_without_folders():
    arguments = ["linking", "--gold", "tab=/data/x/tab.jsonl", "--out", "docs/linking.md"]
    shown = "linking --gold tab=tab.jsonl --out linking.md"
    assert command(arguments) == f"python -m sage_rag.eval.studies {shown}"
