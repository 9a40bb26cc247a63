from collections import Counter

from sage_rag.agents.lexicon import content_stems
from sage_rag.agents.rules.presets import presets
from sage_rag.common.stems import stem


def test_the_numbers_of_attributes_are_the_papers():
    sides = {name: Counter(a.side for a in preset) for name, preset in presets().items()}
    assert sides["medical_dialogue"] == {"asking": 5, "replying": 5}
    assert sides["document"] == {"text": 3}


def test_every_preset_attribute_has_a_name_of_its_own():
    for preset in presets().values():
        assert len({attribute.name for attribute in preset}) == len(preset)


def test_stop_words_and_contractions_carry_no_content():
    assert content_stems("I don't know if it's the heart") == [stem("know"), stem("heart")]
    assert content_stems("Ask [PERSON_1] at <DATE_TIME>") == [
        stem("Ask"),
        "[PERSON_1]",
        "<DATE_TIME>",
    ]
