"""Only the owner's lookup decides what an edge sends in clear, and which version is the newest."""

from __future__ import annotations

import asyncio
import base64
import json
import zlib
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_rag.privacy.ciphers.default import default_cipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import DecryptionError, UnsignedError
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.lookup import ORDINARY, Lookup, all_parts, sealed_lookup
from sage_rag.privacy.policy import Operator, OperatorChoice, Policy, preset
from sage_rag.privacy.testing import TableRecognizer, forged_lookup, grant_without_public_keys
from sage_rag.rag_server.edge.index_policies import IndexPolicies
from sage_rag.rag_server.edge.keyring import CorpusKeys
from sage_rag.rag_server.edge.lookups import Lookups
from sage_rag.rag_server.edge.memory_file import MemoryFile, Seen
from sage_rag.rag_server.exceptions import RollbackError

KEYS = Keyset.generate()
MALLORY = KEYS.grant([EntityType.AGE])
READER = KEYS.grant([EntityType.PERSON, EntityType.QUANTITY])
EARLIER = grant_without_public_keys(READER)
HOLDERS = [pytest.param(KEYS, id="owner"), pytest.param(READER, id="grant")]
ALL = [*HOLDERS, pytest.param(EARLIER, id="earlier grant")]
RECOGNIZER = TableRecognizer(
    {"Brockwhistle": EntityType.PERSON, "500 euros": EntityType.QUANTITY, "41": EntityType.AGE}
)
QUESTION = "Brockwhistle owes 500 euros"
EVIL = Lookup({"brockwhistle": ORDINARY}, version=900_000)
UNSIGNED = forged_lookup(EVIL, MALLORY, "clinic")
FAKE = forged_lookup(EVIL, MALLORY, "clinic", signature=bytes(64))


def keys(keyset: Keyset, policies: IndexPolicies | None = None) -> CorpusKeys:
    return CorpusKeys("clinic", keyset, RECOGNIZER, None, policies=policies)


def signed(version: int, policy: str = "sage", words: Sequence[str] = ("rest",)) -> bytes:
    return sealed_lookup(words, [], KEYS, "clinic", preset(policy), version)


def unsigned(policy: Policy | None) -> bytes:
    return forged_lookup(replace(EVIL, policy=policy), MALLORY, "clinic")


@pytest.mark.parametrize("keyset", HOLDERS)
def test_the_owners_lookup_lets_a_word_of_the_index_leave(keyset: Keyset) -> None:
    edge = keys(keyset)
    edge.use_lookup(EVIL.seal(KEYS, "clinic"))
    assert "Brockwhistle" in edge.pseudonymize(QUESTION)


@pytest.mark.parametrize("forged", [UNSIGNED, FAKE], ids=["unsigned", "own signature"])
@pytest.mark.parametrize("keyset", ALL)
def test_a_lookup_by_a_holder_of_a_grant_sends_no_name(keyset: Keyset, forged: bytes) -> None:
    edge = keys(keyset)
    for before in (None, signed(3)):
        if before is not None and keyset is not EARLIER:
            edge.use_lookup(before)
        with pytest.raises(DecryptionError):
            edge.use_lookup(forged)
        assert "Brockwhistle" not in edge.pseudonymize(QUESTION)


@pytest.mark.parametrize("forged", [UNSIGNED, FAKE], ids=["unsigned", "own signature"])
@pytest.mark.parametrize("keyset", HOLDERS)
def test_a_high_number_of_a_forged_lookup_does_not_block_the_owners(
    keyset: Keyset, forged: bytes, tmp_path: Path
) -> None:
    file = MemoryFile(tmp_path / "m", keyset)
    edge = keys(keyset, IndexPolicies(file))
    with pytest.raises(DecryptionError):
        edge.use_lookup(forged)
    edge.use_lookup(signed(3, words=["Brockwhistle"]))
    assert file.newest("clinic") == Seen(3, "primary")
    with pytest.raises(RollbackError):
        edge.use_lookup(signed(2))


