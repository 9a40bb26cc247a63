"""Conventions that are tests: sizes, seams, public docstrings, and what the tree may not say."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("common", "privacy", "agents", "indexer", "rag_server", "eval", "training")
MODULES = sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py"))
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)

HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "openai", "autogen_agentchat"}
HEAVY |= {"autogen_core", "presidio_analyzer", "ray", "llama_index", "vllm"}
MAY_IMPORT_HEAVY = re.compile(
    r"/(backends|minilm|recognizers|stores|engines|training|targets|team)/|/(embedding|reranking|doctor)\.py$"
)


def identifier(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    return {identifier(path): ast.parse(path.read_text("utf-8")) for path in MODULES}


def test_modules_and_functions_stay_small(trees: dict[str, ast.Module]) -> None:
    large = [identifier(p) for p in MODULES if p.read_bytes().count(b"\n") > MAX_FILE_LINES]
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    large.append(f"{name}: {node.name} has {lines} lines")
    assert large == []


def imports(tree: ast.Module) -> set[str]:
    """Return the first part of the name of each module that a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_heavy_libraries_stay_behind_their_seams(trees: dict[str, ast.Module]) -> None:
    found = {
        n: imports(t) & HEAVY for n, t in trees.items() if not MAY_IMPORT_HEAVY.search("/" + n)
    }
    assert {name: heavy for name, heavy in found.items() if heavy} == {}


def undocumented(node: ast.AST) -> Iterator[str]:
    """Yield public classes and functions without docstring, but none inside a function."""
    hidden = isinstance(node, ast.ClassDef) and node.name.startswith("_")
    for child in ast.iter_child_nodes(node):
        public = isinstance(child, DEFINITIONS) and not (hidden or child.name.startswith("_"))
        if public and not ast.get_docstring(child):
            yield child.name
        if not isinstance(child, FUNCTIONS):
            yield from undocumented(child)


def test_every_public_name_of_the_kernel_is_documented(trees: dict[str, ast.Module]) -> None:
    kernel = {name: tree for name, tree in trees.items() if name.startswith("privacy/")}
    assert [name for name, tree in kernel.items() if not ast.get_docstring(tree)] == []
    assert {name: found for name, tree in kernel.items() if (found := [*undocumented(tree)])} == {}


def test_nothing_reads_the_environment_at_import(trees: dict[str, ast.Module]) -> None:
    reading = {
        name
        for name, tree in trees.items()
        for node in tree.body
        if not isinstance(node, DEFINITIONS) and "attr='environ'" in ast.dump(node)
    }
    assert reading == set()


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


def test_every_link_of_a_page_leads_somewhere() -> None:
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    ]
    dead = [(identifier(p), target) for p, target in links if not (p.parent / target).exists()]
    assert dead == []
