"""Grants: what they open, and everything that they do not."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.ciphers.faults import Fault, TokenError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.exceptions import DecryptionError, KeysetError, NotGrantedError
from sage_rag.privacy.keyset.keyset import Grant, Keyset, export_master_keys, export_type_keys

KEYSET = Keyset.generate().rotate()
OLD = KEYSET.key_ids[1]
ALWAYS = frozenset({EntityType.LITERAL})
USUALLY = ALWAYS | {EntityType.SOURCE}
types = st.frozensets(st.sampled_from(list(EntityType)))


@given(types, st.sampled_from(list(EntityType)), st.text(max_size=40))
def test_a_grant_opens_just_its_types(
    granted: frozenset[EntityType], entity_type: EntityType, value: str
) -> None:
    grant = KEYSET.grant(granted)
    assert grant.types == granted | USUALLY
    token = SivCipher(KEYSET, "c").encrypt(value, entity_type)
    cipher = SivCipher(grant, "c")
    if entity_type in grant.types:
        assert cipher.decrypt(token) == value
        assert cipher.encrypt(value, entity_type) == token
    else:
        with pytest.raises(TokenError) as caught:
            cipher.decrypt(token)
        assert caught.value.fault is Fault.NOT_GRANTED
        with pytest.raises(NotGrantedError):
            cipher.encrypt(value, entity_type)


def test_what_is_not_granted_is_told_from_what_is_damaged() -> None:
    cipher = SivCipher(KEYSET.grant([EntityType.PERSON]), "c")
    token = SivCipher(KEYSET, "c").encrypt("Maria Keller", EntityType.PERSON)
    other = token.translate(str.maketrans("Aa", "aA"))
    for damaged in (other if other != token else token[:-2] + "]", "PERSON_[x]", "PERSON_[]"):
        with pytest.raises(TokenError) as caught:
            cipher.decrypt(damaged)
        assert caught.value.fault is not Fault.NOT_GRANTED


@pytest.mark.parametrize(
    ("source", "expected"), [(True, USUALLY | {"PERSON"}), (False, ALWAYS | {"PERSON"})]
)
def test_look_alikes_are_always_granted_and_sources_unless_told_not_to(
    source: bool, expected: frozenset[EntityType]
) -> None:
    assert KEYSET.grant([EntityType.PERSON], source=source).types == expected


def test_a_grant_holds_no_key_but_its_types() -> None:
    """Its whole content, compared with everything that it must not contain."""
    grant = KEYSET.grant([EntityType.PERSON])
    held = {key for keys in export_type_keys(grant).values() for key in keys.values()}
    assert len(held) == 2 * len(grant.types)
    foreign = KEYSET.grant(set(EntityType) - {EntityType.PERSON}, source=False)
    forbidden = {
        key
        for keys in export_type_keys(foreign).values()
        for entity_type, key in keys.items()
        if entity_type not in grant.types
    }
    assert not held & (forbidden | set(export_master_keys(KEYSET).values()))


@pytest.mark.parametrize("purpose", ["passage-id", "entity/PERSON", "entity/US_SSN", "", "x"])
def test_a_grant_derives_nothing_of_the_whole_keyset(purpose: str) -> None:
    grant = KEYSET.grant(EntityType)
    with pytest.raises((KeysetError, ValueError)):
        grant.derive(grant.primary, purpose=purpose, size_bytes=32)


def test_a_grant_is_neither_rotated_pruned_nor_taken_for_a_keyset() -> None:
    grant = KEYSET.grant(EntityType)
    with pytest.raises(KeysetError):
        grant.rotate()
    with pytest.raises(KeysetError):
        grant.without(OLD)
    with pytest.raises(KeysetError):
        export_master_keys(grant)
    assert grant != KEYSET


def test_a_grant_is_narrowed_but_not_widened() -> None:
    grant = KEYSET.grant([EntityType.PERSON, EntityType.LOCATION])
    narrower = grant.grant([EntityType.PERSON])
    assert narrower == KEYSET.grant([EntityType.PERSON])
    with pytest.raises(NotGrantedError, match="PHONE_NUMBER"):
        grant.grant([EntityType.PERSON, EntityType.PHONE_NUMBER])
    without = KEYSET.grant([EntityType.PERSON], source=False)
    assert EntityType.SOURCE not in without.grant([EntityType.PERSON]).types
    with pytest.raises(NotGrantedError, match="SOURCE"):
        without.grant([EntityType.SOURCE])


def test_a_grant_of_chosen_keys_opens_those_alone() -> None:
    tokens = {
        key_id: SivCipher(Keyset(export_master_keys(KEYSET), key_id), "c").encrypt(
            "Maria Keller", EntityType.PERSON
        )
        for key_id in KEYSET.key_ids
    }
    for chosen in KEYSET.key_ids:
        grant = KEYSET.grant([EntityType.PERSON], key_ids=[chosen])
        assert grant.key_ids == (chosen,)
        for key_id, token in tokens.items():
            if key_id == chosen:
                assert SivCipher(grant, "c").decrypt(token) == "Maria Keller"
            else:
                with pytest.raises(DecryptionError):
                    SivCipher(grant, "c").decrypt(token)
    assert KEYSET.grant([], key_ids=reversed(KEYSET.key_ids)).primary == KEYSET.primary


@pytest.mark.parametrize("key_ids", [["00000000"], [], [KEYSET.primary, "00000000"]])
def test_key_ids_that_are_not_there_are_refused(key_ids: list[str]) -> None:
    with pytest.raises(KeysetError):
        KEYSET.grant([EntityType.PERSON], key_ids=key_ids)


def test_a_grant_whose_parts_do_not_fit_is_refused() -> None:
    key, other = bytes(range(32)), bytes(range(1, 33))
    broken: list[dict[str, dict[EntityType, bytes]]] = [
        {"00000000": {EntityType.PERSON: key[:31]}},
        {"00000000": {EntityType.PERSON: key}, "00000001": {EntityType.AGE: other}},
        {"00000001": {EntityType.PERSON: key}},
        {},
    ]
    for keys in broken:
        with pytest.raises(KeysetError):
            Grant(keys, "00000000")


def test_two_grants_together_open_no_third_type() -> None:
    private = [t for t in EntityType if identifiability(t) is not Identifiability.TECHNICAL]
    for first, second in itertools.pairwise(private):
        mine = export_type_keys(KEYSET.grant([first]))[KEYSET.primary]
        theirs = export_type_keys(KEYSET.grant([second]))[KEYSET.primary]
        assert set(mine) & set(theirs) == USUALLY
        assert mine[first] != theirs[second]


def test_repr_shows_key_ids_and_types_only() -> None:
    grant = KEYSET.grant([EntityType.PERSON], source=False)
    assert repr(grant) == f"Grant(key_ids={list(KEYSET.key_ids)}, types=['LITERAL', 'PERSON'])"
    for keys in export_type_keys(grant).values():
        for key in keys.values():
            assert key.hex() not in repr(grant)
            assert repr(key) not in repr(grant)
