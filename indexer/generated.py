"""Check that a corpus is one that `sage-rag generate` wrote with its private values blocked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.files import reading, sha256_of
from sage_rag.indexer.corpus import corpus_files

CORPUS = "corpus.jsonl"
REPORT = "report.json"


def check_generated(source: Path) -> None:
    """Check a generated corpus against the report next to it.

    Recipe `controlled` keeps the wording of each text, so a real record may not pass through it.

    Guarantees: the file is, byte for byte, one of which the report states that direct identifiers
    were blocked.
    Does not guarantee: that the report is true; the owner's zone holds both.

    Raises:
        InputError: for a corpus without such a report, one that was changed, or a folder that holds
            other texts.
        ProtectionError: when nothing was blocked, or no direct identifiers.
    """
    file = source / CORPUS if source.is_dir() else source
    hint = "make the corpus: sage-rag generate; for real records: --recipe encrypted"
    path = file.with_name(REPORT)
    if not (file.is_file() and path.is_file()):
        raise InputError(f"`{source}` is not a corpus that `sage-rag generate` wrote", hint=hint)
    for other in corpus_files(source):
        if other != file:
            raise InputError(f"`sage-rag generate` did not write `{other}`", hint=f"index `{file}`")
    report = _report(path, hint)
    with reading(file):
        digest = sha256_of(file)
    if report.get("sha256") != digest:
        raise InputError(f"`{file}` has changed since `{path.name}` was written", hint=hint)
    if report.get("blocked") not in ("examples", "corpus"):
        raise ProtectionError(
            f"no private value was blocked when `{file}` was written",
            hint="write it again with --block corpus",
        )
    if report.get("identifiers") not in ("both", "direct"):
        raise ProtectionError(
            f"direct identifiers were not blocked when `{file}` was written",
            hint="write it again without --identifiers quasi",
        )


def _report(path: Path, hint: str) -> dict[str, Any]:
    with reading(path):
        content = path.read_text("utf-8")
    try:
        report = json.loads(content)
    except json.JSONDecodeError:
        report = None
    if not isinstance(report, dict):
        raise InputError(f"`{path}` is not a report of `sage-rag generate`", hint=hint)
    return report
