"""The files of the current versions, as edges pull them."""

from pathlib import Path

import pytest

from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key
from tests.rag_server.conftest import World


@pytest.fixture
def key(tmp_path: Path) -> str:
    plain, stored = make_key("edge", frozenset({Scope.INDEX}))
    add_key(tmp_path / "tokens", stored)
    return plain


@pytest.mark.parametrize(
    ("corpus", "current", "status", "code"),
    [
        ("clinic", "000001", 503, "corpus_unavailable"),
        ("clinic", "nothing", 503, "corpus_unavailable"),
        ("nope", "000001", 404, "model_not_found"),
    ],
)
def test_a_damaged_version_is_unavailable_and_an_unknown_one_is_not_found(
    world: World, tmp_path: Path, key: str, corpus: str, current: str, status: int, code: str
) -> None:
    version = tmp_path / "corpora" / "clinic" / "versions" / "000001"
    version.mkdir(parents=True)
    (version.parents[1] / "current").write_text(current)
    (version / "manifest.json").write_text("{damaged")
    url = world.serve(gate=Gate(KeyFile(tmp_path / "tokens")), home=tmp_path)
    headers = {"authorization": f"Bearer {key}"}
    for file in ("", "/000001/manifest.json"):
        response = world.http.get(f"{url}/v1/versions/{corpus}{file}", headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code)
        assert str(tmp_path) not in response.text
