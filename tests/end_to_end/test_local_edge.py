"""The real command over a local index: plain names, and no server at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.command import PASSPHRASE, environment, service
from tests.end_to_end.conftest import CANARIES
from tests.end_to_end.test_zones import answered, question

pytestmark = pytest.mark.slow


def test_an_edge_with_a_local_index_shows_every_canary(
    indexed: tuple[Path, Path], tmp_path: Path
) -> None:
    home, keyset = indexed
    audit = tmp_path / "audit.jsonl"
    line = ("edge", "--local", str(home), "--keyset", str(keyset), "--port", "0")
    env = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
    with service(*line, "--audit-log", str(audit), log=tmp_path / "log", env=env) as edge:
        for name in CANARIES:
            assert name in answered(edge.url, question(name))
    logged = audit.read_text() + (tmp_path / "log").read_text()
    assert not [name for name in CANARIES if name.split()[1] in logged]
