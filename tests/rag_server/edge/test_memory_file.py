"""What an edge has restored is hidden after its restart, too."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.common.web.testing import running
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.lookup import sealed_lookup
from sage_rag.privacy.policy import preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.edge.app import create_edge_app
from sage_rag.rag_server.edge.index_policies import IndexPolicies
from sage_rag.rag_server.edge.keyring import Keyring
from sage_rag.rag_server.edge.memory_file import MemoryFile, Seen
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.edge.shown_values import ShownValues
from sage_rag.rag_server.edge.upstream import server_at
from sage_rag.rag_server.exceptions import RollbackError
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedServer, chunks, completion, streamed

PERSON, AGE, PHONE = EntityType.PERSON, EntityType.AGE, EntityType.PHONE_NUMBER
BLIND = TableRecognizer({})
CHAT = "/v1/chat/completions"


@pytest.fixture
def keyset() -> Keyset:
    return Keyset.generate()


def opened(path: Path, keyset: Keyset) -> ShownValues:
    return ShownValues(MemoryFile(path, keyset))


def hides(shown: ShownValues, value: str) -> bool:
    return bool(shown.spans(f"x {value} x", by_server=True))


def test_a_value_is_known_after_a_restart_and_to_another_edge(tmp_path, keyset) -> None:
    first, beside = opened(tmp_path / "m", keyset), opened(tmp_path / "m", keyset)
    assert not hides(beside, "Ngozi Okafor")
    first.add("Ngozi Okafor", PERSON)
    assert hides(beside, "Ngozi Okafor")
    assert hides(opened(tmp_path / "m", keyset), "Ngozi Okafor")


def test_the_file_shows_no_value_and_is_its_users_alone(tmp_path, keyset) -> None:
    opened(tmp_path / "m", keyset).add("Ngozi Okafor", PERSON)
    for path in tmp_path.iterdir():
        assert b"Okafor" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0


def test_an_old_key_may_be_removed_after_one_start(tmp_path, keyset) -> None:
    opened(tmp_path / "m", keyset).add("Ngozi Okafor", PERSON)
    rotated = keyset.rotate()
    opened(tmp_path / "m", rotated)
    assert hides(opened(tmp_path / "m", rotated.without(keyset.primary)), "Ngozi Okafor")


def test_a_file_of_another_keyset_is_refused(tmp_path, keyset) -> None:
    opened(tmp_path / "m", keyset).add("Ngozi Okafor", PERSON)
    with pytest.raises(ProtectionError, match="another keyset") as refused:
        opened(tmp_path / "m", Keyset.generate())
    assert "begin new ones" in (refused.value.hint or "")
    with pytest.raises(ProtectionError, match="another keyset"):
        opened(tmp_path / "m", keyset.grant([PHONE]))


def test_a_changed_value_is_refused(tmp_path, keyset) -> None:
    file = MemoryFile(tmp_path / "m", keyset)
    file.append("Ngozi Okafor", PERSON)
    file._write("UPDATE shown SET entity_type = 'AGE'")
    with pytest.raises(ProtectionError, match="damaged"):
        opened(tmp_path / "m", keyset)


@pytest.mark.parametrize("damage", ["cut", "other"])
def test_a_damaged_file_is_refused(tmp_path, keyset, damage) -> None:
    file = MemoryFile(tmp_path / "m", keyset)
    for number in range(500):
        file.append(f"Person {number}", PERSON)
    file.close()
    content = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(content[:8192] if damage == "cut" else b"other" * 2000)
    with pytest.raises((InputError, ProtectionError), match="the memory of restored values"):
        opened(tmp_path / "m", keyset)


KEEPER = TableRecognizer({"lighthouse keeper": EntityType.DEMOGRAPHIC})


def ring_of(path: Path, keyset: Keyset) -> Keyring:
    return Keyring(keyset, KEEPER, None, policies=IndexPolicies(MemoryFile(path, keyset)))


def hides_keeper(ring: Keyring) -> bool:
    return "keeper" not in ring.for_model("clinic").pseudonymize(
        "What does a lighthouse keeper do?"
    )


def with_policy(keyset: Keyset, name: str, version: int = 0) -> bytes:
    return sealed_lookup(["rest"], [], keyset, "clinic", preset(name), version)


def test_the_policy_of_an_index_holds_after_a_restart_without_its_lookup(tmp_path, keyset) -> None:
    first = ring_of(tmp_path / "m", keyset)
    assert not hides_keeper(first)
    first.for_model("clinic").use_lookup(with_policy(keyset, "court"))
    again = ring_of(tmp_path / "m", keyset)
    again.for_model("wards").use_lookup(None)
    again.for_model("clinic").use_lookup(None)
    assert hides_keeper(again)
    again.for_model("clinic").use_lookup(with_policy(keyset, "sage"))
    assert not hides_keeper(ring_of(tmp_path / "m", keyset))


def test_a_policy_that_cannot_be_written_holds_until_the_edge_ends(tmp_path, keyset) -> None:
    file = MemoryFile(tmp_path / "m", keyset)
    ring = Keyring(keyset, KEEPER, None, policies=IndexPolicies(file))
    file._write("PRAGMA query_only = ON")
    with pytest.raises(ProtectionError, match="memory of restored values"):
        ring.for_model("clinic").use_lookup(with_policy(keyset, "court"))
    assert hides_keeper(ring)


def test_an_older_version_is_refused_after_a_restart_and_by_another_edge(tmp_path, keyset) -> None:
    first, beside = (ring_of(tmp_path / "m", keyset) for _ in range(2))
    beside.for_model("clinic").use_lookup(with_policy(keyset, "sage", 1))
    first.for_model("clinic").use_lookup(with_policy(keyset, "court", 2))
    for ring in (first, beside, ring_of(tmp_path / "m", keyset)):
        with pytest.raises(RollbackError, match="version 1, older than version 2"):
            ring.for_model("clinic").use_lookup(with_policy(keyset, "sage", 1))
    assert hides_keeper(ring_of(tmp_path / "m", keyset))


def test_a_rollback_that_is_accepted_goes_no_further_back(tmp_path, keyset) -> None:
    ring_of(tmp_path / "m", keyset).for_model("clinic").use_lookup(with_policy(keyset, "court", 7))
    policies = IndexPolicies(MemoryFile(tmp_path / "m", keyset))
    policies.accept("clinic", 3)
    policies.accept("wards", 9)
    ring = Keyring(keyset, KEEPER, None, policies=policies)
    ring.for_model("clinic").use_lookup(with_policy(keyset, "sage", 3))
    assert not hides_keeper(ring)
    for version in (0, 2):
        with pytest.raises(RollbackError):
            ring.for_model("clinic").use_lookup(with_policy(keyset, "sage", version))
    policies.accept("clinic", 5)
    policies.check("clinic", Seen(3, "old"))
    policies.check("wards", Seen(1, "primary"))


def test_after_a_rekey_no_lookup_under_an_old_key_is_used(tmp_path, keyset) -> None:
    rotated = keyset.rotate()
    before = ring_of(tmp_path / "m", rotated).for_model("clinic")
    before.use_lookup(with_policy(keyset, "sage", 900_000))
    ring_of(tmp_path / "m", rotated).for_model("clinic").use_lookup(
        with_policy(rotated, "court", 8)
    )
    ring = ring_of(tmp_path / "m", rotated)
    for version in (7, 900_001):
        with pytest.raises(RollbackError, match="under an old key, older than version 8"):
            ring.for_model("clinic").use_lookup(with_policy(keyset, "sage", version))
    assert hides_keeper(ring)
    IndexPolicies(MemoryFile(tmp_path / "m", rotated)).accept("clinic", 7)
    again = ring_of(tmp_path / "m", rotated)
    again.for_model("clinic").use_lookup(with_policy(keyset, "sage", 7))
    with pytest.raises(RollbackError):
        again.for_model("clinic").use_lookup(with_policy(rotated, "sage", 6))


def test_a_version_under_a_key_that_was_removed_does_not_count(tmp_path, keyset) -> None:
    rotated = keyset.rotate()
    ring_of(tmp_path / "m", keyset).for_model("clinic").use_lookup(with_policy(keyset, "sage", 7))
    with pytest.raises(RollbackError):
        IndexPolicies(MemoryFile(tmp_path / "m", rotated)).check("clinic", Seen(1, "old"))
    pruned = rotated.without(keyset.primary)
    ring = ring_of(tmp_path / "m", pruned)
    ring.for_model("clinic").use_lookup(with_policy(pruned, "sage", 1))
    with pytest.raises(RollbackError):
        ring_of(tmp_path / "m", pruned).for_model("clinic").use_lookup(with_policy(pruned, "sage"))


def test_a_damaged_policy_is_refused(tmp_path, keyset) -> None:
    MemoryFile(tmp_path / "m", keyset)._write("INSERT INTO policies VALUES ('clinic', '{}')")
    with pytest.raises(ProtectionError, match="damaged policy"):
        ring_of(tmp_path / "m", keyset)


def test_a_value_that_cannot_be_written_is_not_shown(world: World, tmp_path) -> None:
    token = world.keys().hide_whole("Ngozi Okafor", PERSON)
    for stream in (False, True):
        reply = streamed(chunks(token)) if stream else completion(token)
        file = MemoryFile(tmp_path / f"m{stream}", world.keyset)
        ring = Keyring(world.keyset, BLIND, preset("sage"), ShownValues(file))
        upstream = server_at(world.run(ScriptedServer(lambda _, reply=reply: reply)))
        url = world.run(create_edge_app(EdgeServices(ring, upstream)))
        file._write("PRAGMA query_only = ON")
        answer = httpx.post(url + CHAT, json=ask(stream=stream))
        assert "Okafor" not in answer.text
        assert "protection_failed" in answer.text
        assert stream or answer.status_code == 500


KILLED = """
import sys
from pathlib import Path
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.raw import parse_raw
from sage_rag.rag_server.edge.memory_file import MemoryFile, Seen
file = MemoryFile(Path(sys.argv[1]), parse_raw(sys.argv[2]))
for number in range(10**9):
    file.append(f"Person {number}", EntityType.PERSON)
    print(number, flush=True)
