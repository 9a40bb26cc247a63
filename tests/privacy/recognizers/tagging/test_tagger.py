"""The shipped tagger: what it must find, whatever else it misses, and how it behaves."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.catalog import recognizer_of
from sage_rag.privacy.recognizers.chinese.recognizer import HAN
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer, shipped_weights
from sage_rag.privacy.spans import resolve_overlaps

PERSON, LOCATION = EntityType.PERSON, EntityType.LOCATION
ORGANIZATION, DATE_TIME = EntityType.ORGANIZATION, EntityType.DATE_TIME
AGE, ID, DEMOGRAPHIC = EntityType.AGE, EntityType.ID, EntityType.DEMOGRAPHIC


@pytest.fixture(scope="module")
def tagger() -> TaggerRecognizer:
    return TaggerRecognizer()


@pytest.mark.parametrize(
    ("text", "value", "entity_type"),
    [
        ("Please call Maria Keller about the invoice.", "Maria Keller", PERSON),
        ("hi doctor, my name is temitope adeyemi and i have a rash", "temitope adeyemi", PERSON),
        ("PATIENT: OKAFOR, NNAMDI  SEEN TODAY", "OKAFOR, NNAMDI", PERSON),
        ("Mr van der Meer did not attend.", "van der Meer", PERSON),
        ("She moved from Leeds to Dar es Salaam.", "Dar es Salaam", LOCATION),
        ("The claim against Brandt & Sons Ltd was dismissed.", "Brandt & Sons Ltd", ORGANIZATION),
        ("He was admitted on 3 May 2021 with chest pain.", "3 May 2021", DATE_TIME),
        ("A 47-year-old woman with asthma.", "47", AGE),
        ("Her application (no. 48213/06) was rejected.", "48213/06", ID),
        ("The applicant is a Bulgarian national.", "Bulgarian", DEMOGRAPHIC),
    ],
)
def test_a_plain_case_of_each_type_is_found(
    tagger: TaggerRecognizer, text: str, value: str, entity_type: EntityType
) -> None:
    start = text.index(value)
    covered = {
        place
        for span in tagger.recognize(text)
        if span.entity_type is entity_type
        for place in range(span.start, span.end)
    }
    wanted = {start + i for i, character in enumerate(value) if character.isalnum()}
    assert wanted <= covered


@pytest.mark.parametrize(
    "text",
    [
        "Take two tablets after meals and drink plenty of water.",
        "It may be an infection; will the rash go away?",
        "Apply the cream twice a day for the itching.",
        "",
        " \n\t",
        "…… — ?!",
    ],
)
def test_where_nobody_is_named_nobody_is_found(tagger: TaggerRecognizer, text: str) -> None:
    assert [s for s in tagger.recognize(text) if s.entity_type is PERSON] == []


@pytest.mark.parametrize(
    ("text", "value", "entity_type"),
    [
        ("My neighbours the Pellegrinos complained about the noise.", "Pellegrinos", PERSON),
        ("We saw the Kowalskis at lunch.", "Kowalskis", PERSON),
        ("We rented a house in the Hamptons last summer.", "Hamptons", LOCATION),
        ("They won against the Steelers on Sunday.", "Steelers", ORGANIZATION),
    ],
)
def test_a_family_is_a_person_and_a_team_is_none(
    tagger: TaggerRecognizer, text: str, value: str, entity_type: EntityType
) -> None:
    found = resolve_overlaps(tagger.recognize(text))
    assert [s.entity_type for s in found if text[s.start : s.end] == value] == [entity_type]


def test_numbers_and_latin_names_between_chinese_characters_are_found_alone(
    tagger: TaggerRecognizer,
) -> None:
    text = "王伟的电话是13812345678，他在发布会上见到了Helena Brandt。"
    found = {text[s.start : s.end] for s in tagger.recognize(text)}
    assert {"13812345678", "Helena Brandt"} <= found
    assert not any(HAN.search(value) for value in found), "Chinese has recognizers of its own"


def test_a_name_found_once_is_found_everywhere(tagger: TaggerRecognizer) -> None:
    text = "Dr. Maria Keller examined him. Later Keller wrote a letter, signed M. K., to the ward."
    people = {text[s.start : s.end] for s in tagger.recognize(text) if s.entity_type is PERSON}
    assert {"Maria Keller", "Keller", "M. K."} <= people


def test_long_texts_are_read_to_the_end(tagger: TaggerRecognizer) -> None:
    filler = "The weather was fine and the garden grew well that year. " * 200
    text = f"{filler}My neighbour Temitope Adeyemi called. {filler}"
    people = {text[s.start : s.end] for s in tagger.recognize(text) if s.entity_type is PERSON}
    assert people == {"Temitope Adeyemi"}


def test_many_texts_at_once_are_read_as_each_alone(tagger: TaggerRecognizer) -> None:
    texts = [f"My name is {name}, from Leeds." for name in ("Anna Berg", "Tunde Bello", "Li Wei")]
    texts += ["", "nothing here", "x " * 500]
    alone = [[(s.start, s.end, s.entity_type) for s in tagger.recognize(t)] for t in texts]
    together = [[(s.start, s.end, s.entity_type) for s in f] for f in tagger.recognize_all(texts)]
    assert together == alone


def test_threads_share_one_tagger(tagger: TaggerRecognizer) -> None:
    texts = [f"Patient {n} is called Maria Keller." for n in range(16)]
    expected = [list(tagger.recognize(text)) for text in texts]
    found: dict[int, list[object]] = {}

    def work(number: int) -> None:
        found[number] = list(tagger.recognize(texts[number]))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n] for n in range(len(texts))] == expected


def test_thresholds_say_from_which_score_a_find_counts() -> None:
    text = "Please ask Maria Keller in Leeds."
    strict = TaggerRecognizer(thresholds={PERSON: 1.0})
    types = {span.entity_type for span in strict.recognize(text)}
    assert PERSON not in types
    assert LOCATION in types
    assert strict.fingerprint != TaggerRecognizer().fingerprint


def test_scores_are_probabilities(tagger: TaggerRecognizer) -> None:
    spans = tagger.recognize("Maria Keller of Leeds, 47, saw Dr. Okafor on 3 May 2021.")
    assert spans
    assert all(0 < span.score <= 1 for span in spans)


def test_the_weights_fit_into_the_repository() -> None:
    folder = shipped_weights().parent
    assert sum(file.stat().st_size for file in folder.iterdir()) < 6_000_000


def test_one_s_own_tagger_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "own.safetensors"
    own.write_bytes(shipped_weights().read_bytes())
    ours = recognizer_of([f"tagger:{own}"])
    assert [*ours.recognize("Ask Maria Keller.")]
    with pytest.raises(InputError, match="is not a tagger's weights file"):
        recognizer_of([f"tagger:{tmp_path / 'none.safetensors'}"])
    with pytest.raises(InputError, match="one tagger"):
        recognizer_of([f"tagger:{own}", f"tagger:{own}"])
    with pytest.raises(InputError, match="needs the default"):
        recognizer_of([f"tagger:{own}", "no-default"])
