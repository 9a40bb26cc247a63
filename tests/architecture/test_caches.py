"""A cache of what texts hold has a bound: a run over a large corpus must not keep all its words."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("common", "privacy", "agents", "indexer", "rag_server")
OF_FILES = {
    "agents/rules/courtesies.py: _table",
    "common/fingerprints.py: data_digest",
}
"""Their arguments name files and tables of the package."""


def is_unbounded(decorator: ast.expr) -> bool:
    """Return whether a decorator is `cache`, or `lru_cache` without a limit."""
    if isinstance(decorator, ast.Call):
        sizes = [*decorator.args[:1], *(k.value for k in decorator.keywords if k.arg == "maxsize")]
        has_none = any(isinstance(s, ast.Constant) and s.value is None for s in sizes)
        return ast.unparse(decorator.func).endswith("lru_cache") and has_none
    return ast.unparse(decorator) in ("cache", "functools.cache")


def unbounded(path: Path) -> Iterator[str]:
    """Yield the functions with a cache without a bound and a text among their arguments."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.FunctionDef) or not any(map(is_unbounded, node.decorator_list)):
            continue
        if any(ast.unparse(a.annotation) == "str" for a in node.args.args if a.annotation):
            yield f"{path.relative_to(ROOT).as_posix()}: {node.name}"


def test_a_cache_by_texts_has_a_bound() -> None:
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    assert {name for path in paths for name in unbounded(path)} == OF_FILES