def test_a_number_that_an_earlier_version_kept_does_not_block_the_owners(tmp_path: Path) -> None:
    """It may be one that a holder of a grant said, and every signed lookup is newer."""
    file = MemoryFile(tmp_path / "m", KEYS)
    file._write("CREATE TABLE versions (corpus TEXT PRIMARY KEY, version INTEGER, key_id TEXT)")
    file._write("INSERT INTO versions VALUES ('clinic', 900000, ?)", (KEYS.primary,))
    keys(KEYS, IndexPolicies(MemoryFile(tmp_path / "m", KEYS))).use_lookup(signed(3))


@pytest.mark.parametrize("keyset", ALL)
def test_an_unproven_policy_only_makes_stricter_until_the_owners(
    keyset: Keyset, tmp_path: Path
) -> None:
    edge = keys(keyset, IndexPolicies(MemoryFile(tmp_path / "m", keyset)))
    assert "500 euros" in edge.pseudonymize(QUESTION)
    for policy in (preset("soe-all"), preset("sage"), preset("soe-pl"), None):
        with pytest.raises(UnsignedError):
            edge.use_lookup(unsigned(policy))
        assert "500" not in edge.pseudonymize(QUESTION)
    again = keys(keyset, IndexPolicies(MemoryFile(tmp_path / "m", keyset)))
    assert "500" not in again.pseudonymize(QUESTION), "also after a restart"
    if keyset is EARLIER:
        with pytest.raises(UnsignedError):
            again.use_lookup(signed(3))
        assert "500" not in again.pseudonymize(QUESTION)
    else:
        again.use_lookup(signed(3))
        assert "500 euros" in again.pseudonymize(QUESTION)


def test_a_grant_of_an_earlier_version_is_as_strict_as_the_owners_lookup() -> None:
    edge = keys(EARLIER)
    with pytest.raises(UnsignedError):
        edge.use_lookup(signed(3, "soe-all", ["Brockwhistle"]))
    hidden = edge.pseudonymize(QUESTION)
    assert "Brockwhistle" not in hidden
    assert "500" not in hidden


@pytest.mark.parametrize("keyset", ALL)
def test_names_of_an_unproven_lookup_are_hidden_and_none_of_its_words_leaves(
    keyset: Keyset,
) -> None:
    """Without it, an index of an earlier sage-rag would protect fewer questions than before."""
    token = default_cipher(KEYS, "clinic").encrypt("Lars Lindqvist", EntityType.PERSON)
    lookup = Lookup.open(
        sealed_lookup(["brockwhistle has a knee"], [token], KEYS, "clinic"), KEYS, "clinic"
    )
    edge = keys(keyset)
    assert edge.pseudonymize("lindqvist knee") == "lindqvist knee"
    with pytest.raises(UnsignedError):
        edge.use_lookup(forged_lookup(lookup, KEYS, "clinic"))
    hidden = edge.pseudonymize("lindqvist knee")
    assert "lindqvist" not in hidden
    assert hidden.endswith("] knee")
    assert "Brockwhistle" not in edge.pseudonymize(QUESTION)
    assert edge.search_groups(hidden) == ()
    assert edge.named_people(hidden) is None


@pytest.mark.parametrize("keyset", HOLDERS)
def test_the_owners_lookup_is_used_on_where_the_server_offers_an_unsigned_one(
    keyset: Keyset,
) -> None:
    edge = keys(keyset)
    edge.use_lookup(signed(3, words=["gout"]))
    with pytest.raises(UnsignedError):
        edge.use_lookup(UNSIGNED)
    assert edge._reading.index is not None
    assert edge._reading.index.has_word("gout")
    assert not edge._reading.index.has_word("Brockwhistle")


BAD = [
    OperatorChoice(Operator.GENERALIZE, to="month"),
    OperatorChoice(Operator.GENERALIZE, figures=0),
    OperatorChoice(Operator.GENERALIZE, days=3),
]


