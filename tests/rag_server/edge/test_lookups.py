"""The edge fetches the lookup of the version that the server searches."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from sage_rag.common.exceptions import UpstreamError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import Lookup, sealed_lookup
from sage_rag.privacy.policy import Operator, OperatorChoice, preset
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.edge.app import create_edge_app
from sage_rag.rag_server.edge.index_policies import IndexPolicies
from sage_rag.rag_server.edge.keyring import CorpusKeys, Keyring
from sage_rag.rag_server.edge.lookups import Lookups
from sage_rag.rag_server.edge.memory_file import MemoryFile
from sage_rag.rag_server.edge.services import EdgeServices
from sage_rag.rag_server.edge.transport import AppTransport
from sage_rag.rag_server.edge.upstream import Upstream, server_at
from sage_rag.rag_server.exceptions import RollbackError
from tests.rag_server.conftest import World
from tests.rag_server.fakes import ScriptedServer

KEYS = Keyset.generate()
QUESTION = "What does the lighthouse keeper take?"
SEALED = sealed_lookup(["gout of the toe"], [], KEYS, "clinic")
RECOGNIZER = TableRecognizer({"gout": EntityType.ORGANIZATION})


class FakeUpstream:
    """Answers with the given bodies in order, then again with the last one."""

    def __init__(self, *replies: tuple[int, Any] | Exception) -> None:
        self.replies = list(replies)
        self.paths: list[str] = []

    async def get(self, path: str) -> tuple[int, Any]:
        self.paths.append(path)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


def reply(sealed: bytes, tag: str = "t1") -> tuple[int, Any]:
    return 200, {"tag": tag, "lookup": base64.b64encode(sealed).decode()}


def sent(*replies: tuple[int, Any] | Exception, times: int = 1, wait_s: float = 0) -> list[str]:
    """Return what is sent of "gout" after each refresh."""
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, preset("soe-all"))
    now = [0.0]
    upstream: Any = FakeUpstream(*replies)
    lookups = Lookups(upstream, clock=lambda: now[0])
    seen = []
    for _ in range(times):
        asyncio.run(lookups.refresh(keys))
        seen.append(keys.pseudonymize("gout"))
        now[0] += wait_s
    seen.append(",".join(upstream.paths))
    return seen


def test_a_question_is_read_with_the_lookup_of_the_server():
    assert sent(reply(SEALED)) == ["gout", "/v1/models/clinic/lookup?known=-"]


def test_a_lookup_is_asked_for_once_a_minute_by_its_tag():
    path = "/v1/models/clinic/lookup?known="
    *seen, asked = sent(reply(SEALED), (200, {"tag": "t1"}), times=3, wait_s=40)
    assert seen == ["gout"] * 3
    assert asked == f"{path}-,{path}t1"


def test_a_newer_version_replaces_the_lookup():
    newer = sealed_lookup(["rest"], [], KEYS, "clinic")
    first, second, _ = sent(reply(SEALED), reply(newer, "t2"), times=2, wait_s=61)
    assert first == "gout"
    assert second.startswith("ORGANIZATION_[")


def test_without_the_owners_lookup_all_that_is_recognised_is_hidden():
    forged = sealed_lookup(["gout"], [], Keyset.generate(), "clinic")
    for bad in (
        reply(forged),
        (200, {"tag": "t", "lookup": "not base64 \N{SNOWMAN}"}),
        (200, {"tag": "t"}),
        (200, ["odd"]),
        (404, {"error": {"message": "no such route"}}),
        UpstreamError("away"),
    ):
        assert sent(bad)[0].startswith("ORGANIZATION_[")


def test_a_lookup_whose_policy_cannot_be_stored_is_used_and_a_warning_says_so(
    tmp_path, caplog
) -> None:
    file = MemoryFile(tmp_path / "m", KEYS)
    policies = IndexPolicies(file)
    file._write("PRAGMA query_only = ON")
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, None, policies=policies)
    now = [0.0]
    upstream: Any = FakeUpstream(reply(with_policy("soe-all", "gout")))
    lookups = Lookups(upstream, clock=lambda: now[0])
    asyncio.run(lookups.refresh(keys))
    assert keys.pseudonymize("gout") == "gout"
    assert "a restart forgets its policy" in caplog.text
    file._write("PRAGMA query_only = OFF")
    now[0] = 61
    asyncio.run(lookups.refresh(keys))
    assert [corpus for corpus, _ in file.policies()] == ["clinic"], "stored with the next request"


def test_a_server_that_was_away_is_asked_again_within_seconds():
    refusals = [(status, {"error": {"message": "later"}}) for status in (503, 429)]
    for away in (UpstreamError("away"), *refusals):
        *seen, asked = sent(away, reply(SEALED), times=4, wait_s=1)
        assert [text == "gout" for text in seen] == [False, False, True, True]
        assert asked.count("lookup") == 2


def test_a_server_without_lookups_is_asked_once_a_minute():
    *_, asked = sent((404, {"error": {"message": "no such route"}}), times=5, wait_s=20)
    assert asked.count("lookup") == 2


def test_a_lookup_that_is_too_long_is_asked_for_once_a_minute_and_the_log_says_it_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked, read = [], []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        length = (b"content-length", str(40 * 1024 * 1024).encode())
        begin = {"type": "http.response.start", "status": 200, "headers": [length]}
        await send(begin)
        for _ in range(40):
            await send({"type": "http.response.body", "body": bytes(1 << 20), "more_body": True})
            await asyncio.sleep(0)
            read.append(1)

    now = [0.0]
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, preset("soe-all"))
    lookups = Lookups(Upstream(AppTransport(answer)), clock=lambda: now[0])

    async def ask() -> None:
        for _ in range(60):
            await lookups.refresh(keys)
            now[0] += 2

    asyncio.run(ask())
    assert len(asked) == 2
    assert len(read) < 40, "it is not read to its end"
    (record,) = caplog.records
    assert "clinic: the lookup has more than 24 MB" in record.getMessage()
    assert keys.pseudonymize("gout").startswith("ORGANIZATION_[")


def test_the_first_question_after_a_corpus_appears_is_read_with_its_lookup(world: World) -> None:
    absent = world.http.get(f"{world.serve()}/v1/models/none/lookup")
    *seen, asked = sent((absent.status_code, absent.json()), reply(SEALED), times=2)
    assert [text == "gout" for text in seen] == [False, True]
    assert asked.count("lookup") == 2


class HangingUpstream(FakeUpstream):
    """Does not answer before it may."""

    def __init__(self, *replies: tuple[int, Any]) -> None:
        super().__init__(*replies)
        self.may_answer = asyncio.Event()

    async def get(self, path: str) -> tuple[int, Any]:
        await self.may_answer.wait()
        return await super().get(path)


def test_a_server_that_hangs_holds_no_question() -> None:
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, preset("soe-all"))
    other = CorpusKeys("wards", KEYS, RECOGNIZER, preset("soe-all"))

    async def ask() -> list[str]:
        upstream: Any = HangingUpstream(reply(SEALED))
        lookups = Lookups(upstream, patience_s=0.01)
        for asked in (keys, other, keys):
            await lookups.refresh(asked)
        seen = [keys.pseudonymize("gout"), ",".join(upstream.paths)]
        upstream.may_answer.set()
        while not upstream.paths or keys.pseudonymize("gout") != "gout":
            await asyncio.sleep(0.001)
        await lookups.refresh(keys)
        return [*seen, *sorted(upstream.paths)]

    hidden, *paths = asyncio.run(asyncio.wait_for(ask(), 60))
    assert hidden.startswith("ORGANIZATION_[")
    asked = [f"/v1/models/{name}/lookup?known=-" for name in ("clinic", "wards")]
    assert paths == ["", *asked]


def test_questions_of_one_corpus_share_a_request_and_wait_for_it() -> None:
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, preset("soe-all"))

    async def ask() -> list[str]:
        upstream: Any = HangingUpstream(reply(SEALED))
        lookups = Lookups(upstream, patience_s=60)
        waiting = [asyncio.create_task(lookups.refresh(keys)) for _ in range(3)]
        await asyncio.sleep(0)
        upstream.may_answer.set()
        await asyncio.gather(*waiting)
        return [keys.pseudonymize("gout"), *upstream.paths]

    assert asyncio.run(ask()) == ["gout", "/v1/models/clinic/lookup?known=-"]


def test_the_server_sends_the_lookup_of_a_version_once(world: World):
    world.catalog.versions["clinic"].lookup = SEALED
    address = f"{world.serve()}/v1/models/clinic/lookup"
    whole = world.http.get(address).json()
    assert base64.b64decode(whole["lookup"]) == SEALED
    known = world.http.get(address, params={"known": whole["tag"]}).json()
    assert known == {"tag": whole["tag"]}


def test_a_version_without_keys_has_none(world: World):
    assert "lookup" not in world.http.get(f"{world.serve()}/v1/models/clinic/lookup").json()
    assert world.http.get(f"{world.serve()}/v1/models/none/lookup").status_code == 404


def test_an_edge_reads_a_question_with_it(world: World):
    world.keyset = KEYS
    world.catalog.versions["clinic"].lookup = SEALED
    upstream = server_at(world.serve())
    keyring = Keyring(KEYS, RECOGNIZER, preset("soe-all"))
    services = EdgeServices(keyring, upstream, lookups=Lookups(upstream))
    edge = world.run(create_edge_app(services))
    body = {"model": "clinic", "input": "gout"}
    shown = world.http.post(f"{edge}/v1/pseudonymize", json=body).json()
    assert shown == {"output": "gout", "search_words": [], "search_tokens": []}


ENDPOINTS = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": QUESTION}]},
    "/v1/completions": {"prompt": QUESTION},
    "/v1/responses": {"input": QUESTION},
    "/v1/embeddings": {"input": [QUESTION]},
    "/v1/pseudonymize": {"input": QUESTION},
}


def test_every_endpoint_reads_its_first_text_under_the_policy_of_the_index(world: World) -> None:
    lookup = reply(with_policy("court"))[1]

    def answer(seen) -> Response:
        is_lookup = seen.path.endswith("/lookup")
        return JSONResponse(lookup) if is_lookup else JSONResponse({"data": [], "choices": []})

    keeper = TableRecognizer({"lighthouse keeper": EntityType.DEMOGRAPHIC})
    for path, body in ENDPOINTS.items():
        server = ScriptedServer(answer)
        upstream = server_at(world.run(server))
        app = create_edge_app(
            EdgeServices(Keyring(KEYS, keeper, None), upstream, lookups=Lookups(upstream))
        )
        posts = {path for path, found in app.openapi()["paths"].items() if "post" in found}
        assert posts == set(ENDPOINTS)
        given = world.http.post(world.run(app) + path, json={"model": "clinic", **body})
        left = given.text if path == "/v1/pseudonymize" else server.seen[-1].raw.decode()
        assert "DEMOGRAPHIC_[" in left
        assert "keeper" not in left


def with_policy(name: str | None, word: str = "rest", version: int = 0) -> bytes:
    return sealed_lookup([word], [], KEYS, "clinic", preset(name) if name else None, version)


def test_questions_are_read_under_the_policy_of_the_index() -> None:
    reader = TableRecognizer({"500 euros": EntityType.QUANTITY, "Keller": EntityType.PERSON})
    keys = CorpusKeys("clinic", KEYS, reader, None)
    assert "500 euros" in keys.pseudonymize("Did Keller pay 500 euros?")
    assert "Keller" not in keys.pseudonymize("Did Keller pay 500 euros?")
    keys.use_lookup(with_policy("soe-all"))
    hidden = keys.pseudonymize("Did Keller pay 500 euros?")
    assert "QUANTITY_[" in hidden
    assert "500" not in hidden
    for withheld in (None, with_policy(None)):
        keys.use_lookup(withheld)
        assert "500" not in keys.pseudonymize("Did Keller pay 500 euros?")
    keys.use_lookup(with_policy("redact-all"))
    assert "<PERSON>" in keys.pseudonymize("Did Keller pay 500 euros?")
    assert keys.hide_whole("m_keller", EntityType.ID) == "<ID>"


def keeper_ring() -> Keyring:
    return Keyring(KEYS, TableRecognizer({"lighthouse keeper": EntityType.DEMOGRAPHIC}), None)


def test_a_policy_that_an_index_said_stays_when_many_other_names_were_asked_for() -> None:
    ring = keeper_ring()
    ring.for_model("clinic").use_lookup(with_policy("court"))
    for number in range(200):
        assert "keeper" in ring.for_model(f"m{number}").pseudonymize(QUESTION)
    assert "keeper" not in ring.for_model("clinic").pseudonymize(QUESTION)


def test_policies_beyond_the_most_corpora_hold_for_every_unknown_corpus() -> None:
    policies = IndexPolicies(most=1)
    demographic = EntityType.DEMOGRAPHIC
    policies.keep("clinic", preset("court"))
    assert policies.of("other").operator(demographic) is Operator.KEEP
    policies.keep("wards", preset("sage"))
    assert policies.of("clinic").operator(demographic) is Operator.ENCRYPT
    assert policies.of("other").operator(demographic) is Operator.ENCRYPT
    assert policies.of("wards").operator(demographic) is Operator.KEEP


def test_a_question_is_read_with_the_lookup_before_while_a_new_one_is_opened(monkeypatch) -> None:
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, preset("soe-all"))
    keys.use_lookup(SEALED)
    opened, during = Lookup.open, []

    def opening(*given: Any) -> Lookup:
        during.append(keys.pseudonymize("gout"))
        return opened(*given)

    monkeypatch.setattr(Lookup, "open", opening)
    keys.use_lookup(SEALED)
    assert during == ["gout"]
    with pytest.raises(DecryptionError):
        keys.use_lookup(b"forged")
    assert during == ["gout"] * 2
    assert keys.pseudonymize("gout") == "gout"


def test_a_policy_of_the_edge_stays_whatever_the_index_says() -> None:
    reader = TableRecognizer({"500 euros": EntityType.QUANTITY})
    keys = CorpusKeys("clinic", KEYS, reader, preset("soe-all"))
    keys.use_lookup(with_policy("sage"))
    assert "500" not in keys.pseudonymize("They paid 500 euros.")


def test_with_a_grant_the_index_policy_redacts_what_it_does_not_include() -> None:
    reader = TableRecognizer({"500 euros": EntityType.QUANTITY, "Keller": EntityType.PERSON})
    keys = CorpusKeys("clinic", KEYS.grant([EntityType.PERSON]), reader, None)
    keys.use_lookup(with_policy("soe-all"))
    hidden = keys.pseudonymize("Did Keller pay 500 euros?")
    assert "PERSON_[" in hidden
    assert "<QUANTITY>" in hidden


def test_a_forged_policy_of_a_grant_holder_leaves_no_name_in_clear() -> None:
    reader = TableRecognizer({"Keller": EntityType.PERSON})
    weak = preset("soe-all")
    keep = OperatorChoice(Operator.KEEP)
    weak = replace(weak, choices=dict.fromkeys(weak.choices, keep))
    keys = CorpusKeys("clinic", KEYS, reader, None)
    keys.use_lookup(sealed_lookup(["rest"], [], KEYS, "clinic", weak))
    assert "Keller" not in keys.pseudonymize("Did Keller rest?")


def test_the_lookup_of_an_older_version_is_not_used_and_weakens_no_policy(caplog) -> None:
    reader = TableRecognizer({"500 euros": EntityType.QUANTITY, "gout": EntityType.ORGANIZATION})
    keys = CorpusKeys("clinic", KEYS, reader, None)
    now = [0.0]
    newer, older = with_policy("soe-all", "rest", 7), with_policy("sage", "gout", 3)
    upstream: Any = FakeUpstream(reply(newer), reply(older, "t2"), reply(newer, "t1"))
    lookups = Lookups(upstream, clock=lambda: now[0])
    for _ in range(3):
        asyncio.run(lookups.refresh(keys))
        hidden = keys.pseudonymize("gout for 500 euros")
        assert "gout" not in hidden
        assert "500" not in hidden
        assert keys._reading.index is not None
        assert keys._reading.index.has_word("rest"), "the newest lookup is used on"
        now[0] += 61
    assert "offers version 3, older than version 7 that was seen here" in caplog.text
    assert "--accept-rollback clinic@3" in caplog.text


def test_the_version_that_was_seen_last_and_newer_ones_are_used() -> None:
    keys = CorpusKeys("clinic", KEYS, RECOGNIZER, preset("soe-all"))
    for version in (0, 0, 3, 3, 4):
        keys.use_lookup(with_policy("sage", "gout", version))
        assert keys.pseudonymize("gout") == "gout"
    with pytest.raises(RollbackError, match="a version without a number, older than version 4"):
        keys.use_lookup(with_policy("sage", "gout"))


def test_a_version_of_one_corpus_says_nothing_about_another() -> None:
    ring = Keyring(KEYS, RECOGNIZER, None)
    ring.for_model("clinic").use_lookup(with_policy("sage", version=7))
    ring.for_model("wards").use_lookup(
        sealed_lookup(["gout"], [], KEYS, "wards", preset("sage"), 1)
    )
    assert ring.for_model("wards").pseudonymize("gout") == "gout"
