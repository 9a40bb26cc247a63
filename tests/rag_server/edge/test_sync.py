"""An edge pulls versions: whole, checked against the manifest, and with a key of scope `index`."""

import gzip
import json
import tracemalloc

import pytest
from pydantic import SecretStr
from starlette.responses import JSONResponse, Response

from sage_rag.common.exceptions import UpstreamError
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, list_versions, open_version
from sage_rag.rag_server.access.gate import Gate
from sage_rag.rag_server.access.keys import KeyFile, Scope, add_key, make_key
from sage_rag.rag_server.answering.offline import OfflineAnswerer
from sage_rag.rag_server.app import create_app
from sage_rag.rag_server.catalog import FolderCatalog
from sage_rag.rag_server.corpora import CorpusSearch
from sage_rag.rag_server.edge.sync import pull_versions
from sage_rag.rag_server.services import Services
from tests.indexer.test_versions import published
from tests.rag_server.conftest import World
from tests.rag_server.fakes import ScriptedServer


@pytest.fixture
def home(tmp_path):
    return tmp_path / "server"


def server(world: World, home, *scopes: Scope) -> tuple[str, SecretStr]:
    plain, stored = make_key("edge", frozenset(scopes))
    add_key(home / "access" / "tokens.json", stored)
    published(home)
    corpora = CorpusSearch(FolderCatalog(home), HashEmbedder())
    answerer = OfflineAnswerer(lambda context: "x")
    gate = Gate(KeyFile(home / "access" / "tokens.json"))
    url = world.run(create_app(Services(corpora, answerer, home=home, gate=gate)))
    return url, SecretStr(plain)


def test_versions_are_pulled_once_checked_and_older_ones_removed(world: World, home, tmp_path):
    url, key = server(world, home, Scope.CHAT, Scope.INDEX)
    local = tmp_path / "local"
    assert pull_versions(url, local, api_key=key) == ["clinic@1"]
    assert pull_versions(url, local, api_key=key) == []
    published(home)
    assert pull_versions(url, local, api_key=key) == ["clinic@2"]
    path = current_path(local, "clinic")
    assert list_versions(path.parents[1]) == ["000002"]
    version = open_version(path, verify=True)
    assert len(version) == 4
    version.close()


def test_an_older_version_is_refused(world: World, home, tmp_path):
    url, key = server(world, home, Scope.CHAT, Scope.INDEX)
    local = tmp_path / "local"
    published(home)
    assert pull_versions(url, local, api_key=key) == ["clinic@2"]
    (home / "corpora" / "clinic" / "current").write_text("000001\n")
    with pytest.raises(UpstreamError, match="older than the local clinic@2") as refused:
        pull_versions(url, local, api_key=key)
    assert "delete" in refused.value.hint
    assert current_path(local, "clinic").name == "000002"
    open_version(current_path(local, "clinic"), verify=True).close()


def test_a_corpus_that_the_server_withdrew_stays_and_a_warning_names_it(
    world: World, home, tmp_path, caplog
):
    url, key = server(world, home, Scope.CHAT, Scope.INDEX)
    local = tmp_path / "local"
    assert pull_versions(url, local, api_key=key) == ["clinic@1"]
    assert "no longer lists" not in caplog.text
    (home / "corpora" / "clinic").rename(tmp_path / "withdrawn")
    assert pull_versions(url, local, api_key=key) == []
    assert "the server no longer lists `clinic`" in caplog.text
    assert current_path(local, "clinic").name == "000001"


@pytest.mark.parametrize("scopes", [(Scope.CHAT,), (Scope.CHAT, Scope.RESEARCH, Scope.ADMIN)])
def test_a_key_without_the_scope_gets_no_file(world: World, home, tmp_path, scopes):
    url, key = server(world, home, *scopes)
    with pytest.raises(UpstreamError, match="API key"):
        pull_versions(url, tmp_path / "local", api_key=key)
    assert not (tmp_path / "local").exists()


def test_a_server_without_keys_gives_no_file_away(world: World, home):
    url = world.serve(home=home)
    assert world.http.get(f"{url}/v1/versions/clinic").status_code == 403


@pytest.mark.parametrize(
    "file", ["../tokens.json", "..%2f..%2faccess/tokens.json", "absent", "%2e%2e/current"]
)
def test_only_files_of_the_version_are_served(world: World, home, file):
    url, key = server(world, home, Scope.CHAT, Scope.INDEX)
    headers = {"authorization": f"Bearer {key.get_secret_value()}"}
    for version in ("000001", "000009"):
        place = f"{url}/v1/versions/clinic/{version}/{file}"
        response = world.http.get(place, headers=headers)
        assert response.status_code == 404
        assert "sha256" not in response.text


def forged(home, change) -> ScriptedServer:
    """Return a server whose files are those of a version, changed."""
    folder = published(home)

    def reply(seen) -> Response:
        if seen.path == "/v1/models":
            return JSONResponse({"data": [{"id": "clinic"}]})
        name = seen.path.removeprefix("/v1/versions/clinic").removeprefix("/000001/")
        if not name:
            return JSONResponse({"version": "000001"})
        path = folder / name
        return Response(change(name, path.read_bytes() if path.exists() else b"x"))

    return ScriptedServer(reply)


def longer(name: str, content: bytes) -> bytes:
    return content + b"x" if name == "passages.jsonl" else content


def other(name: str, content: bytes) -> bytes:
    return content.replace(b"asthma", b"eczema") if name == "passages.jsonl" else content


def outside(name: str, content: bytes) -> bytes:
    if name != "manifest.json":
        return content
    manifest = json.loads(content)
    manifest["files"]["../../../../planted"] = next(iter(manifest["files"].values()))
    return json.dumps(manifest).encode()


def renumbered(name: str, content: bytes) -> bytes:
    """An older version under a higher number."""
    return content.replace(b'"000001"', b'"000000"') if name == "manifest.json" else content


@pytest.mark.parametrize(
    "change", [longer, other, outside, renumbered, lambda name, content: b"garbage"]
)
def test_what_differs_from_its_manifest_is_not_kept(world: World, home, tmp_path, change):
    url = world.run(forged(home, change))
    local = tmp_path / "local"
    with pytest.raises(UpstreamError):
        pull_versions(url, local)
    assert not (local / "corpora" / "clinic" / "current").exists()
    assert not list(tmp_path.rglob("planted"))
    assert not list(local.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("headers", "content"),
    [
        ({"content-encoding": "gzip"}, gzip.compress(b'{"data": []}' + b" " * (32 << 20))),
        ({}, b'{"data": []}' + b" " * (8 << 20)),
        ({}, b"[" * 100_000),
    ],
    ids=["compressed", "long", "deep"],
)
def test_a_list_of_corpora_of_any_size_fills_no_memory(world: World, tmp_path, headers, content):
    hostile = ScriptedServer(lambda _: Response(content, headers=headers))
    tracemalloc.start()
    try:
        with pytest.raises(UpstreamError):
            pull_versions(world.run(hostile), tmp_path / "local")
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()
    assert not (tmp_path / "local").exists()


def test_a_server_that_is_away_is_an_error(tmp_path):
    with pytest.raises(UpstreamError, match="cannot be reached"):
        pull_versions("http://127.0.0.1:9", tmp_path)