@pytest.mark.parametrize("bad", BAD, ids=range(3))
def test_an_unproven_policy_that_no_text_can_be_read_under_is_refused(bad: OperatorChoice) -> None:
    """Kept, it would stop every question, also after a restart."""
    sage = preset("sage")
    kinds = {EntityType.QUANTITY: bad, EntityType.DEMOGRAPHIC: bad}
    edge = keys(KEYS)
    with pytest.raises(DecryptionError, match="something else"):
        edge.use_lookup(unsigned(replace(sage, choices={**sage.choices, **kinds})))
    assert "500 euros" in edge.pseudonymize(QUESTION)


NAME = all_parts(KEYS, "clinic").words("brockwhistle", EntityType.PERSON)[0]
ODD = [
    {"words": {"gout": "many"}},
    {"values": {NAME: [{}]}},
    {"values": {NAME: "name"}},
    {"tokens": [1], "stems": {NAME: [0]}},
    {"codes": [1]},
    {"version": 1e999},
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_a_lookup_that_no_question_can_be_read_with_is_refused(
    odd: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = {"words": {}, "values": {}, **odd}
    monkeypatch.setattr(Lookup, "_packed", lambda _: zlib.compress(json.dumps(content).encode()))
    edge = CorpusKeys("clinic", KEYS, TableRecognizer({}), None)
    with pytest.raises(DecryptionError, match="something else"):
        edge.use_lookup(forged_lookup(EVIL, MALLORY, "clinic"))
    assert edge.pseudonymize("brockwhistle knee") == "brockwhistle knee"


@pytest.mark.parametrize("offered", [FAKE, b"", EVIL.seal(KEYS, "office"), None])
@pytest.mark.parametrize("is_proven", [True, False])
def test_the_lookup_before_is_used_on_where_the_server_offers_no_other(
    offered: bytes | None, is_proven: bool
) -> None:
    """Else a server could have the names that only the lookup finds sent in clear."""
    token = default_cipher(KEYS, "clinic").encrypt("Lars Lindqvist", EntityType.PERSON)
    sealed = sealed_lookup(["a knee"], [token], KEYS, "clinic")
    if not is_proven:
        sealed = forged_lookup(Lookup.open(sealed, KEYS, "clinic"), MALLORY, "clinic")
    edge = keys(KEYS)
    with nullcontext() if is_proven else pytest.raises(UnsignedError):
        edge.use_lookup(sealed)
    with nullcontext() if offered is None else pytest.raises(DecryptionError):
        edge.use_lookup(offered)
    assert "lindqvist" not in edge.pseudonymize("lindqvist knee")


class Server:
    """Answers each request with the same lookup."""

    def __init__(self, sealed: bytes) -> None:
        self.body = {"tag": "t", "lookup": base64.b64encode(sealed).decode()}
        self.asked: list[str] = []

    async def get(self, path: str) -> tuple[int, Any]:
        self.asked.append(path)
        return 200, self.body if path.endswith("=-") else {"tag": "t"}


@pytest.mark.parametrize(
    ("keyset", "sealed", "mend"),
    [
        (KEYS, UNSIGNED, "the owner publishes the corpus again: sage-rag rekey, or sage-rag index"),
        (
            *(READER, sealed_lookup([], [], KEYS.rotate(), "clinic", None, 3)),
            "if the keys were rotated, start the edge with the current keyset or grant",
        ),
        (EARLIER, signed(3), "the owner issues the grant again: sage-rag keys grant"),
    ],
)
def test_the_log_says_once_how_to_mend_it(
    keyset: Keyset, sealed: bytes, mend: str, caplog: pytest.LogCaptureFixture
) -> None:
    edge, now = keys(keyset), [0.0]
    server: Any = Server(sealed)
    lookups = Lookups(server, clock=lambda: now[0])
    for _ in range(3):
        asyncio.run(lookups.refresh(edge))
        now[0] += 61
    assert len(server.asked) == 3
    (record,) = caplog.records
    assert record.getMessage().startswith("edge corpus=clinic: ")
    assert record.getMessage().endswith(f"hint: {mend}")
