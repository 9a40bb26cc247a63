import numpy as np

from sage_rag.eval.studies.answering import EdgeReader
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer

RECORDS = {
    "doc-1": "Gudrun Falk was told to rest her knee and to cool it twice a day.",
    "doc-2": "Tom Brook was told to inhale steam before going to bed.",
    "doc-3": "A leaflet about sleep is lying on the table in the hall.",
}
RECOGNIZER = TableRecognizer({"Gudrun Falk": EntityType.PERSON, "Tom Brook": EntityType.PERSON})


def publish_records(home, recipe, policy, keyset):
    cipher = SivCipher(keyset, recipe)
    passages = []
    for number, (source, text) in enumerate(RECORDS.items()):
        if policy is not None:
            text = Protector(RECOGNIZER, preset(policy), cipher).pseudonymize(text)
            source = cipher.encrypt(source, EntityType.SOURCE)
        passages.append(Passage(f"p-{number}", source, {"text": text}))
    manifest = {
        "corpus": recipe,
        "recipe": recipe,
        "protection": "none",
        "policy": policy,
        "agents": None,
        "embedder": HashEmbedder.name,
        "key_ids": (),
        "counts": {"documents": 3, "passages": 3, "quarantined": 0},
    }
    vectors = np.asarray(HashEmbedder().embed([p.text for p in passages]))
    return publish(
        home,
        recipe,
        passages,
        vectors,
        lexical=[p.text for p in passages],
        manifest=manifest,
        report={},
    )


def test_a_holder_of_the_key_reads_the_same_from_a_sealed_index_as_from_a_plain_one(tmp_path):
    keyset = Keyset.generate()
    reader = EdgeReader(keyset, RECOGNIZER, HashEmbedder())
    questions = ["What was Gudrun Falk told about her knee?", "What shall Tom Brook inhale?"]
    answers = {
        recipe: reader.answer(publish_records(tmp_path, recipe, policy, keyset), questions, 2)
        for recipe, policy in (("origin", None), ("encrypted", "soe-all"))
    }
    for found in answers.values():
        assert [sources[0] for sources in found.sources] == ["doc-1", "doc-2"]
        assert "rest her knee" in found.texts[0]
        assert "Tom Brook was told to inhale steam" in found.texts[1]


def test_a_redacted_index_is_asked_in_plain_words_and_its_sources_are_opened(tmp_path):
    keyset = Keyset.generate()
    path = publish_records(tmp_path, "redacted", "redact-all", keyset)
    answers = EdgeReader(keyset, RECOGNIZER, HashEmbedder()).answer(path, ["cool the knee?"], 1)
    assert answers.sources == (("doc-1",),)
    assert "Gudrun" not in answers.texts[0]
