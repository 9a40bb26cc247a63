"""A real, tiny tagger: trained here, loaded like a downloaded one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from transformers import BertConfig, BertForTokenClassification, CanineTokenizer

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.labels import Scheme
from sage_rag.privacy.recognizers.backends.token_classifier import (
    TokenClassifierRecognizer,
)
from tests.privacy.recognizers.backends import tiny

pytestmark = pytest.mark.slow

FILLER = "Please take the medicine twice a day . "


@pytest.fixture(scope="module")
def recognizer(tagger: Path) -> TokenClassifierRecognizer:
    return TokenClassifierRecognizer(str(tagger))


def found(recognizer: TokenClassifierRecognizer, text: str) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], s.entity_type.value) for s in recognizer.recognize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday the doctor saw Maria Keller again.", [("Maria Keller", "PERSON")]),
        ("Ingrid Okoro lives in Turin.", [("Ingrid Okoro", "PERSON"), ("Turin", "LOCATION")]),
        ("🙂🙂 Yesterday the doctor saw Ada Novak again.", [("Ada Novak", "PERSON")]),
        ("Yesterday the doctor saw Mar\u200bia Keller again.", [("Mar\u200bia Keller", "PERSON")]),
        ("Please take the medicine twice a day.", []),
        ("", []),
        (" \n", []),
    ],
)
def test_names_and_places_are_found_where_they_stand(
    recognizer: TokenClassifierRecognizer, text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(recognizer, text) == expected


@pytest.mark.parametrize("before", range(0, 24))
def test_a_name_anywhere_in_a_long_text_is_found_once(
    recognizer: TokenClassifierRecognizer, before: int
) -> None:
    """Sentences of ten tokens move the name over every place of the 62-token windows."""
    text = "." * (before % 10) + FILLER * before + "The nurse asked Chiara Haddad and Odette Moreau"
    text += " about the pain . " + FILLER * (30 - before)
    assert found(recognizer, text) == [("Chiara Haddad", "PERSON"), ("Odette Moreau", "PERSON")]


def test_many_texts_give_what_each_gives_alone(recognizer: TokenClassifierRecognizer) -> None:
    texts = [FILLER * n + "In Bern it rained all day , said Pavel Ferrari ." for n in (0, 9, 3)]
    texts.insert(1, "")
    together = recognizer.recognize_all(texts)
    for text, spans in zip(texts, together, strict=True):
        alone = recognizer.recognize(text)
        assert [(s.start, s.end) for s in spans] == [(s.start, s.end) for s in alone]
        assert [s.score for s in spans] == pytest.approx([s.score for s in alone], abs=1e-4)
    assert recognizer.recognize_all([]) == []


def test_threads_share_one_recognizer(recognizer: TokenClassifierRecognizer) -> None:
    texts = [FILLER * (n % 7) + f"Yesterday the doctor saw Maria {n} again ." for n in range(24)]
    alone = [recognizer.recognize(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(recognizer.recognize, texts)) == alone


def test_the_fingerprint_changes_with_weights_threshold_and_labels(
    tagger: Path, tmp_path: Path, recognizer: TokenClassifierRecognizer
) -> None:
    other = tiny.token_classifier(tmp_path / "other", steps=1)
    prints = {
        recognizer.fingerprint,
        TokenClassifierRecognizer(str(tagger), threshold=0.4).fingerprint,
        TokenClassifierRecognizer(str(other)).fingerprint,
    }
    assert len(prints) == 3
    assert TokenClassifierRecognizer(str(tagger)).fingerprint in prints


def test_a_lower_threshold_finds_no_less(tagger: Path, tmp_path: Path) -> None:
    unsure = str(tiny.token_classifier(tmp_path / "unsure", steps=8))
    text = "Ingrid Okoro lives in Turin."
    covered = [
        {i for s in TokenClassifierRecognizer(unsure, threshold=t).recognize(text)
         for i in range(s.start, s.end)}
        for t in (0.9, 0.3, 0.01)
    ]  # fmt: skip
    assert covered[0] <= covered[1] <= covered[2]
    assert len(covered[2]) > len(covered[0])


def test_labels_of_a_named_scheme_are_understood_and_others_refused(tmp_path: Path) -> None:
    tags = ("O", "B-name", "I-name", "B-scene", "I-scene")
    folder = str(tiny.token_classifier(tmp_path / "zh", tags=tags, steps=0))
    assert TokenClassifierRecognizer(folder, labels=Scheme.CLUENER).fingerprint
    with pytest.raises(InputError, match="no label `name`"):
        TokenClassifierRecognizer(folder)


def test_a_model_without_a_fast_tokenizer_is_refused(tmp_path: Path) -> None:
    BertForTokenClassification(
        BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    ).save_pretrained(tmp_path)
    CanineTokenizer().save_pretrained(tmp_path)
    with pytest.raises(InputError, match="no fast tokenizer"):
        TokenClassifierRecognizer(str(tmp_path))
