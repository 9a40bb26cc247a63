"""Blind words of a corpus: in the lexical index alone, always of the current key."""

import asyncio
from dataclasses import replace
from importlib import resources
from pathlib import Path

from sage_rag.indexer.corpus import Document
from sage_rag.indexer.layers import LEXICAL, PASSAGES
from sage_rag.indexer.passages import RECORDS
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.stores.vocabulary import index_words
from sage_rag.indexer.treatment import Treatment
from sage_rag.indexer.versions import current_path, open_version
from sage_rag.privacy.blind_index import BLIND_WORD, BlindIndex, PartWords
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.testing import TableRecognizer
from tests.indexer.conftest import KEYSET, NAMES, Run, record

NAME = next(iter(NAMES))
PERSON = EntityType.PERSON


def words_in(home: Path) -> set[str]:
    vocabulary = index_words(current_path(home, "clinic") / LEXICAL)
    return {word for word in vocabulary if BLIND_WORD.fullmatch(word)}


def words_of(keyset: Keyset, *names: str) -> set[str]:
    index = BlindIndex(keyset, "clinic")
    return {word for name in names for word in index.words(name, PERSON)}


def test_every_value_of_every_record_has_its_words_in_the_lexical_index(run: Run, tmp_path: Path):
    run()
    assert words_in(tmp_path / "home") == words_of(KEYSET, *NAMES)


def test_no_other_file_of_a_version_or_of_the_owner_holds_a_blind_word(run: Run, tmp_path: Path):
    run()
    home = tmp_path / "home"
    assert "~" not in (current_path(home, "clinic") / PASSAGES).read_text("utf-8")
    needles = [word.encode() for word in words_of(KEYSET, *NAMES)]
    for path in home.rglob("*"):
        if path.is_file() and LEXICAL not in path.parts:
            content = path.read_bytes()
            assert not any(needle in content for needle in needles), path.name


def test_the_record_is_found_by_a_family_name_alone(run: Run, tmp_path: Path):
    run()
    version = open_version(current_path(tmp_path / "home", "clinic"))
    family = words_of(KEYSET, NAME.split(" ")[1])
    [(row, _)] = version.layers[RECORDS].search_lexical(" ".join(family), 5)
    source = version.passage(row).source
    version.close()
    assert source.startswith("SOURCE_[")


def test_a_new_key_renews_the_words_and_no_draft(run: Run, tmp_path: Path):
    run()
    rotated = KEYSET.rotate()
    assert run(keyset=rotated).resumed == len(NAMES)
    assert words_in(tmp_path / "home") == words_of(rotated, *NAMES) != words_of(KEYSET, *NAMES)


def test_part_words_are_the_policys_choice_and_changing_it_makes_no_draft_anew(tmp_path: Path):
    written = (
        resources.files("sage_rag.privacy").joinpath("policies", "soe-all.toml").read_text("utf-8")
    )
    own = tmp_path / "soe-all.toml"
    own.write_text(f'part_words = "none"\n{written}', "utf-8")
    fields = record(0)
    document = Document(fields.pop("id"), fields)

    def treatment(policy: str) -> Treatment:
        recipe = replace(recipe_called("encrypted"), policy=policy)
        return Treatment(recipe, KEYSET, "clinic", TableRecognizer(NAMES), None)

    usual, without = treatment("soe-all"), treatment(str(own))
    assert usual.fingerprint == without.fingerprint
    result = asyncio.run(usual.treat(document))
    assert set(usual.sealer.seal(result).words) == words_of(KEYSET, NAME)
    whole_only = BlindIndex(KEYSET, "clinic", PartWords.NONE).words(NAME, PERSON)
    assert without.sealer.seal(result).words == whole_only


def test_a_recipe_without_keys_has_none(run: Run, tmp_path: Path):
    assert recipe_called("origin").policy is None
    run(recipe="origin", keyset=None)
    assert words_in(tmp_path / "home") == set()
