"""Conventions that are tests: sizes, seams, public docstrings, and what the tree may not say."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("common", "privacy", "agents", "indexer", "rag_server", "eval", "training")
MODULES = sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py"))
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "openai", "autogen_agentchat"}
HEAVY |= {"autogen_core", "presidio_analyzer", "ray", "llama_index", "vllm"}
MAY_IMPORT_HEAVY = re.compile(
    r"/(backends|recognizers|stores|engines|training|targets|team)/|/(embedding|reranking|doctor)\.py$"
)


def identifier(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=identifier)
def test_modules_and_functions_stay_small(path: Path) -> None:
    source = path.read_text("utf-8")
    assert source.count("\n") <= MAX_FILE_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= MAX_FUNCTION_LINES, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", MODULES, ids=identifier)
def test_heavy_libraries_stay_behind_their_seams(path: Path) -> None:
    if MAY_IMPORT_HEAVY.search("/" + identifier(path)):
        return
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.split(".")[0])
    assert not imported & HEAVY


@pytest.mark.parametrize(
    "path", [m for m in MODULES if m.parts[len(ROOT.parts)] == "privacy"], ids=identifier
)
def test_every_public_name_of_the_kernel_is_documented(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            public = not node.name.startswith("_")
            nested = any(
                node in ast.walk(outer)
                for outer in ast.walk(tree)
                if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) and outer is not node
            )
            hidden = any(
                isinstance(outer, ast.ClassDef)
                and outer.name.startswith("_")
                and node in outer.body
                for outer in ast.walk(tree)
            )
            if public and not nested and not hidden:
                assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("path", MODULES, ids=identifier)
def test_nothing_reads_the_environment_at_import(path: Path) -> None:
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assert "attr='environ'" not in ast.dump(node)


SCRIPTS = sorted(p for folder in ("benchmarks", "tools") for p in (ROOT / folder).glob("*.py"))


def top_level_names(path: Path) -> set[str]:
    names = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names


@pytest.mark.parametrize("path", SCRIPTS, ids=identifier)
def test_scripts_import_names_that_exist(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        name = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        file = path.parent / "timing.py" if name == "timing" else None
        if name.startswith("sage_rag."):
            file = ROOT.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if file and isinstance(node, ast.ImportFrom):
            assert {alias.name for alias in node.names} <= top_level_names(file), name


def test_every_verb_is_registered_and_loads() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    found = {e.name for e in entry_points(group="sage_rag.commands")}
    assert found == set(declared["sage_rag.commands"])
    for entry in entry_points(group="sage_rag.commands"):
        assert entry.load()


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=identifier)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
