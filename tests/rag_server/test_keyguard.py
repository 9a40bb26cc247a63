import secrets

import pytest

from sage_rag.common.exceptions import ProtectionError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.files import write_keyset, write_private
from sage_rag.privacy.keyset.keyset import Keyset, export_master_keys
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.keyset.testing import cheap_scrypt
from sage_rag.rag_server.keyguard import refuse_keys

KEYSET = Keyset.generate()
KEY = next(iter(export_master_keys(KEYSET).values()))


@pytest.fixture(autouse=True)
def cheap():
    with cheap_scrypt():
        yield


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    (home / "corpora" / "c").mkdir(parents=True)
    (home / "corpora" / "c" / "passages.jsonl").write_text('{"id": "p"}\n')
    return home


@pytest.mark.parametrize("place", ["k.keyset", "corpora/c/versions/000001/notes.txt", ".hidden/k"])
def test_a_keyset_anywhere_under_home_is_refused(home, place):
    write_keyset(home / place, Keyset.generate(), "passphrase")
    with pytest.raises(ProtectionError) as caught:
        refuse_keys(home, {})
    assert caught.value.exit_code == 4
    assert place in caught.value.message


def test_a_grant_is_refused_as_a_keyset_is(home):
    write_keyset(home / "k", KEYSET.grant([EntityType.PERSON]), "passphrase", label="desk")
    with pytest.raises(ProtectionError):
        refuse_keys(home, {})


RAW = [
    export_raw(KEYSET),
    export_raw(KEYSET.grant([EntityType.PERSON])),
    KEY.hex(),
    f"{KEY.hex()}\n",
]


@pytest.mark.parametrize("content", RAW)
@pytest.mark.parametrize("folder", ["home", "secrets"])
def test_raw_keys_are_refused_and_not_shown(home, tmp_path, content, folder):
    write_private(tmp_path / folder / "key", content)
    with pytest.raises(ProtectionError) as caught:
        refuse_keys(home, {}, secrets=tmp_path / "secrets")
    shown = f"{caught.value.message} {caught.value.hint}"
    assert KEY.hex() not in shown
    assert content.strip() not in shown


def test_a_secret_of_the_servers_own_may_look_like_a_key(home, tmp_path):
    api_key = tmp_path / "secrets" / "llm"
    write_private(api_key, secrets.token_hex(32))
    refuse_keys(home, {}, secrets=tmp_path / "secrets", own=[api_key])
    with pytest.raises(ProtectionError):
        refuse_keys(home, {}, secrets=tmp_path / "secrets")


@pytest.mark.parametrize("link_folder", [True, False])
def test_a_keyset_behind_a_link_is_refused(home, tmp_path, link_folder):
    write_keyset(tmp_path / "keys" / "k", Keyset.generate(), "passphrase")
    target = tmp_path / "keys" if link_folder else tmp_path / "keys" / "k"
    (home / "linked").symlink_to(target)
    with pytest.raises(ProtectionError):
        refuse_keys(home, {})


def test_a_link_in_a_circle_ends(home):
    (home / "corpora" / "again").symlink_to(home)
    refuse_keys(home, {})


@pytest.mark.parametrize(
    "variable",
    [
        "SAGE_RAG_KEYSET", "SAGE_RAG_KEYSET_RAW", "SAGE_RAG_PASSPHRASE",
        "SAGE_RAG_PASSPHRASE_FILE", "SAGE_RAG_EDGE_KEYSET", "SAGE_RAG_EDGE_KEYSET_SECRET",
        "SAGE_RAG_EDGE_PASSPHRASE_FILE", "sage_rag_edge_keyset",
    ],
)  # fmt: skip
def test_a_key_or_passphrase_in_the_environment_is_refused_and_not_shown(home, variable):
    with pytest.raises(ProtectionError) as caught:
        refuse_keys(home, {variable: "s3cret"})
    assert variable in caught.value.message
    assert "s3cret" not in f"{caught.value.message}{caught.value.hint}"


def test_an_export_in_a_variable_of_any_name_is_refused(home):
    with pytest.raises(ProtectionError, match="MY_SECRET"):
        refuse_keys(home, {"MY_SECRET": export_raw(KEYSET)})


def test_a_home_without_keys_passes(home, tmp_path):
    environment = {"SAGE_RAG_SERVE_PORT": "1", "SAGE_RAG_EDGE_PORT": "1", "PATH": "/bin"}
    refuse_keys(home, environment, secrets=tmp_path / "absent")
