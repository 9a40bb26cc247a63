"""Indexing and asking never reach for a network, not even hidden behind a fallback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.command import PASSPHRASE, environment, sage_rag
from tests.end_to_end.conftest import records

pytestmark = pytest.mark.slow

GUARD = """
import os, sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        with open(os.environ["GUARD_LOG"], "a") as log:
            log.write(f"{event} {arguments!r}\\n")
        raise OSError("no network here")
sys.addaudithook(watch)
"""


def test_an_index_is_built_without_one_attempt_to_connect(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    log = tmp_path / "attempts.log"
    corpus = tmp_path / "note.txt"
    corpus.write_text("\n\n".join(r["question"] + " " + r["answer"] for r in records()))
    env = environment(PYTHONPATH=str(tmp_path), GUARD_LOG=str(log), SAGE_RAG_PASSPHRASE=PASSPHRASE)
    env.pop("HF_HUB_OFFLINE", None)
    keyset = tmp_path / "k.keyset"
    assert sage_rag("keys", "new", "--out", str(keyset), env=env).returncode == 0
    place = ["--home", str(tmp_path / "home"), "--keyset", str(keyset)]
    done = sage_rag("index", str(corpus), "--name", "notes", "--recipe", "sage", *place, env=env)
    assert done.returncode == 0, done.stderr
    assert not log.exists(), log.read_text()
