from pathlib import Path

import pytest
from pydantic import SecretStr

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.settings import EdgeSettings, ServeSettings, secret


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('[serve]\nhome = "from-file"\nport = 1\ntop_k = 7\n[edge]\nport = 2\n')
    return path


def test_command_line_beats_environment_beats_file_beats_default(file, monkeypatch):
    monkeypatch.setenv("SAGE_RAG_SERVE_PORT", "3")
    monkeypatch.setenv("SAGE_RAG_SERVE_HOME", "from-environment")
    settings = ServeSettings.load({"port": 4, "home": None}, file)
    found = (settings.port, str(settings.home), settings.top_k, settings.host)
    assert found == (4, "from-environment", 7, "127.0.0.1")


def test_server_and_edge_do_not_share_variables(monkeypatch):
    monkeypatch.setenv("SAGE_RAG_SERVE_HOST", "0.0.0.0")  # noqa: S104
    assert EdgeSettings.load({"server": "http://x", "keyset": "k"}).host == "127.0.0.1"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "home"),
        ({"home": "h", "port": 70000}, "port"),
        ({"home": "h", "answerer": "Maria Keller"}, "answerer"),
        ({"home": "h", "top_k": 0}, "top_k"),
    ],
)
def test_a_setting_that_does_not_fit_is_named_without_its_value(given, name):
    with pytest.raises(InputError) as caught:
        ServeSettings.load(given)
    assert f"`{name}`" in caught.value.message
    assert "Keller" not in caught.value.message
    assert "70000" not in caught.value.message


def test_an_unknown_setting_in_the_file_is_refused(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text('[serve]\nhome = "h"\ntopk = 3\n')
    with pytest.raises(InputError, match="there is no setting `topk`"):
        ServeSettings.load({}, path)


@pytest.mark.parametrize("variable", ["SAGE_RAG_SERVE_TOPK", "sage_rag_serve_topk"])
def test_a_variable_that_sets_nothing_is_refused_without_its_value(variable, monkeypatch):
    monkeypatch.setenv(variable, "canary")
    with pytest.raises(InputError, match=f"{variable} sets nothing") as caught:
        ServeSettings.load({"home": "h"})
    assert "SAGE_RAG_SERVE_TOP_K" in (caught.value.hint or "")
    assert "canary" not in f"{caught.value.message} {caught.value.hint}"
    EdgeSettings.load({"server": "http://x"})  # the variables of another verb


def test_a_file_from_an_editor_that_marks_utf8_is_read(tmp_path):
    path = tmp_path / "s.toml"
    path.write_bytes(b'\xef\xbb\xbf[serve]\r\nhome = "h"\r\n')
    assert ServeSettings.load({}, path).home == Path("h")
    path.write_bytes(b"\xef\xbb\xbfsk-1\r\n")
    assert (found := secret(None, path)) is not None
    assert found.get_secret_value() == "sk-1"


@pytest.mark.parametrize("settings", [ServeSettings, EdgeSettings])
@pytest.mark.parametrize(
    "link",
    [
        "SERVICE_HOST",
        "SERVICE_PORT",
        "SERVICE_PORT_HTTP",
        "PORT_8700_TCP",
        "PORT_8700_TCP_ADDR",
        "INTERNAL_SERVICE_HOST",
    ],
)
def test_variables_of_a_kubernetes_service_are_named_as_such(settings, link, monkeypatch):
    prefix = settings.model_config["env_prefix"]
    monkeypatch.setenv(f"{prefix}PORT", "tcp://10.0.0.7:8700")
    monkeypatch.setenv(f"{prefix}{link}", "10.0.0.7")
    with pytest.raises(InputError, match=f"{prefix}{link} sets nothing") as caught:
        settings.load({"home": "h"} if settings is ServeSettings else {"server": "http://x"})
    assert "enableServiceLinks: false" in (caught.value.hint or "")
    assert "10.0.0.7" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("content", ["guard = true\n", "[server]\nguard = true\n"])
def test_a_setting_outside_the_tables_is_refused_and_not_ignored(tmp_path, content):
    path = tmp_path / "s.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=r"outside the tables \[serve\] and \[edge\]") as caught:
        ServeSettings.load({"home": "h"}, path)
    assert "[serve]" in (caught.value.hint or "")


@pytest.mark.parametrize("content", ["[serve", "serve = 3\n"])
def test_a_malformed_file_is_refused(tmp_path, content):
    path = tmp_path / "s.toml"
    path.write_text(content)
    with pytest.raises(InputError):
        ServeSettings.load({"home": "h"}, path)


def test_a_secret_never_shows_in_repr():
    settings = ServeSettings.load({"home": "h", "llm_api_key": "sk-canary"})
    assert "sk-canary" not in f"{settings!r} {settings}"


def test_a_secret_comes_from_its_file_and_not_from_an_empty_one(tmp_path):
    path = tmp_path / "key"
    path.write_text("sk-1\n")
    assert secret(None, path) == SecretStr("sk-1")
    assert secret(SecretStr("sk-2"), path) == SecretStr("sk-2")
    path.write_text("\n")
    with pytest.raises(InputError):
        secret(None, path)


@pytest.mark.parametrize(
    "origin", ["https://chat.example.org", "http://[::1]:3000", "app://obsidian.md", "*"]
)
def test_an_origin_as_browsers_send_it_is_taken(origin):
    assert EdgeSettings.load({"cors_origin": [origin]}).cors_origin == (origin,)


@pytest.mark.parametrize(
    "origin",
    ["https://chat.example.org/", "chat.example.org", "https://Chat.example.org", "a b", ""],
)
def test_an_origin_that_no_browser_sends_is_refused(origin):
    with pytest.raises(InputError, match="should be an origin") as refused:
        EdgeSettings.load({"cors_origin": [origin]})
    assert "Chat" not in str(refused.value)
