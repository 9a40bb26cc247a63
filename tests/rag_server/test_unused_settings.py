import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.settings import EdgeSettings, ServeSettings
from sage_rag.rag_server.unused_settings import refuse_unused
from sage_rag.rag_server.wiring import build_edge, build_server

CHAT = {"answerer": "chat", "llm_base_url": "http://x/v1", "llm_model": "m"}
LOCAL = {"local": "copy", "keyset": "k"}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"llm_api_key_file": "absent"}, "llm_api_key_file"),
        ({"llm_base_url": "http://x/v1", "llm_model": "m"}, "llm_base_url"),
        ({"answerer": "extractive", "llm_context_tokens": 4096}, "llm_context_tokens"),
        ({**CHAT, "reader": "mine.safetensors"}, "reader"),
        ({"answerer": "chat", "llm_model": "transformers:m", "llm_timeout_s": 5}, "llm_timeout_s"),
        ({"tokens": "t.json", "insecure_no_auth": True}, "insecure_no_auth"),
    ],
)
def test_a_setting_of_a_server_that_nothing_reads_is_refused(tmp_path, given, name):
    with pytest.raises(InputError, match=f"`{name}`"):
        build_server(ServeSettings.load({"home": tmp_path, **given}), {})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"server": "http://x", "guard": True}, "guard"),
        ({"server": "http://x", **CHAT}, "answerer"),
        ({**LOCAL, "server_api_key_file": "absent"}, "server_api_key_file"),
        ({**LOCAL, "llm_model": "m"}, "llm_model"),
    ],
)
def test_a_setting_of_an_edge_that_nothing_reads_is_refused(given, name):
    with pytest.raises(InputError, match=f"`{name}`"):
        build_edge(EdgeSettings.load(given))


@pytest.mark.parametrize(
    "settings",
    [
        ServeSettings.load({"home": "h", **CHAT, "llm_api_key_file": "k", "llm_timeout_s": 5}),
        ServeSettings.load({"home": "h", **CHAT, "reader": "off"}),
        ServeSettings.load({"home": "h", "reader": "mine", "answerer": "extractive"}),
        ServeSettings.load({"home": "h", "answerer": "chat", "llm_model": "transformers:m"}),
        EdgeSettings.load({"server": "http://x", "timeout_s": 5, "server_ca": "ca.pem"}),
        EdgeSettings.load({**LOCAL, **CHAT, "top_k": 3}),
        EdgeSettings.load({**LOCAL, "server": "http://x", "sync": True, "timeout_s": 5}),
    ],
)
def test_settings_that_are_read_are_taken(settings):
    refuse_unused(settings)
