"""A holder of a grant and the server together, against the edges of all others: real processes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from sage_rag.indexer.testing import put_lookup
from sage_rag.indexer.versions import LOOKUP, current_path
from sage_rag.privacy.keyset.files import read_keyset
from sage_rag.privacy.lookup import ORDINARY, Lookup
from sage_rag.privacy.lookup_seal import SealedLookup
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import forged_lookup
from tests.end_to_end.command import PASSPHRASE, Running, environment, sage_rag, service

pytestmark = pytest.mark.slow

NAME = "Gorsefeather"
QUESTION = f"{NAME} knee"
WORDS = {"gorsefeather": ORDINARY, "knee": ORDINARY}
EVIL = Lookup(WORDS, policy=preset("soe-pl"), version=900_000)


@pytest.fixture(scope="module")
def grants(indexed: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of two grants: `mallory`, and `reader`, a user who does no harm."""
    _, keyset = indexed
    folder = tmp_path_factory.mktemp("grants")
    (folder / "pass").write_text(f"{PASSPHRASE} of a grant")
    for name, types in (("mallory", "AGE"), ("reader", "PERSON,LOCATION")):
        made = sage_rag(
            *("keys", "grant", str(keyset), "--types", types, "--to", name),
            *("--out", str(folder / name), "--out-passphrase-file", str(folder / "pass")),
            env=environment(SAGE_RAG_PASSPHRASE=PASSPHRASE),
        )
        assert made.returncode == 0, made.stderr
    return folder


@contextmanager
def edges(
    home: Path, owner: Path, grants: Path, folder: Path
) -> Iterator[tuple[Running, Running, Running]]:
    """Yield a server of a home, and the edges of the owner and of the reader, which remember."""
    serve = ("serve", "--home", str(home), "--port", "0", "--insecure-no-auth")
    with service(*serve, log=folder / "server.log") as server:
        line = ("edge", "--server", server.url, "--port", "0")
        own = ("--keyset", str(owner), "--memory", str(folder / "owner.memory"))
        other = ("--keyset", str(grants / "reader"), "--memory", str(folder / "reader.memory"))
        env = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
        granted = environment(SAGE_RAG_PASSPHRASE_FILE=str(grants / "pass"))
        with (
            service(*line, *own, log=folder / "owner.log", env=env) as first,
            service(*line, *other, log=folder / "reader.log", env=granted) as second,
        ):
            yield server, first, second


def sent(edge: Running, corpus: str) -> str:
    body = {"model": corpus, "input": QUESTION}
    shown = httpx.post(f"{edge.url}/v1/pseudonymize", json=body, timeout=60)
    assert shown.status_code == 200, shown.text
    output: str = shown.json()["output"]
    return output


def test_a_forged_lookup_is_refused_by_the_owners_edge_and_by_another_users(
    indexed: tuple[Path, Path], grants: Path, tmp_path: Path
) -> None:
    published, owner = indexed
    mallory = read_keyset(grants / "mallory", (grants / "pass").read_text())
    genuine = (current_path(published, "clinic") / LOOKUP).read_bytes()
    forged = {
        "unsigned": forged_lookup(EVIL, mallory, "unsigned"),
        "own": forged_lookup(EVIL, mallory, "own", signature=os.urandom(64)),
        "reused": forged_lookup(
            EVIL, mallory, "reused", signature=SealedLookup.parse(genuine).signature
        ),
        "replayed": genuine,
        # What is sent in clear with the owner's signature: so the test fails where nothing checks.
        "signed": EVIL.seal(read_keyset(owner, PASSPHRASE), "signed"),
        "clinic": forged_lookup(EVIL, mallory, "clinic"),
    }
    home = tmp_path / "home"
    for corpus, sealed in forged.items():
        shutil.copytree(published / "corpora/clinic", home / "corpora" / corpus)
        put_lookup(current_path(home, corpus), sealed, corpus=corpus)
    with edges(home, owner, grants, tmp_path) as (server, *both):
        for edge in both:
            for corpus in forged:
                address = f"{server.url}/v1/models/{corpus}/lookup"
                assert "lookup" in httpx.get(address, timeout=60).json(), "it is offered"
                assert (NAME in sent(edge, corpus)) is (corpus == "signed")
            lines = edge.log.read_text().splitlines()
            for corpus, reason in (
                *((name, "is not signed") for name in ("unsigned", "clinic")),
                *(
                    (name, "was changed, or is of another corpus or owner; it is not used")
                    for name in ("own", "reused", "replayed")
                ),
            ):
                assert any(f"corpus={corpus}: " in line and reason in line for line in lines)
    put_lookup(current_path(home, "clinic"), genuine)
    with edges(home, owner, grants, tmp_path) as (_, *both):
        for edge in both:
            assert NAME not in sent(edge, "clinic")
            assert "corpus=clinic" not in edge.log.read_text(), "the high number blocks nothing"
