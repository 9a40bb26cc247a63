"""An edge with a grant: it hides and shows some types, and tells nothing of the others."""

from dataclasses import replace

import httpx
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.keyset.sources import RAW_VARIABLE, VARIABLE
from sage_rag.privacy.keyset.testing import cheap_scrypt
from sage_rag.privacy.operators.redact import redact
from sage_rag.privacy.policy import Operator, OperatorChoice, preset, preset_names
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.answering.protocols import Piece
from sage_rag.rag_server.edge.app import create_edge_app
from sage_rag.rag_server.edge.keyring import Keyring
from sage_rag.rag_server.settings import EdgeSettings
from sage_rag.rag_server.wiring import build_edge
from tests.rag_server.conftest import TABLE, World, ask
from tests.rag_server.fakes import (
    ScriptedAnswerer,
    ScriptedServer,
    chunks,
    completion,
    streamed,
)

OWNER = Keyset.generate()
NAMES = OWNER.grant([EntityType.PERSON])
PHONE = "4915112345678"
CHAT = "/v1/chat/completions"
QUESTION = f"Does Maria Keller from Lindau answer {PHONE}?"


def sealed(value: str, entity_type: EntityType) -> str:
    return SivCipher(OWNER, "clinic").encrypt(value, entity_type)


PERSON_TOKEN = sealed("Maria Keller", EntityType.PERSON)
PHONE_TOKEN = sealed(PHONE, EntityType.PHONE_NUMBER)
SOURCE_TOKEN = sealed("ward/keller.txt", EntityType.SOURCE)


@pytest.fixture
def granted(world: World) -> World:
    world.keyset = NAMES
    return world


def test_a_value_without_key_is_redacted_and_one_with_key_hidden(granted: World):
    server = ScriptedServer(lambda seen: completion("ok"))
    url = granted.edge(granted.run(server))
    httpx.post(url + CHAT, json=ask(QUESTION)).raise_for_status()
    [seen] = server.seen
    assert PHONE not in seen.raw.decode()
    assert "Maria" not in seen.raw.decode()
    content = seen.body["messages"][0]["content"]
    assert PERSON_TOKEN in content
    assert "PHONE_NUMBER_[" not in content
    assert redact(EntityType.PHONE_NUMBER) in content


@pytest.mark.parametrize("policy", preset_names())
@pytest.mark.parametrize("types", [[], [EntityType.PERSON], [EntityType.LOCATION]])
def test_under_every_policy_nothing_that_it_would_hide_goes_out_in_clear(policy, types):
    chosen = preset(policy)
    keys = Keyring(OWNER.grant(types), TableRecognizer(TABLE), chosen).for_model("clinic")
    sent = keys.pseudonymize(QUESTION)
    for value, entity_type in TABLE.items():
        if value in QUESTION and chosen.operator(entity_type) is not Operator.KEEP:
            assert value not in sent
    for entity_type in (EntityType.PERSON, EntityType.ID):
        assert "Keller" not in keys.hide_whole("Maria Keller", entity_type)


def test_what_a_policy_does_without_a_key_it_still_does():
    policy = preset("sage")
    kept = replace(policy, choices=dict.fromkeys(policy.choices, OperatorChoice(Operator.KEEP)))
    keys = Keyring(OWNER.grant([]), TableRecognizer(TABLE), kept).for_model("clinic")
    assert keys.pseudonymize(QUESTION) == QUESTION


def test_text_that_imitates_a_token_is_hidden_with_any_grant(granted: World):
    keys = granted.keys()
    text = "what is PERSON_[abc] and [PERSON_1]?"
    hidden = keys.pseudonymize(text)
    assert "PERSON_[abc]" not in hidden
    assert keys.restore(hidden) == text


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (PERSON_TOKEN, "Maria Keller"),
        (SOURCE_TOKEN, "ward/keller.txt"),
        (PHONE_TOKEN, "[PHONE_NUMBER: not granted]"),
        (PHONE_TOKEN.replace("PHONE_NUMBER", "PERSON"), "[PERSON: unreadable]"),
        (f"PERSON_[{'A' * 48}]", "[PERSON: unreadable]"),
        (PERSON_TOKEN.replace("PERSON", "PHONE_NUMBER"), "[PHONE_NUMBER: not granted]"),
        ("PHONE_NUMBER_[damaged]", "[PHONE_NUMBER: unreadable]"),
    ],
)
def test_what_is_not_granted_is_told_from_what_is_damaged(granted: World, token, shown):
    assert granted.keys().restore(f"Call {token} now") == f"Call {shown} now"


