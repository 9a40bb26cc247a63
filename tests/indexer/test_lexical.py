import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.indexer.stores import lexical
from sage_rag.indexer.stores.lexical import LexicalIndex, lexical_words, searchable
from sage_rag.privacy.blind_index import BlindIndex, PartWords
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset

KEYSET = Keyset.generate()
WORDS = BlindIndex(KEYSET, "clinic", PartWords.ALL)
CIPHER = SivCipher(KEYSET, "clinic")


def marks(*names: str) -> list[str]:
    tokens = [CIPHER.encrypt(name, EntityType.PERSON) for name in names]
    return [*tokens, *WORDS.words_of_tokens(tokens, CIPHER)]


@pytest.fixture
def search(tmp_path):
    def over(*records: tuple[str, list[str]]):
        LexicalIndex.write([searchable(text, words) for text, words in records], tmp_path / "lex")
        index = LexicalIndex.open(tmp_path / "lex")
        return lambda *names: [row for row, _ in index.search(" ".join(marks(*names)), 10)]

    return over


def test_part_of_a_name_finds_the_record_of_the_whole(search):
    ask = search(("gout", marks("Vera Holm")), ("a cough", marks("Maria Keller")))
    assert ask("Keller") == [1]
    assert ask("Maria") == [1]
    assert ask("Anna") == []


@pytest.mark.parametrize("length", [0, 300])
def test_the_record_of_the_whole_name_outranks_those_that_share_a_part(search, length):
    wanted = " ".join(f"word{i}" for i in range(length)), marks("Maria Keller")
    others = [("short", marks(name)) for name in ("Anna Keller", "Maria Holm", "Keller", "Maria")]
    both_parts = "short", marks("Maria Holm", "Anna Keller")
    assert search(*others, both_parts, wanted)("Maria Keller")[0] == len(others) + 1


def test_a_part_beside_a_whole_name_outranks_the_whole_name_alone(search):
    doctor = [("note", marks("Abe Oye")) for _ in range(5)]
    ask = search(*doctor, ("note", marks("Abe Oye", "Maria Keller")))
    assert ask("Abe Oye", "Keller")[0] == 5


def test_a_text_that_imitates_a_blind_word_is_not_taken_for_one():
    word = WORDS.words("Keller", EntityType.PERSON)[0]
    assert word in lexical_words(searchable("a cough", [word]))
    assert word not in lexical_words(searchable(f"a cough {word}", []))


def test_words_and_marks_add_up(search, tmp_path):
    search(("knee pain", marks("Ada Novak")), ("knee pain", marks("Vera Holm")))
    found = LexicalIndex.open(tmp_path / "lex").search(" ".join(["knee", *marks("Holm")]), 5)
    assert [row for row, _ in found] == [1, 0]


def test_a_group_counts_as_the_word_that_its_values_share(tmp_path):
    long = " ".join(f"word{i}" for i in range(30))
    texts = ["PERSON_[aa] and PERSON_[bb] cough", f"PERSON_[aa] {long}", "a cough", "PERSON_[cc]"]
    LexicalIndex.write(texts, tmp_path / "lex")
    index = LexicalIndex.open(tmp_path / "lex")
    group = ["PERSON_[aa]", "PERSON_[bb]", "PERSON_[zz]"]
    found = index.search("", 9, groups=[group])
    assert [row for row, _ in found] == [0, 1]
    assert found[0][1] > found[1][1] > 0
    plain = ["keller and keller cough", f"keller {long}", "a cough", "holm"]
    LexicalIndex.write(plain, tmp_path / "plain")
    expected = LexicalIndex.open(tmp_path / "plain").search("keller", 9)
    assert found[1][1] == pytest.approx(expected[1][1], rel=0.01)
    assert index.search("", 9, groups=[["PERSON_[zz]"]]) == []


@given(st.text(st.sampled_from("aB_[~\u4e2d' dé1-."), max_size=40))
def test_a_text_has_the_same_words_with_and_without_a_token(text):
    token = "PERSON_[aa]"
    assert lexical_words(f"{text} {token}") == [*lexical_words(f"{text} "), token]


@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), min_size=1),
    st.integers(1, 20),
    st.randoms(),
)
def test_the_best_rows_are_those_of_a_sort_of_all(scores, most, choice):
    rows = sorted(choice.sample(range(len(scores)), choice.randint(0, len(scores))))
    best = sorted((r for r in rows if scores[r] > 0), key=lambda r: (-scores[r], r))[:most]
    found = lexical._best(np.array(scores, np.float32), np.array(rows, np.int64), most)
    assert found.tolist() == best
