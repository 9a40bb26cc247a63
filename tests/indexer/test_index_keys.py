"""`sage-rag index`: whose keys it takes."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.files import write_private
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.keyset.sources import RAW_VARIABLE
from sage_rag.rag_server.cli import GROUP, run

VERBS = [EntryPoint("index", "sage_rag.indexer.cli:index", GROUP)]
GRANT = export_raw(Keyset.generate().grant([EntityType.PERSON]))


@pytest.mark.parametrize("source", ["secret", "environment"])
def test_a_grant_is_not_enough_to_index(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    source: str,
) -> None:
    monkeypatch.delenv(RAW_VARIABLE, raising=False)
    line = ["index", str(corpus), "--name", "clinic", "--home", str(tmp_path / "home")]
    if source == "secret":
        write_private(tmp_path / "grant", GRANT)
        line += ["--keyset-secret", str(tmp_path / "grant")]
    else:
        monkeypatch.setenv(RAW_VARIABLE, GRANT)
    assert run(line, VERBS) == 3
    assert "the whole keyset is needed" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()
