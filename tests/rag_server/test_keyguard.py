import pytest

from privacy.exceptions import ProtectionError
from privacy.keyset.files import write_keyset
from privacy.keyset.keyset import Keyset
from rag_server.keyguard import refuse_keys


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
    "variable", ["SAGE_RAG_KEYSET", "SAGE_RAG_PASSPHRASE", "SAGE_RAG_PASSPHRASE_FILE"]
)
def test_a_key_or_passphrase_in_the_environment_is_refused_and_not_shown(home, variable):
    with pytest.raises(ProtectionError) as caught:
        refuse_keys(home, {variable: "s3cret"})
    assert variable in caught.value.message
    assert "s3cret" not in f"{caught.value.message}{caught.value.hint}"


def test_a_home_without_keys_passes(home):
    refuse_keys(home, {"SAGE_RAG_SERVE_PORT": "1", "PATH": "/bin"})
