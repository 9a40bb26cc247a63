import pytest

from sage_rag.rag_server.answering.details import lacks_detail, states_other
from tests.rag_server.fakes import WordsEmbedder

RECORD = (
    "PERSON_[aa] brought a goat with a cough. Give ten drops twice daily for five days. "
    "The vaccine is due in May. Weigh the goat each Monday."
)


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("How much does the vaccine cost?", "The vaccine costs 40."),
        ("What is the price of the drops?", "The drops are free."),
        ("How old is the goat?", "The goat is AGE_[bb]."),
        ("When was the goat born?", "The goat was born in 2019."),
        ("How tall is the goat?", "The goat stands 70 cm."),
        ("How many kilometres may the goat walk?", "The goat walks two kilometres."),
        ("What colour is the goat?", "The goat is brown."),
        ("What is the phone number of the goat's owner?", "Ring the owner, extension 4410."),
        ("Which temperature has the goat?", "The goat has 39.5 degrees."),
        ("Which clinic treated the goat?", "The goat came from ORGANIZATION_[cc]."),
        ("How many kids has the goat?", "The goat has three kids."),
        ("How many litres does the goat drink?", "The goat drinks QUANTITY_[dd]."),
        ("How long is the stable of the neighbour closed?", "The neighbour returns on 3 May."),
        ("Who sheared the goat?", "PERSON_[ee] sheared the goat."),
        ("What is the name of the stable's keeper?", "The keeper is PERSON_[ee]."),
        ("Which blanket is good for a goat?", "A wool blanket is good for a goat."),
        ("Which shepherd sheared the goat?", "A shepherd came in May."),
        ("Who is the shepherd of the goat?", "The shepherd is PERSON_[ee]."),
    ],
)
def test_a_record_lacks_what_it_does_not_state(question, stated):
    assert lacks_detail(question, RECORD, WordsEmbedder())
    assert not lacks_detail(question, f"{RECORD} {stated}", WordsEmbedder())


@pytest.mark.parametrize(
    "question",
    [
        "How often are the drops given?",
        "How many drops are given?",
        "What helps against the cough?",
        "Which medicine helps the goat?",
        "What should the goat get?",
        "Who takes drops?",
        "Wie alt ist die Ziege?",
        "",
    ],
)
def test_a_question_that_the_record_may_answer_lacks_nothing(question):
    assert not lacks_detail(question, RECORD.replace("Give", "It takes"), WordsEmbedder())


def test_a_long_text_is_no_question():
    assert not lacks_detail("how much does it cost " + "word " * 40, RECORD)


def test_without_an_embedder_words_are_not_compared():
    assert not lacks_detail("Who sheared the goat?", RECORD)


LONG_NAME = f"PERSON_[{'a' * 60}]"


def test_a_hidden_name_may_stand_between_the_words_of_a_question():
    assert lacks_detail(f"What do {LONG_NAME}'s drops cost?", RECORD)
    assert not lacks_detail(f"What do {LONG_NAME}'s drops cost?", f"{RECORD} The drops cost 12.")


def test_the_price_of_another_thing_is_not_the_one_that_is_asked_for():
    record = "The goat gets drops daily. It eats hay. A stable costs 90."
    assert lacks_detail("What do the drops cost?", record)
    assert lacks_detail(
        "Which clinic treated the cough?", "A cough is common. Hay is fresh. We met in Oslo."
    )


def test_a_doctor_is_one_in_short_form():
    record = f"{RECORD} Dr PERSON_[ee] sees the goat."
    assert not lacks_detail("Which doctor saw the goat?", record, WordsEmbedder())


def test_an_angle_is_no_distance():
    assert not lacks_detail("How far does the knee bend?", "The knee bends ninety degrees.")


def test_the_name_in_the_question_is_not_the_one_that_is_asked_for():
    question, record = "What is the name of PERSON_[aa]'s wife?", "PERSON_[aa] came with his wife."
    assert lacks_detail(question, record)
    assert not lacks_detail(question, f"{record} His wife is PERSON_[bb].")


