"""Words that a reader from another country reads twice, in pages, docstrings and comments.

The list is short on purpose: each word has a plain replacement in almost every sentence. Text in
backticks or quotation marks is not ours and is not checked.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = {
    r"nobody|nobody's": "no one",
    r"whoever|whosoever": "anyone who",
    r"anew": "again",
    r"hear|hears|heard": "receive, learn",
    r"told|tells|telling": "report, state, return, contain",
    r"beside": "next to, with, compared with",
    r"(?<!there )(?:is|are) none": "there is no",
    r"so many|so much": "n; that much",
    r"in earnest": "in production",
    r"in the place of|takes? the place of": "instead of; replace",
    r"shall": "must, will",
    r"hence|thereby|therein|thereof": "so; in it; of it",
}
PATTERN = re.compile("|".join(rf"(?P<w{i}>\b(?:{words})\b)" for i, words in enumerate(PLAIN)), re.I)
QUOTED = re.compile(r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|<[^>\n]+>", re.DOTALL)
FOLDERS = ("common", "privacy", "agents", "indexer", "rag_server", "eval", "training")
SOURCES = [p for f in (*FOLDERS, "benchmarks", "tools") for p in (ROOT / f).rglob("*.py")]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
# Generated from outputs of models and rules, or lists of other people's words.
NOT_OURS = (
    "docs/results/answers.md",
    "docs/results/examples.md",
    "docs/results/hard_cases.md",
    "docs/recognition.md",
)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def findings(text: str) -> list[str]:
    plain = QUOTED.sub(lambda match: "\n" * match.group().count("\n"), text)
    found = []
    for number, line in enumerate(plain.splitlines(), 1):
        for match in PATTERN.finditer(line):
            advice = list(PLAIN.values())[int((match.lastgroup or "w0")[1:])]
            found.append(f"{number}: `{match.group()}` -> {advice}")
    return found


def prose(source: str) -> str:
    """Return docstrings and comments of a module, a line each."""
    parts = [
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    parts += [token.string for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join(parts)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pages_use_plain_words(page: Path) -> None:
    if name(page) not in NOT_OURS:
        assert findings(page.read_text("utf-8")) == []


@pytest.mark.parametrize("folder", [*FOLDERS, "benchmarks", "tools"])
def test_docstrings_and_comments_use_plain_words(folder: str) -> None:
    found = [
        f"{name(path)}: {finding.split(': ', 1)[1]}"
        for path in SOURCES
        if path.is_relative_to(ROOT / folder)
        for finding in findings(prose(path.read_text("utf-8")))
    ]
    assert found == []


def test_the_check_finds_a_word_and_skips_quotations() -> None:
    assert findings('It is "told" by `nobody`.\nNobody is told.') == [
        "2: `Nobody` -> no one",
        "2: `told` -> report, state, return, contain",
    ]
