"""The gate for meaning passes every edit of the rules, each by its own example."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from sage_rag.privacy.gate.meaning import meaning_changes

EDITS = tomllib.loads((files("sage_rag.agents.rules") / "wording.toml").read_text("utf-8"))["edits"]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["from"])
def test_an_edit_changes_no_meaning(edit: dict[str, list[str]]) -> None:
    before, after = edit["example"]
    assert meaning_changes({"text": before}, {"text": after}) == []