def test_of_a_clear_answer_only_kinds_of_details_are_missing():
    assert lacks_detail("Who sheared the goat?", RECORD, WordsEmbedder())
    assert not lacks_detail("Who sheared the goat?", RECORD, WordsEmbedder(), clear=True)
    assert lacks_detail("What does the vaccine cost?", RECORD, WordsEmbedder(), clear=True)


@pytest.mark.parametrize(
    ("question", "quoted", "is_other"),
    [
        ("Who is the vet of PERSON_[aa]?", "Let PERSON_[bb] feed the goat.", True),
        ("Who is PERSON_[aa]'s vet?", "PERSON_[bb] feeds the goat.", True),
        ("Who is the vet of PERSON_[aa]?", "The vet of PERSON_[aa] comes on Monday.", True),
        ("Who is the vet of PERSON_[aa]?", "Vet PERSON_[bb] came on Monday.", False),
        ("Who is the vet?", "Vet the person came on Monday.", False),
        ("Who is the doctor of PERSON_[aa]?", "Dr. PERSON_[bb] came on Monday.", False),
        # The role itself can be hidden, or a part of a name.
        ("Who is the vet of PERSON_[aa]?", "DEMOGRAPHIC_[cc] PERSON_[bb] came.", False),
        ("Who is the vet of PERSON_[aa]?", "PERSON_[cc] PERSON_[bb] came.", False),
        # Without replaced names, a text may name anyone.
        ("Who is the vet of the zoo?", "Ms Orde came on Monday.", False),
        ("Who is the person to ask?", "Ask PERSON_[bb].", False),
        ("Who fed PERSON_[aa]?", "PERSON_[bb] came.", False),
        ("Which vet did PERSON_[aa] see?", "PERSON_[bb] feeds the goat.", True),
        ("Which vet did PERSON_[aa] see?", "Come on Monday. DATE_TIME_[cc]", True),
        ("Which vet did PERSON_[aa] see?", "PERSON_[bb], the vet, came.", False),
        ("Which nurse fed PERSON_[aa]?", "Sister PERSON_[bb] came.", False),
        ("Which food does PERSON_[aa] get?", "Oats for PERSON_[aa].", False),
        ("Whom did PERSON_[aa] see?", "PERSON_[aa] came on Monday.", True),
        ("Who treated PERSON_[aa]?", "The wound was cleaned.", True),
        ("Who treated PERSON_[aa]?", "My wife did.", False),
        ("Who treated PERSON_[aa]?", "He was treated at ORGANIZATION_[bb].", False),
        ("Who came on Monday?", "The wound was cleaned.", False),
    ],
)
def test_a_person_in_another_role_is_not_the_one_that_is_asked_for(question, quoted, is_other):
    assert states_other(question, [quoted], WordsEmbedder()) == is_other
    assert states_other(question, [quoted]) == is_other


@pytest.mark.parametrize(
    ("question", "quoted", "is_other"),
    [
        ("What dose of paracetamol?", "Give ibuprofen, 400 mg.", True),
        ("How much paracetamol for PERSON_[aa]?", "Ibuprofen 10 ml.", True),
        ("How many mg of paracetamol?", "Ibuprofen 10 mg.", True),
        ("How many mg of aspirin?", "Ibuprofen 10 mg.", True),
        ("What dose of paracetamol?", "Paracetamol, 500 mg.", False),
        ("What dose of paracetamol?", "Ask the vet.", False),
        ("How much medicine is it?", "Ibuprofen 10 ml.", False),
        ("How much is it?", "Ibuprofen 10 ml.", False),
        ("How much weight should PERSON_[aa] lose?", "Six kilos, and meloxicam 2 mg.", False),
        ("How many puffs of the new one?", "Take 1 puff, or 2 ml.", False),
        ("How many tablets may I take?", "Take 10 ml.", False),
    ],
)
def test_the_dose_of_another_medicine_is_not_the_one_that_is_asked_for(question, quoted, is_other):
    assert states_other(question, [quoted]) == is_other
