import hashlib
import re
from datetime import UTC, datetime, timedelta

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.rag_server.access.keys import (
    KEY,
    KeyFile,
    Scope,
    add_key,
    make_key,
    read_keys,
    revoke_key,
)
from sage_rag.rag_server.keyguard import refuse_keys

CHAT = frozenset({Scope.CHAT})


@pytest.fixture
def file(tmp_path):
    return tmp_path / "access" / "tokens.json"


def test_a_key_is_found_again_and_only_its_hash_is_stored(file):
    plain, stored = make_key("edge", CHAT)
    add_key(file, stored)
    assert KEY.fullmatch(plain)
    assert KeyFile(file).find(plain) == stored
    written = file.read_text()
    assert plain not in written
    assert plain[17:] not in written
    assert hashlib.sha256(plain.encode()).hexdigest() in written
    assert stored.sha256 not in repr(stored)
    assert file.stat().st_mode & 0o077 == 0


def test_every_other_key_is_refused(file):
    plain, stored = make_key("edge", CHAT)
    other, _ = make_key("other", CHAT)
    add_key(file, stored)
    keys = KeyFile(file)
    wrong_secret = plain[:17] + other[17:]
    for presented in ("", "none", plain[:-1], plain + "A", wrong_secret, other, plain.upper(), "é"):
        assert keys.find(presented) is None, presented


def test_an_expired_key_is_refused(file):
    now = datetime.now(UTC)
    past, stored = make_key("past", CHAT, expires=now - timedelta(seconds=1))
    coming, other = make_key("coming", CHAT, expires=now + timedelta(days=1))
    add_key(file, stored)
    add_key(file, other)
    keys = KeyFile(file)
    assert keys.find(past) is None
    assert keys.find(coming) == other
    assert stored.has_expired
    assert not other.has_expired


def test_a_running_service_sees_new_and_revoked_keys(file):
    keys = KeyFile(file)
    plain, stored = make_key("edge", CHAT)
    assert keys.find(plain) is None
    add_key(file, stored)
    assert keys.find(plain) == stored
    revoke_key(file, "edge")
    assert keys.find(plain) is None
    file.unlink()
    assert keys.find(plain) is None


def test_a_key_is_revoked_by_id_and_an_ambiguous_name_is_refused(file):
    made = [make_key("edge", CHAT)[1] for _ in range(2)]
    for stored in made:
        add_key(file, stored)
    with pytest.raises(InputError, match="2 API keys have"):
        revoke_key(file, "edge")
    assert revoke_key(file, made[0].id) == made[0]
    assert read_keys(file) == (made[1],)
    with pytest.raises(InputError, match="no API key has"):
        revoke_key(file, "nope")


def test_a_damaged_file_is_an_error_that_quotes_nothing(file):
    file.parent.mkdir()
    file.write_text('{"keys": "sk-canary"}')
    with pytest.raises(InputError) as caught:
        KeyFile(file).find("sk-sage-00000000-" + "A" * 43)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "scopes", "limits"),
    [
        ("", CHAT, {}),
        ("x" * 81, CHAT, {}),
        ("edge\n1f0c9a52  admin", CHAT, {}),
        (" edge", CHAT, {}),
        ("x", frozenset(), {}),
        ("x", CHAT, {"tokens_per_day": 0}),
    ],
)
def test_a_key_that_cannot_be_used_is_not_made(name, scopes, limits):
    with pytest.raises(InputError):
        make_key(name, scopes, **limits)


def test_a_file_of_api_keys_is_no_keyset(file):
    add_key(file, make_key("edge", CHAT)[1])
    refuse_keys(file.parent.parent, {})


def test_keys_differ():
    made = {make_key("edge", CHAT)[0] for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch(r"sk-sage-[0-9a-f]{8}-\S{43}", key) for key in made)
