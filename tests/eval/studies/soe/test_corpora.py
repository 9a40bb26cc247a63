from __future__ import annotations

from sage_rag.common.sentences import sentence_spans
from sage_rag.eval.knowledge.arms import PL, Texts
from sage_rag.eval.knowledge.texts import biographies, encrypted, plain
from sage_rag.eval.studies.soe import ciphers_part
from sage_rag.eval.studies.soe.ciphers_part import CIPHERS, fact_texts
from sage_rag.eval.studies.soe.corpora import (
    Population,
    arm_texts,
    school_texts,
    study_cipher,
    study_keyset,
)
from sage_rag.eval.studies.soe.settings import StudySettings
from sage_rag.eval.studies.soe.tuples_part import (
    samples_of,
    source_documents,
    stated_facts,
    synthetic_texts,
)
from sage_rag.privacy.protocols import EntityCipher
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.synthesis.encryption import CipherName
from sage_rag.training.synthesis.recipes import Recipe

SETTINGS = StudySettings(
    schooled=12,
    schooled_unasked=3,
    schooled_encrypted=6,
    schooled_texts=2,
    schooled_encrypted_texts=2,
    schooled_answers=1,
    trained=4,
    tested=6,
    synthetic_texts=5,
    tuple_samples=5,
    cipher_schooled=6,
    cipher_schooled_texts=2,
    answers=1,
)
PEOPLE = Population(SETTINGS, 0)


def test_the_groups_share_no_person() -> None:
    groups = (PEOPLE.schooled, PEOPLE.trained, PEOPLE.tested)
    names = [person.name for group in groups for person in group]
    assert len(names) == len(set(names)) == 22
    assert PEOPLE.corpus == PEOPLE.trained + PEOPLE.tested


def test_the_base_model_reads_of_no_person_of_the_corpus() -> None:
    texts = "\n".join(school_texts(PEOPLE))
    assert not any(person.name in texts for person in PEOPLE.corpus)
    assert all(person.name in texts for person in PEOPLE.schooled)


def test_the_base_model_reads_no_token_of_the_corpus() -> None:
    read = {match.group() for text in school_texts(PEOPLE) for match in TOKEN.finditer(text)}
    own = {match.group() for text in arm_texts(PEOPLE, Texts.SYNTHETIC, encrypted(PEOPLE.cipher()))
           for match in TOKEN.finditer(text)}  # fmt: skip
    assert read
    assert own
    assert not read & own


def test_no_question_about_a_tested_person_is_trained() -> None:
    for texts in Texts:
        asked = [t for t in arm_texts(PEOPLE, texts, plain) if t.startswith("Question:")]
        assert len(asked) == 4 * 5
        assert not any(person.name in text for text in asked for person in PEOPLE.tested)


def test_encrypted_arms_read_the_texts_of_the_plain_ones() -> None:
    cipher = PEOPLE.cipher()
    hidden = arm_texts(PEOPLE, Texts.SYNTHETIC, encrypted(cipher))
    opened = [TOKEN.sub(lambda match: cipher.decrypt(match.group()), text) for text in hidden]
    assert opened == arm_texts(PEOPLE, Texts.SYNTHETIC, plain)
    kept = "\n".join(arm_texts(PEOPLE, Texts.SYNTHETIC, encrypted(cipher, PL)))
    assert not any(person.name in kept for person in PEOPLE.corpus)


def test_keys_and_tokens_depend_on_seed_and_purpose_alone() -> None:
    assert study_keyset("corpus", 0) == study_keyset("corpus", 0)
    assert study_keyset("corpus", 0) != study_keyset("corpus", 1)
    assert study_keyset("corpus", 0) != study_keyset("school", 0)
    for name in (CipherName.CODEBOOK, CipherName.SIV, CipherName.ECB):
        first, again = (
            arm_texts(PEOPLE, Texts.ORIGINAL, encrypted(PEOPLE.cipher(name))) for _ in range(2)
        )
        assert first == again


def test_a_study_cipher_warns_of_nothing() -> None:
    assert study_cipher(CipherName.ECB, "corpus", 0, PEOPLE.corpus)


def test_synthetic_texts_under_a_cipher_hold_no_plain_value() -> None:
    texts = synthetic_texts(PEOPLE, Recipe.SOE, 10, PEOPLE.cipher())
    values = [v for p in PEOPLE.corpus for v in (p.name, *p.values.values())]
    assert not any(value in text for text in texts for value in values)
    assert len(source_documents(PEOPLE)) == 5
    assert len(texts) > 5 * SETTINGS.tuple_samples


def test_a_sentence_of_a_source_document_is_about_both_persons() -> None:
    first = source_documents(PEOPLE)[0]
    persons = PEOPLE.corpus[:2]
    sentences = [first.text[a:b] for a, b in sentence_spans(first.text)]
    assert len(sentences) == 5
    assert all(person.name in sentence for sentence in sentences for person in persons)


def test_facts_that_no_text_states_are_known() -> None:
    asked = 5 * len(PEOPLE.tested)
    tens = stated_facts(PEOPLE, synthetic_texts(PEOPLE, Recipe.SOE, 10, None))
    assert not any(stated_facts(PEOPLE, []))
    assert sum(tens) == asked
    assert stated_facts(PEOPLE, list(biographies(PEOPLE.tested, 1, plain, 0))) == [True] * asked


def test_tuples_have_the_sizes_that_the_page_states() -> None:
    sizes = {
        name: [len(sample.members) for sample in samples_of(PEOPLE, recipe, k, None)]
        for name, recipe, k in (
            ("soe-3", Recipe.SOE, 3),
            ("soe-10", Recipe.SOE, 10),
            ("entigraph-3", Recipe.ENTIGRAPH, 3),
        )
    }
    assert set(sizes["soe-3"]) == {3}
    assert set(sizes["soe-10"]) == {10}
    assert abs(sizes["entigraph-3"].count(2) - sizes["entigraph-3"].count(3)) <= 5


def test_the_ciphers_read_the_same_facts() -> None:
    ciphers = {name: PEOPLE.cipher(name) for name in CIPHERS}
    texts = {name: fact_texts(PEOPLE, cipher, 2) for name, cipher in ciphers.items()}
    assert {len(found) for found in texts.values()} == {(10 * 2 + 4) * 5}
    assert _opened(texts[CipherName.SIV], ciphers[CipherName.SIV]) == _opened(
        texts[CipherName.CODEBOOK], ciphers[CipherName.CODEBOOK]
    )
    school = "\n".join(ciphers_part.school_texts(PEOPLE))
    corpus = {m.group() for found in texts.values() for t in found for m in TOKEN.finditer(t)}
    assert not corpus & {m.group() for m in TOKEN.finditer(school)}


def _opened(texts: list[str], cipher: EntityCipher) -> list[str]:
    return [TOKEN.sub(lambda match: cipher.decrypt(match.group()), text) for text in texts]
