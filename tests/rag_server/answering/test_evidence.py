from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytest

from sage_rag.indexer.passages import RECORDS, Passage
from sage_rag.rag_server.answering.evidence import Evidence, find_evidence
from sage_rag.rag_server.named_people import NamedPeople
from tests.growth import LINEAR, growth
from tests.rag_server.fakes import MemoryCatalog, WordsEmbedder

KELLER, LINDE = "PERSON_[aa]", "PERSON_[bb]"
WHOLE, PART = "PERSON~" + "a" * 16, "PERSON~" + "b" * 16
TEXTS = ["rest helps against a cold", f"coffee keeps {KELLER} awake", "salt water"]


class Marked:
    """A layer of the catalog's version that also knows some blind words."""

    def __init__(self, layer, known: Sequence[str]) -> None:
        self._layer, self._known = layer, known

    def __len__(self) -> int:
        return len(self._layer)

    def __getattr__(self, name):
        return getattr(self._layer, name)

    def rows_with(self, marks: Iterable[str]):
        found = self._layer.rows_with(marks)
        return np.zeros(1, dtype=np.int64) if set(marks) & set(self._known) else found


def evidence(question: str, words: Sequence[str] = (), known: Sequence[str] = ()) -> Evidence:
    version = MemoryCatalog().publish("c", TEXTS)
    layers: Mapping = {RECORDS: Marked(version, known)}
    passages = [Passage("p", "s", {"text": text}) for text in TEXTS[:2]]
    return find_evidence(question, passages, words, layers, WordsEmbedder())


def test_a_question_in_the_words_of_a_passage_is_answered():
    found = evidence("what helps against a cold")
    assert found.coverage == 1
    assert found.similarity > 0.5
    assert found.answers


def test_a_question_about_something_else_is_not():
    found = evidence("renew passport embassy")
    assert (found.coverage, found.answers) == (0, False)


def test_rare_words_weigh_more_than_frequent_ones():
    assert evidence("cold passport").coverage < 0.5


def test_words_that_every_question_has_do_not_count():
    assert evidence("why does someone's cold need any rest, doctor").coverage < 1
    assert evidence("why is rest against a cold such a help").coverage == 1


def test_an_unknown_name_is_reported_and_a_known_one_is_not():
    found = evidence(f"does coffee keep {KELLER} or {LINDE} awake")
    assert (found.unknown, found.known) == ((LINDE,), 1)


@pytest.mark.parametrize("known", [[WHOLE], [PART], [WHOLE, PART]])
def test_a_name_is_known_by_another_spelling_or_by_a_part(known):
    assert evidence(f"and {LINDE}", [WHOLE, PART], known).unknown == ()
    assert evidence(f"and {LINDE}", [WHOLE, PART], known).known == 1


def test_a_name_whose_words_are_all_unknown_is_unknown():
    assert evidence(f"and {LINDE}", [WHOLE, PART]).unknown == (LINDE,)


@pytest.mark.parametrize(
    ("question", "by_few_words"),
    [
        ("E42", True),
        ("what about e42?", True),
        ("Whose ticket is LS-5588?", True),
        ("LS-5588 result", True),
        ("ID_[zz] owner", True),
        ("ID_[yy] owner", False),
        ("E43 result", False),
        ("what does the error E42 cost", False),
        ("owner", False),
    ],
)
def test_a_question_of_a_code_and_a_word_is_by_code(question, by_few_words):
    text = "E42: motor blocked, sample LS-5588, frame ID_[zz]"
    layers: Mapping = {RECORDS: MemoryCatalog().publish("c", [text])}
    passages = [Passage("p", "s", {"text": text})]
    found = find_evidence(question, passages, [], layers, WordsEmbedder())
    assert found.by_few_words == by_few_words
    assert found.may_be_read or not by_few_words


def test_a_code_that_the_index_has_under_another_type_is_known():
    number = "CASE_NUMBER~aaaaaaaaaaaaaaaa"
    words = ["ID~bbbbbbbbbbbbbbbb", number]
    assert evidence("cost of ID_[zz]", words).unknown == ("ID_[zz]",)
    assert evidence("cost of ID_[zz]", words, [number]).unknown == ()


def test_a_place_without_a_record_is_no_unknown_person():
    assert evidence("rest in LOCATION_[zz]").unknown == ()


@pytest.mark.parametrize(
    "asked",
    [
        "tell me about {}",
        "What do you know about {}?",
        "Show me the record of {}",
        "What was the case of {} about?",
        "summarise the visit of {}",
        "{}",
    ],
)
def test_a_question_for_somebodys_record_is_answered_if_the_index_knows_the_person(asked):
    assert evidence(asked.format(KELLER)).answers
    assert not evidence(asked.format(LINDE)).whole_record
    assert not evidence(asked.format(f"{KELLER} and {LINDE}")).whole_record


def test_a_name_and_another_matter_are_no_request_for_a_record():
    assert not evidence(f"tell me about the passport of {KELLER}").answers
    assert not evidence("tell me about the record").answers
    assert not evidence(f"When is {KELLER}?").whole_record


def test_without_passages_there_is_no_evidence():
    layers = {RECORDS: MemoryCatalog().publish("c", TEXTS)}
    found = find_evidence(f"and {LINDE}", [], [], layers, WordsEmbedder())
    assert (found.answers, found.unknown) == (False, (LINDE,))


def test_a_question_without_its_tokens_is_compared():
    named = evidence(f"what helps {LINDE} against a cold")
    assert named.similarity == pytest.approx(evidence("what helps against a cold").similarity)


def test_a_known_name_lowers_what_is_enough():
    score = Evidence(0.4, 0.0, sentence=0.4)
    assert not score.answers
    assert Evidence(0.4, 0.0, sentence=0.4, known=1).answers