"""


def test_an_edge_that_is_killed_forgets_nothing_that_it_showed(tmp_path, keyset) -> None:
    arguments = [sys.executable, "-c", KILLED, str(tmp_path / "m"), export_raw(keyset)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(200):
            writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)
        last = 199 + len(writer.stdout.readlines())
    shown = opened(tmp_path / "m", keyset)
    assert all(hides(shown, f"Person {number}") for number in range(last))


VALUES = {
    PERSON: ["Ngozi Okafor", "Li", "Will", "O'Brien-Ng", "Zoë Ødegård", "王伟", "May"],
    AGE: ["41", "7"],
    PHONE: ["0171 555 12 34"],
}
WRAPS = ["The {} syndrome", "x{}x", "{}", "{}{}", "a1{}2 {}'s", "12 {} 2021", "({})\n\\{}", "*{}*"]


@settings(max_examples=40, deadline=None)
@given(
    st.data(),
    st.sampled_from(WRAPS),
    st.booleans(),
    st.sampled_from(["assistant", "tool", "system", "developer"]),
    st.sampled_from(["clinic", "court"]),
)
def test_after_a_restart_no_restored_value_reaches_a_server(
    tmp_path_factory, data, wrap, stream, role, next_corpus
) -> None:
    entity_type = data.draw(st.sampled_from(list(VALUES)))
    value = data.draw(st.sampled_from(VALUES[entity_type]))
    keyset, memory = Keyset.generate(), tmp_path_factory.mktemp("edge") / "memory"

    def edge(stack: ExitStack, server: str) -> str:
        ring = Keyring(keyset, BLIND, preset("sage"), opened(memory, keyset))
        return stack.enter_context(running(create_edge_app(EdgeServices(ring, server_at(server)))))

    token = (
        Keyring(keyset, BLIND, preset("sage"))
        .for_model("clinic")
        ._cipher.encrypt(value, entity_type)
    )
    text = wrap.format(token, token)
    at = data.draw(st.integers(0, len(text)))
    reply = streamed(chunks(text[:at], text[at:])) if stream else completion(text)
    server = ScriptedServer(lambda _: reply)
    with ExitStack() as stack:
        upstream = stack.enter_context(running(server))
        with ExitStack() as before:
            got = httpx.post(edge(before, upstream) + CHAT, json=ask("x", stream=stream)).text
        shown = _content(got) if stream else json.loads(got)["choices"][0]["message"]["content"]
        assert value in shown
        history = [{"role": role, "content": shown}, {"role": "user", "content": "x"}]
        turn = {"model": next_corpus, "messages": history}
        assert httpx.post(edge(stack, upstream) + CHAT, json=turn).status_code == 200
    (sent, _) = server.seen[-1].body["messages"]
    left = re.sub(r"[A-Z_]+_\[[^]]*\]", "|", sent["content"])
    around = re.sub(r"\{\}", "|", wrap)
    assert left.replace(" ", "") == around.replace(" ", "")


def _content(stream: str) -> str:
    events = [line[6:] for line in stream.splitlines() if line.startswith("data: {")]
    deltas = (choice["delta"] for event in events for choice in json.loads(event)["choices"])
    return "".join(delta.get("content") or "" for delta in deltas)