@pytest.mark.parametrize("stream", [False, True])
def test_answers_show_what_is_granted_and_say_what_is_not(granted: World, stream):
    text = f"{PERSON_TOKEN} answers {PHONE_TOKEN}."

    def reply(_):
        if not stream:
            return completion(text)
        return streamed(chunks(*(text[i : i + 5] for i in range(0, len(text), 5))))

    client = granted.openai(granted.edge(granted.run(ScriptedServer(reply))))
    done = client.chat.completions.create(**ask(QUESTION), stream=stream)
    if stream:
        shown = "".join(part.choices[0].delta.content or "" for part in done)
    else:
        shown = done.choices[0].message.content
    assert shown == "Maria Keller answers [PHONE_NUMBER: not granted]."


def test_a_grant_without_sources_shows_that_there_is_one(world: World):
    world.keyset = OWNER.grant([EntityType.PERSON], source=False)
    assert world.keys().restore(SOURCE_TOKEN) == "[SOURCE: not granted]"


def test_a_record_is_found_by_a_granted_name_and_not_by_another_value(granted: World):
    owner = Keyring(OWNER, TableRecognizer(TABLE), preset("sage")).for_model("clinic")
    granted_keys = granted.keys()
    assert set(granted_keys.search_words(granted_keys.pseudonymize(QUESTION))) < set(
        owner.search_words(owner.pseudonymize(QUESTION))
    )
    granted.catalog.publish("clinic", [f"{PERSON_TOKEN} takes rest", "coffee keeps you awake"])
    answerer = ScriptedAnswerer([Piece(f"{PERSON_TOKEN} takes rest [1]", None), Piece("", "stop")])
    url = granted.edge(granted.serve(answerer))
    done = httpx.post(url + CHAT, json=ask("What does Maria Keller take?")).json()
    assert done["choices"][0]["message"]["content"] == "Maria Keller takes rest [1]"
    assert done["citations"][0]["text"] == "Maria Keller takes rest"


@pytest.fixture
def no_keys_around(monkeypatch):
    for name in (VARIABLE, RAW_VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("source", ["file", "secret", "environment"])
@pytest.mark.usefixtures("no_keys_around")
def test_an_edge_opens_a_grant_from_each_source(world: World, tmp_path, monkeypatch, source):
    monkeypatch.setattr(
        "sage_rag.privacy.recognizers.default.default_recognizer", lambda: TableRecognizer(TABLE)
    )
    server = ScriptedServer(lambda seen: completion(f"{PERSON_TOKEN}, {PHONE_TOKEN}"))
    given = {"server": world.run(server)}
    with cheap_scrypt():
        if source == "file":
            write_keyset(tmp_path / "grant", NAMES, "correct horse", label="desk")
            monkeypatch.setenv(VARIABLE, "correct horse")
            given["keyset"] = tmp_path / "grant"
        elif source == "secret":
            (tmp_path / "secret").touch(0o600)
            (tmp_path / "secret").write_text(export_raw(NAMES))
            given["keyset_secret"] = tmp_path / "secret"
        else:
            monkeypatch.setenv(RAW_VARIABLE, export_raw(NAMES))
            with pytest.raises(InputError, match="restored values"):
                build_edge(EdgeSettings.load(given))
            given["memory"] = tmp_path / "memory"
        services = build_edge(EdgeSettings.load(given))
    url = world.run(create_edge_app(services))
    answer = httpx.post(url + CHAT, json=ask(QUESTION)).json()
    shown = answer["choices"][0]["message"]["content"]
    assert shown == "Maria Keller, [PHONE_NUMBER: not granted]"
    assert PHONE not in server.seen[0].raw.decode()
    beside = given.get("keyset") or given.get("keyset_secret")
    assert (given.get("memory") or beside.with_name(f"{beside.name}.memory")).is_file()