def test_evidence_is_clear_only_far_above_what_is_enough():
    assert Evidence(0.6, 1.0, sentence=0.6).is_clear
    enough = Evidence(0.5, 0.0, sentence=0.5)
    assert enough.answers
    assert not enough.is_clear


def test_the_nearest_sentence_counts_more_than_the_nearest_passage():
    assert Evidence(0.3, 0.0, sentence=0.5).score > Evidence(0.5, 0.0, sentence=0.3).score


def test_a_question_of_one_long_word_is_read_in_linear_time():
    assert growth(lambda size: evidence("a" * size), 2_000) < LINEAR


DAY, OTHER_DAY = "DATE_TIME_[aa]", "DATE_TIME_[bb]"


def on_a_day(question: str, people: NamedPeople) -> Evidence:
    texts = [f"on {OTHER_DAY} the lock was oiled", f"on {DAY} the door of {KELLER} was stuck"]
    version = MemoryCatalog().publish("c", texts)
    passages = [Passage("p", "s", {"text": text}, row=row) for row, text in enumerate(texts)]
    return find_evidence(question, passages, (), {RECORDS: version}, WordsEmbedder(), people)


@pytest.mark.parametrize(
    "verb", ["What happened", "Who came", "what was done", "jobs", "any incident"]
)
def test_a_question_about_a_day_gets_the_record_with_its_date(verb):
    found = on_a_day(f"{verb} on DATE_TIME_[cc]?", NamedPeople(dates=(DAY,)))
    assert (found.about, found.whole_record, found.unknown) == ((2,), True, ())


def test_of_the_records_of_a_person_the_day_chooses():
    known = NamedPeople(known=(KELLER, LINDE), others=(OTHER_DAY,), dates=(OTHER_DAY,))
    assert on_a_day(f"{KELLER} on {OTHER_DAY}", known).about == (2,)


def test_a_day_without_a_record_is_reported_if_it_is_all_that_is_asked():
    absent = NamedPeople(unknown=("DATE_TIME_[cc]",))
    assert on_a_day("What happened on DATE_TIME_[cc]?", absent).unknown == ("DATE_TIME_[cc]",)
    assert on_a_day("Was the lock oiled before DATE_TIME_[cc]?", absent).unknown == ()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who lives at LOCATION_[cc]?", True),
        ("Whose serial is LOCATION_[cc]?", True),
        ("Who repairs the roof at LOCATION_[cc]?", False),
    ],
)
def test_whose_a_value_is_asks_for_the_record_with_it(question, found):
    texts = ["salt water", "the lock of LOCATION_[aa] was oiled"]
    version = MemoryCatalog().publish("c", texts)
    passages = [Passage("p", "s", {"text": text}, row=row) for row, text in enumerate(texts)]
    people = NamedPeople(others=("LOCATION_[aa]",))
    known = find_evidence(question, passages, (), {RECORDS: version}, WordsEmbedder(), people)
    assert (known.about, known.whole_record) == ((2,), found)
    absent = NamedPeople(unknown=("LOCATION_[cc]",))
    other = find_evidence(question, passages, (), {RECORDS: version}, WordsEmbedder(), absent)
    assert other.unknown == ("LOCATION_[cc]",)


@pytest.mark.parametrize(
    ("question", "is_near"),
    [
        (f"{KELLER} doors", True),
        (f"{KELLER} stuck door", True),
        (f"{KELLER} passport", False),
        (f"{KELLER} stuck door passport", False),
        ("passport", False),
    ],
)
def test_one_or_two_words_of_a_persons_record_come_near(question, is_near):
    found = on_a_day(
        question, NamedPeople(known=(KELLER,)) if KELLER in question else NamedPeople()
    )
    assert found.by_few_words == is_near


def test_a_code_of_another_type_in_the_index_is_found_by_itself():
    texts = ["member MEDICAL_RECORD_[ee] fell MEDICAL_RECORD~a"]
    version = MemoryCatalog().publish("c", texts)
    passages = [Passage("p", "s", {"text": texts[0]}, row=0)]
    others = NamedPeople(others=("MEDICAL_RECORD_[ee]",))
    found = find_evidence(
        "ID_[dd]", passages, ("MEDICAL_RECORD~a",), {RECORDS: version}, WordsEmbedder(), others
    )
    assert found.by_few_words


def test_whether_anything_happened_on_a_day_asks_for_its_record():
    assert on_a_day("Did anything happen on DATE_TIME_[cc]?", NamedPeople(dates=(DAY,))).answers


def test_a_name_with_a_word_more_asks_for_no_record_and_is_near_at_most():
    whole = NamedPeople(known=(KELLER,))
    assert on_a_day("PERSON_[cc]", whole).answers
    found = on_a_day("PERSON_[cc]", NamedPeople(known=(KELLER,), partial=("PERSON_[cc]",)))
    assert (found.about, found.whole_record, found.answers) == ((2,), False, False)


def test_two_forms_of_one_name_are_not_two_persons():
    ada, adas, bo = "PERSON_[aa]", "PERSON_[ab]", "PERSON_[bb]"
    texts = [f"{ada} and {adas} oil the lock", f"{ada} asks {bo} about salt"]
    version = MemoryCatalog().publish("c", texts)
    passages = [Passage("p", "s", {"text": text}, row=row) for row, text in enumerate(texts)]
    found = find_evidence(
        "What does PERSON_[cc] ask PERSON_[dd]?",
        passages,
        (),
        {RECORDS: version},
        WordsEmbedder(),
        NamedPeople(known=(ada, adas, bo)),
        [[ada, adas], [bo]],
    )
    assert found.about == (2,)
