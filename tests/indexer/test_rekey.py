"""Rekeying: the same version under another key, with keys alone."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from sage_rag.agents.testing import ReversingAgent
from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.indexer import publishing
from sage_rag.indexer import rekey as rekeying
from sage_rag.indexer.corpus_file import corpus_file_path
from sage_rag.indexer.corpus_file_update import update_corpus_file
from sage_rag.indexer.ledger import locked_corpus
from sage_rag.indexer.passages import RECORDS
from sage_rag.indexer.publishing import hand_over, publish
from sage_rag.indexer.rekey import rekey
from sage_rag.indexer.stores.vocabulary import copy_renamed, index_words
from sage_rag.indexer.testing import HashEmbedder, put_lookup
from sage_rag.indexer.versions import (
    LOOKUP,
    IndexVersion,
    current_path,
    list_versions,
    open_version,
)
from sage_rag.privacy.blind_index import BLIND_WORD, BlindIndex
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.exceptions import KeysetError
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.keyset.raw import export_raw
from sage_rag.privacy.keyset.sources import RAW_VARIABLE, VARIABLE
from sage_rag.privacy.keyset.testing import cheap_scrypt
from sage_rag.privacy.lookup import Lookup
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.testing import forged_lookup
from sage_rag.privacy.tokens import TOKEN, readable_view
from sage_rag.rag_server.cli import GROUP
from sage_rag.rag_server.cli import run as sage_rag
from tests.indexer.conftest import KEYSET, Run, passage_of, rows_of
from tests.indexer.test_pipeline import everything_under, roles_of
from tests.indexer.test_row_order import content

pytestmark = pytest.mark.slow  # each test indexes and publishes

ROTATED = KEYSET.rotate()
NEW_ONLY = ROTATED.without(KEYSET.primary)
VERBS = [EntryPoint("rekey", "sage_rag.indexer.rekey_cli:rekey", GROUP)]


@pytest.fixture
def home(run: Run, tmp_path: Path) -> Path:
    run()
    return tmp_path / "home"


def current(home: Path) -> IndexVersion:
    return open_version(current_path(home, "clinic"), verify=True)


def begins_with(key_id: str) -> bytes:
    """Return how the payload of every token under a key begins: 30 of its 32 bits."""
    return b"_[" + base64.urlsafe_b64encode(bytes.fromhex(key_id))[:5]


def token(keyset: Keyset, name: str) -> str:
    return SivCipher(keyset, "clinic").encrypt(name, EntityType.PERSON)


def documents(version: IndexVersion, ranking: list[tuple[int, float]]) -> dict[str, float]:
    """Return the scores of a ranking by document: rows differ between keys."""
    ids = {row: name for name, row in rows_of(version, ROTATED).items()}
    return {ids[row]: score for row, score in ranking}


def asked(version: IndexVersion, keyset: Keyset, name: str) -> str:
    """Return the name of the one document that a question about somebody finds."""
    ((row, _), *_) = version.layers[RECORDS].search_lexical(token(keyset, name), 3)
    return SivCipher(keyset, "clinic").decrypt(version.passage(row).source)


@pytest.mark.parametrize("recipe", ["sage", "encrypted", "redacted"])
def test_nothing_of_the_old_key_is_left_in_any_file(run: Run, tmp_path: Path, recipe: str) -> None:
    run(recipe=recipe)
    home = tmp_path / "home"
    before = current(home)
    old = begins_with(KEYSET.primary)
    assert old in everything_under(before.path)
    done = rekey(home, "clinic", ROTATED)
    after = current(home)
    written = everything_under(after.path)
    assert after.path == done.path != before.path
    assert old not in written
    assert KEYSET.primary.encode() not in written
    assert begins_with(ROTATED.primary) in written
    before_words, after_words = (index_words(v.path / "lexical") for v in (before, after))
    for word in before_words:
        if TOKEN.fullmatch(word) or BLIND_WORD.fullmatch(word):
            assert word not in after_words
            assert word.encode() not in written
    ids = {before.passage(row).id for row in range(len(before))}
    assert not ids & {after.passage(row).id for row in range(len(after))}


def test_the_lookup_says_the_number_of_its_version(home: Path) -> None:
    rekey(home, "clinic", ROTATED)
    for number in (1, 2):
        version = open_version(home / f"corpora/clinic/versions/{number:06d}")
        assert version.lookup is not None
        assert Lookup.open(version.lookup, ROTATED, "clinic").version == number


def unsign(home: Path) -> None:
    """Give the current version the lookup of an earlier sage-rag."""
    path = current_path(home, "clinic")
    lookup = Lookup.open((path / LOOKUP).read_bytes(), KEYSET, "clinic")
    put_lookup(path, forged_lookup(lookup, KEYSET, "clinic"))


@pytest.mark.parametrize("keyset", [KEYSET, ROTATED], ids=["same key", "new key"])
def test_a_version_of_an_earlier_sage_rag_gets_a_signed_lookup(home: Path, keyset: Keyset) -> None:
    before = current(home)
    ids = [before.passage(row).id for row in range(20)]
    old = Lookup.open(before.lookup or b"", KEYSET, "clinic")
    unsign(home)
    done = rekey(home, "clinic", keyset)
    assert (done.path.name, done.passages) == ("000002", 20)
    version = current(home)
    lookup = Lookup.open(version.lookup or b"", keyset.grant([]), "clinic")
    assert (lookup.version, lookup.policy) == (2, old.policy)
    assert lookup.words == old.words
    assert asked(version, keyset, "Ada Novakf") == "doc-5"
    if keyset is KEYSET:
        assert lookup == replace(old, version=2)
        assert [version.passage(row).id for row in range(20)] == ids
    assert rekey(home, "clinic", keyset).path.name == "000002", "now there is nothing to do"


def test_records_are_found_and_restored_with_the_new_key_alone(home: Path) -> None:
    rekey(home, "clinic", ROTATED)
    version = current(home)
    restorer = Restorer(SivCipher(NEW_ONLY, "clinic"))
    assert asked(version, NEW_ONLY, "Ada Novakf") == "doc-5"
    passage = passage_of(version, "doc-3", NEW_ONLY)
    assert "Ada Novakd" in restorer.restore(passage.text)
    assert version.layers[RECORDS].search_lexical(token(KEYSET, "Ada Novakf"), 3) == []


def test_parts_of_names_find_their_records_as_before(home: Path) -> None:
    def by_part(version: IndexVersion, keyset: Keyset) -> dict[str, float]:
        words = BlindIndex(keyset, "clinic").words("Novakf", EntityType.PERSON)
        return documents(version, version.layers[RECORDS].search_lexical(" ".join(words), 5))

    before = by_part(current(home), KEYSET)
    assert before
    rekey(home, "clinic", ROTATED)
    assert by_part(current(home), NEW_ONLY) == before
    assert by_part(current(home), KEYSET) == {}


def test_ranks_and_scores_of_other_words_are_as_they_were(home: Path) -> None:
    before = current(home)
    rekey(home, "clinic", ROTATED)
    after = current(home)
    vector = HashEmbedder().embed(["complaint number 7"])[0]
    for search in (
        *(lambda version, w=w: version.layers[RECORDS].search_lexical(w, 20)
          for w in ("remedy number 7", "complaint", "awake nights of May", "zzz")),
        lambda version: version.layers[RECORDS].search_dense(vector, 20),
    ):  # fmt: skip
        assert documents(after, search(after)) == documents(before, search(before))


def test_vectors_stay_because_the_readable_view_does(home: Path) -> None:
    before = current(home)
    rekey(home, "clinic", ROTATED)
    after = current(home)
    embedder = HashEmbedder()
    for document_id, row in rows_of(after, ROTATED).items():
        old = readable_view(passage_of(before, document_id).text)
        new = readable_view(after.passage(row).text)
        assert old == new
        vector = embedder.embed([new])[0]
        assert np.isclose(dict(after.layers[RECORDS].search_dense(vector, 20))[row], 1.0)


def test_a_rekeyed_version_equals_one_that_is_indexed_under_the_new_key(
    home: Path, run: Run
) -> None:
    old_order = [*rows_of(current(home))]
    rekey(home, "clinic", ROTATED)
    rekeyed = current(home)
    run(keyset=ROTATED)
    indexed = current(home)
    assert rekeyed.path != indexed.path
    first, second = content(rekeyed.path), content(indexed.path)
    lookups = [Lookup.open(found.pop(LOOKUP), ROTATED, "clinic") for found in (first, second)]
    assert first == second
    assert lookups[0] == replace(lookups[1], version=2), "it says the number of its version"
    assert [*rows_of(rekeyed, ROTATED)] != old_order


def test_the_manifest_says_the_new_key_and_otherwise_the_same(home: Path) -> None:
    before = current(home).manifest
    rekey(home, "clinic", ROTATED)
    after = current(home).manifest
    assert after.key_ids == (ROTATED.primary,)
    changed = {"key_ids", "version", "files", "created"}
    assert after.model_dump(exclude=changed) == before.model_dump(exclude=changed)


def test_the_old_version_is_untouched_and_opens_with_the_rotated_keyset(home: Path) -> None:
    old = current(home).path
    before = everything_under(old)
    assert rekey(home, "clinic", ROTATED).outdated == ("000001",)
    assert everything_under(old) == before
    version = open_version(old, verify=True)
    restorer = Restorer(SivCipher(ROTATED, "clinic"))
    assert "Ada Novakd" in restorer.restore(passage_of(version, "doc-3").text)
    assert asked(version, KEYSET, "Ada Novakf") == "doc-5"


def test_an_old_grant_reads_the_old_version_and_not_the_new(home: Path) -> None:
    grant = KEYSET.grant([EntityType.PERSON])
    old = current(home)
    rekey(home, "clinic", ROTATED)
    restorer = Restorer(SivCipher(grant, "clinic"))
    assert "Ada Novakd" in restorer.restore(passage_of(old, "doc-3").text)
    assert "Ada" not in restorer.restore(passage_of(current(home), "doc-3", ROTATED).text)


def test_a_second_time_there_is_nothing_to_do(home: Path) -> None:
    rekey(home, "clinic", ROTATED)
    done = rekey(home, "clinic", ROTATED)
    assert (done.tokens, done.words, done.path.name) == (0, 0, "000002")
    assert list_versions(home / "corpora/clinic") == ["000001", "000002"]


def test_without_an_old_key_nothing_is_published_and_counts_are_named(home: Path) -> None:
    fresh = Keyset.generate()
    with pytest.raises(KeysetError, match=r"^(\d+) of \1 tokens cannot be opened") as caught:
        rekey(home, "clinic", fresh)
    assert caught.value.hint == f"it lacks key {KEYSET.primary}"
    assert list_versions(home / "corpora/clinic") == ["000001"]


def published(home: Path, text: str, lexical: str | None = None) -> None:
    """Publish a version of one passage under the old key."""
    from sage_rag.indexer.passages import Passage

    source = SivCipher(KEYSET, "clinic").encrypt("doc", EntityType.SOURCE)
    manifest = {
        "corpus": "clinic", "recipe": "sage", "protection": "synthetic", "policy": "sage",
        "agents": None, "embedder": "hash-64", "key_ids": (KEYSET.primary,),
        "counts": {"passages": 1},
    }  # fmt: skip
    publish(
        home,
        "clinic",
        [Passage("p-1", source, {"text": text})],
        HashEmbedder().embed([readable_view(text)]),
        lexical=[lexical or text],
        manifest=manifest,
        report={},
    )


@pytest.mark.parametrize("forged", ["PERSON_[forged]", f"PERSON_[{'A' * 48}]"])
def test_one_token_that_does_not_open_stops_it(tmp_path: Path, forged: str) -> None:
    published(tmp_path, f"{token(KEYSET, 'Ada Novak')} and {forged} rest")
    with pytest.raises(KeysetError, match="1 of 3 tokens") as caught:
        rekey(tmp_path, "clinic", ROTATED)
    assert forged not in f"{caught.value.message} {caught.value.hint}"
    assert current_path(tmp_path, "clinic").name == "000001"


def test_a_blind_word_of_nobody_stops_it(tmp_path: Path) -> None:
    ada = token(KEYSET, "Ada Novak")
    published(tmp_path, f"{ada} rests", f"{ada} rests PERSON~{'a' * 16}")
    with pytest.raises(KeysetError, match="1 blind words"):
        rekey(tmp_path, "clinic", ROTATED)
    assert current_path(tmp_path, "clinic").name == "000001"


def test_tokens_of_every_type_and_look_alikes_are_made_again(tmp_path: Path) -> None:
    cipher = SivCipher(KEYSET, "clinic")
    values = {t: f"value {number} PERSON_[x]" for number, t in enumerate(EntityType)}
    published(tmp_path, " ".join(cipher.encrypt(v, t) for t, v in values.items()))
    assert rekey(tmp_path, "clinic", ROTATED).tokens == len(EntityType) + 1
    restored = Restorer(SivCipher(NEW_ONLY, "clinic")).restore(current(tmp_path).passage(0).text)
    assert restored == " ".join(values.values())


def test_what_is_left_in_a_file_all_the_same_stops_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        rekeying, "copy_renamed", lambda s, t, renamed, order: copy_renamed(s, t, {}, order)
    )
    with pytest.raises(ProtectionError, match="of another key would remain"):
        rekey(home, "clinic", ROTATED)
    assert current_path(home, "clinic").name == "000001"


@pytest.mark.parametrize(
    "where", ["write_passages", "copy_renamed", "_check", "_sync", "open_version", "move_pointer"]
)
def test_killed_anywhere_the_old_version_stays_and_the_next_run_goes_through(
    home: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt  # nothing of publishing cleans up after it

    module = rekeying if where in ("write_passages", "copy_renamed", "_check") else publishing
    with monkeypatch.context() as patch:
        patch.setattr(module, where, killed)
        with pytest.raises(KeyboardInterrupt):
            rekey(home, "clinic", ROTATED)
    assert current(home).path.name == "000001"
    assert asked(current(home), KEYSET, "Ada Novakf") == "doc-5"
    rekey(home, "clinic", ROTATED)
    assert asked(current(home), NEW_ONLY, "Ada Novakf") == "doc-5"
    assert not (home / "corpora/clinic/versions/.staging").exists()


def test_a_full_disk_leaves_the_old_version(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rekeying, "copy_renamed", full)
    with pytest.raises(InputError, match="No space left"):
        rekey(home, "clinic", ROTATED)
    assert [p.name for p in (home / "corpora/clinic/versions").iterdir()] == ["000001"]


def test_a_damaged_version_is_not_rekeyed(home: Path) -> None:
    passages = current_path(home, "clinic") / "passages.jsonl"
    passages.write_bytes(passages.read_bytes().replace(b"remedy", b"poison"))
    with pytest.raises(InputError, match="was changed"):
        rekey(home, "clinic", ROTATED)


def test_what_cannot_be_rekeyed_says_why(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(InputError, match="no corpus"):
        rekey(home, "clinic", ROTATED)
    assert not (home / "owner").exists()
    update_corpus_file(
        corpus_file_path(home, "new"), {"source": str(tmp_path), "recipe": "encrypted"}
    ).write()
    with pytest.raises(InputError, match="`new` has no version yet") as caught:
        rekey(home, "new", ROTATED)
    assert "sage-rag index new" in str(caught.value.hint)
    with pytest.raises(InputError, match="cannot name a corpus"):
        rekey(home, "../clinic", ROTATED)
    run(recipe="origin", keyset=None)
    with pytest.raises(InputError, match="without keys"):
        rekey(home, "clinic", ROTATED)
    with pytest.raises(KeysetError, match="grant"):
        rekey(home, "clinic", ROTATED.grant(EntityType))


def test_it_waits_for_nobody_who_is_indexing(home: Path) -> None:
    with locked_corpus(home / "owner/clinic"), pytest.raises(InputError, match="another run"):
        rekey(home, "clinic", ROTATED)


def test_a_server_takes_the_rekeyed_version_alone(home: Path, tmp_path: Path) -> None:
    rekey(home, "clinic", ROTATED)
    hand_over(home, "clinic", tmp_path / "server")
    assert begins_with(KEYSET.primary) not in everything_under(tmp_path / "server")


@pytest.mark.parametrize("rekeyed_before", [False, True])
def test_after_a_rotation_indexing_renews_tokens_without_the_agents(
    run: Run, tmp_path: Path, rekeyed_before: bool
) -> None:
    agent = ReversingAgent()
    run(roles=roles_of(agent))
    home = tmp_path / "home"
    if rekeyed_before:
        rekey(home, "clinic", ROTATED)
    ids = [current(home).passage(row).id for row in range(20)]
    embedder = HashEmbedder()
    summary = run(roles=roles_of(agent), keyset=ROTATED, embedder=embedder)
    assert (summary.resumed, agent.extracted, embedder.embedded) == (20, 20, 0)
    version = current(home)
    assert begins_with(KEYSET.primary) not in everything_under(version.path)
    assert asked(version, NEW_ONLY, "Ada Novakf") == "doc-5"
    if rekeyed_before:
        assert [version.passage(row).id for row in range(20)] == ids


def test_two_words_never_become_one(tmp_path: Path, home: Path) -> None:
    lexical = current_path(home, "clinic") / "lexical"
    first, second, *_ = index_words(lexical)
    with pytest.raises(ValueError, match="one"):
        copy_renamed(lexical, tmp_path / "copy", {first: second}, np.arange(20))


def test_an_older_version_that_cannot_be_read_is_outdated_and_no_failure(home: Path) -> None:
    rekey(home, "clinic", ROTATED)
    (current(home).path.parent / "000001" / "manifest.json").unlink()
    assert rekey(home, "clinic", ROTATED.rotate()).outdated == ("000001", "000002")


def test_the_verb_prints_counts_and_which_versions_are_open_still(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, "correct horse")
    monkeypatch.delenv(RAW_VARIABLE, raising=False)
    line = ["rekey", "clinic", "--home", str(home), "--keyset", str(tmp_path / "k")]
    with cheap_scrypt():
        write_keyset(tmp_path / "k", ROTATED, "correct horse")
        assert sage_rag(line, VERBS) == 0
    shown = capsys.readouterr()
    printed = json.loads(shown.out)
    assert (printed["passages"], printed["tokens"], printed["outdated"]) == (20, 40, ["000001"])
    assert "made under other keys" in shown.err
    assert "000001" in shown.err
    assert "until you delete them" in shown.err
    monkeypatch.setenv(RAW_VARIABLE, export_raw(ROTATED))
    assert sage_rag(line[:-2], VERBS) == 0
    assert "already" in capsys.readouterr().err
    monkeypatch.setenv(RAW_VARIABLE, export_raw(ROTATED.grant([EntityType.PERSON])))
    assert sage_rag(line[:-2], VERBS) == 3
    assert "grant" in capsys.readouterr().err
