"""Short pseudonyms and their sealed table."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.ciphers.faults import Fault, TokenError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.keyset import Keyset, export_master_keys
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.ciphers.codebook import CodebookCipher, codebook_writer
from sage_rag.training.ciphers.codewords import (
    code_count,
    displayed_type,
    draw_code,
    family,
    first_words,
    type_of_code,
    word_lists,
)

KEYSET = Keyset.generate()
PERSON, SSN = EntityType.PERSON, EntityType.US_SSN
NAMES = [f"Ada Novak {number}" for number in range(300)]


def written(path: Path, keyset: Keyset, values: dict[str, EntityType]) -> list[str]:
    with codebook_writer(path, keyset, "clinic") as cipher:
        return [cipher.encrypt(value, entity_type) for value, entity_type in values.items()]


@given(st.text(max_size=100), st.sampled_from(EntityType))
def test_every_value_comes_back_before_anything_is_written(
    value: str, entity_type: EntityType
) -> None:
    cipher = CodebookCipher(Path("nowhere"), KEYSET, "clinic")
    token = cipher.encrypt(value, entity_type)
    assert TOKEN.fullmatch(token)
    assert cipher.decrypt(token) == value
    assert cipher.encrypt(value, entity_type) == token


def test_the_key_alone_opens_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"
    values = dict.fromkeys(NAMES, PERSON) | {"123-45-6789": SSN}
    tokens = written(path, KEYSET, values)
    assert len(set(tokens)) == len(values)
    reader = CodebookCipher(path, KEYSET, "clinic")
    assert [reader.decrypt(token) for token in tokens] == list(values)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_text()
    assert "Novak" not in content
    assert not any(word in content for word in ("123-45", tokens[0][8:-1]))


def test_new_values_are_added_and_old_ones_keep_their_codes(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"
    first = written(path, KEYSET, dict.fromkeys(NAMES[:100], PERSON))
    both = written(path, KEYSET, dict.fromkeys(NAMES, PERSON))
    assert both[:100] == first
    assert CodebookCipher(path, KEYSET, "clinic").decrypt(both[-1]) == NAMES[-1]


def test_codes_do_not_depend_on_the_order_of_values(tmp_path: Path) -> None:
    forward = written(tmp_path / "a", KEYSET, dict.fromkeys(NAMES, PERSON))
    backward = written(tmp_path / "b", KEYSET, dict.fromkeys(reversed(NAMES), PERSON))
    # Two of 300 values meet at one code of four million with a chance of one in a hundred.
    assert sum(a != b for a, b in zip(forward, reversed(backward), strict=True)) <= 2


def test_a_code_that_is_taken_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def crowded(key: bytes, value: str, attempt: int, entity_type: EntityType) -> str:
        return draw_code(key, "everybody", attempt, entity_type)

    monkeypatch.setattr("sage_rag.training.ciphers.codebook.draw_code", crowded)
    cipher = CodebookCipher(Path("nowhere"), KEYSET, "clinic")
    tokens = {name: cipher.encrypt(name, PERSON) for name in NAMES[:20]}
    assert len(set(tokens.values())) == 20
    assert all(cipher.decrypt(token) == name for name, token in tokens.items())


def test_corpus_key_and_type_give_other_codes() -> None:
    def codes(keyset: Keyset, corpus: str, entity_type: EntityType) -> list[str]:
        cipher = CodebookCipher(Path("nowhere"), keyset, corpus)
        return [cipher.encrypt(name, entity_type).partition("_")[2] for name in NAMES[:20]]

    drawn = [
        codes(KEYSET, "clinic", PERSON),
        codes(KEYSET, "court", PERSON),
        codes(Keyset.generate(), "clinic", PERSON),
        codes(KEYSET, "clinic", EntityType.USERNAME),
    ]
    for place, one in enumerate(drawn):
        for other in drawn[place + 1 :]:
            assert sum(a == b for a, b in zip(one, other, strict=True)) <= 1


def test_types_of_a_family_share_no_code_and_tell_themselves_apart() -> None:
    kin = family(EntityType.ID)
    assert {EntityType.ID, SSN, EntityType.MEDICAL_RECORD} <= set(kin)
    words = [word for entity_type in kin for word in first_words(entity_type)]
    assert sorted(words) == sorted(word_lists()[0])
    second = word_lists()[1][0]
    for entity_type in EntityType:
        code = f"{first_words(entity_type)[-1]}_{second}"
        assert type_of_code(code, displayed_type(entity_type)) == entity_type


def test_no_word_is_twice_in_a_list_or_breaks_the_grammar() -> None:
    for words in word_lists():
        assert len(set(words)) == len(words) > 1000
        assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


@pytest.mark.parametrize(
    ("token", "fault"),
    [
        ("PERSON_[]", Fault.MALFORMED),
        ("PERSON_[Ada_Novak]", Fault.MALFORMED),
        (f"US_SSN_[{first_words(SSN)[0]}_{word_lists()[1][0]}]", Fault.MALFORMED),
        (f"ID_[{first_words(SSN)[0]}_{word_lists()[1][0]}]", Fault.FORGED),
        (f"PERSON_[{word_lists()[0][0]}_{word_lists()[1][0]}]", Fault.FORGED),
        ("Ada Novak", Fault.MALFORMED),
    ],
)
def test_a_code_that_is_nobodys_is_refused(token: str, fault: Fault) -> None:
    with pytest.raises(TokenError) as caught:
        CodebookCipher(Path("nowhere"), KEYSET, "clinic").decrypt(token)
    assert caught.value.fault == fault


@given(st.text(max_size=60) | st.from_regex(TOKEN, fullmatch=True))
def test_any_text_is_refused_without_a_word_of_it(text: str) -> None:
    with pytest.raises(TokenError) as caught:
        CodebookCipher(Path("nowhere"), KEYSET, "clinic").decrypt(text)
    assert str(caught.value) == "the token cannot be opened with this keyset"


def test_a_grant_opens_the_tables_of_its_types_only(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"
    name, number = written(path, KEYSET, {"Ada Novak": PERSON, "123-45-6789": SSN})
    reader = CodebookCipher(path, KEYSET.grant([PERSON]), "clinic")
    assert reader.decrypt(name) == "Ada Novak"
    with pytest.raises(TokenError) as caught:
        reader.decrypt(number)
    assert caught.value.fault == Fault.NOT_GRANTED
    with pytest.raises(KeysetError):
        reader.encrypt("987-65-4321", SSN)


def test_old_keys_still_open_and_new_codes_avoid_theirs(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"
    (old,) = written(path, KEYSET, {"Ada Novak": PERSON})
    fresh = Keyset.generate()
    keys = export_master_keys(KEYSET) | export_master_keys(fresh)
    both = Keyset(keys, fresh.primary)
    (new,) = written(path, both, {"Ada Novak": PERSON})
    assert new != old
    reader = CodebookCipher(path, both, "clinic")
    assert reader.decrypt(new) == reader.decrypt(old) == "Ada Novak"

    alone = CodebookCipher(path, fresh, "clinic")
    assert alone.decrypt(new) == "Ada Novak"
    with pytest.raises(TokenError) as caught:
        alone.decrypt(old)
    assert caught.value.fault == Fault.UNKNOWN_KEY
    with pytest.raises(KeysetError, match="a key that this keyset lacks"):
        alone.encrypt("Jo Falk", PERSON)


def flip(row: dict[str, Any], part: str) -> None:
    row[part] = ("B" if row[part][0] == "A" else "A") + row[part][1:]


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: flip(rows[0], "ciphertext"),
        lambda rows: flip(rows[0], "tag"),
        lambda rows: flip(rows[0], "nonce"),
        lambda rows: rows[0].update(nonce=""),
        lambda rows: rows[0].update(rows[1] | {"entity_type": "PERSON"}),
    ],
    ids=["ciphertext", "tag", "nonce", "no nonce", "another type's table"],
)
def test_a_changed_table_does_not_open(
    tmp_path: Path, change: Callable[[list[dict[str, Any]]], None]
) -> None:
    path = tmp_path / "codebook.json"
    token, _ = written(path, KEYSET, {"Ada Novak": PERSON, "123-45-6789": SSN})
    content = json.loads(path.read_text())
    change(content["tables"])
    path.write_text(json.dumps(content))
    with pytest.raises(KeysetError, match="changed or moved") as caught:
        CodebookCipher(path, KEYSET, "clinic").decrypt(token)
    assert not isinstance(caught.value, TokenError)


def test_the_codebook_of_another_corpus_does_not_open(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"
    (token,) = written(path, KEYSET, {"Ada Novak": PERSON})
    with pytest.raises(InputError, match="another corpus"):
        CodebookCipher(path, KEYSET, "court")
    path.write_text(path.read_text().replace('"clinic"', '"court"'))
    with pytest.raises(KeysetError, match="changed or moved"):
        CodebookCipher(path, KEYSET, "court").decrypt(token)


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
ENVELOPES = st.fixed_dictionaries(
    {"format": st.just("sage-rag-codebook-1"), "corpus": st.just("clinic")},
    optional={"tables": JSON.filter(lambda value: value not in ([], {}, ""))},
)


@given(content=st.binary(max_size=200) | (JSON | ENVELOPES).map(lambda v: json.dumps(v).encode()))
def test_any_other_file_is_no_codebook(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("codebook") / "codebook.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a codebook"):
        CodebookCipher(path, KEYSET, "clinic")


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"
    with (
        codebook_writer(path, KEYSET, "clinic"),
        pytest.raises(InputError, match="another process"),
        codebook_writer(path, KEYSET, "clinic"),
    ):
        pass


def test_a_block_that_fails_keeps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "codebook.json"

    def interrupted() -> None:
        with codebook_writer(path, KEYSET, "clinic") as cipher:
            cipher.encrypt("Ada Novak", PERSON)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not path.exists()


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "codebook.json"
    (token,) = written(path, KEYSET, {"Ada Novak": PERSON})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sage_rag.common.files.os.fsync", full)
    with pytest.raises(InputError, match="No space left"):
        written(path, KEYSET, {"Jo Falk": PERSON})
    assert CodebookCipher(path, KEYSET, "clinic").decrypt(token) == "Ada Novak"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["codebook.json", "codebook.json.lock"]


def test_size_tells_the_number_of_values_only_in_steps(tmp_path: Path) -> None:
    sizes = set()
    for count in (1, 20):
        path = tmp_path / str(count)
        written(path, KEYSET, dict.fromkeys(NAMES[:count], PERSON))
        sizes.add(path.stat().st_size)
    assert len(sizes) == 1


def test_a_full_codebook_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sage_rag.training.ciphers.codebook.MAX_LOAD", 10 / code_count(PERSON))
    cipher = CodebookCipher(Path("nowhere"), KEYSET, "clinic")
    for name in NAMES[:10]:
        cipher.encrypt(name, PERSON)
    with pytest.raises(InputError, match="full: 10 values of PERSON"):
        cipher.encrypt(NAMES[10], PERSON)
    assert cipher.encrypt(NAMES[3], PERSON)
