import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.reading.protocols import Reading
from sage_rag.common.sentences import sentence_spans
from sage_rag.indexer.passages import Passage
from sage_rag.privacy.tokens import TOKEN
from sage_rag.rag_server.answering.evidence import Evidence
from sage_rag.rag_server.answering.extractive import ExtractiveAnswerer
from sage_rag.rag_server.answering.over_records import NO_COUNT, ONE_RECORD
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn
from sage_rag.rag_server.answering.wording import (
    FROM_RECORD,
    NOT_READ,
    NOTHING_ASKED,
    NOTHING_FOUND,
    UNCLEAR,
)
from sage_rag.rag_server.followups import standalone
from tests.rag_server.fakes import WordsEmbedder

KELLER = "PERSON_[q2Zf3kAAx.9=-_]"
LINDE = "PERSON_[Yh88sLmQ2r]"


def passage(number, **fields):
    return Passage(f"p{number}", "SOURCE_[x]", fields, 1.0 - number / 100)


MIGRAINE = passage(
    1,
    question="I get a migraine every week. The light hurts my eyes.",
    answer=f"Keep a diary of the migraine. Dr. {LINDE} advises magnesium at night. Take care.",
)
BURN = passage(
    2,
    question=f"My name is {KELLER} and I burned my hand on a kettle.",
    answer="Cool the burn under running water for twenty minutes. Do not use ice.",
)
ANKLE = passage(3, question="I twisted my ankle.", answer="Rest the ankle and raise it. Ice helps.")
NAMED = passage(
    1,
    question=f"I am {KELLER} and my knee hurts. {LINDE} says it is old age.",
    answer=f"Hello {KELLER}, rest the knee for a week. Let {LINDE} carry the shopping. "
    f"Our nurse, {LINDE}, will look at the knee on Friday. Best regards, Dr. {LINDE}",
)


class FirstSentence:
    """Reads the answer in the first words of each text."""

    def read(self, question, texts):
        return [Reading(0.9, 0, 5) for _ in texts]


class Clerk:
    """Reads the answer where a text names the clerk."""

    def read(self, question, texts):
        return [Reading(0.9 if "Clerk" in text else 0.1, 0, 5) for text in texts]


def compose(question, *passages, evidence=None, standalone="", fields=(), **settings):
    context = AnswerContext(
        question, passages, standalone=standalone, evidence=evidence, answer_fields=fields
    )
    return ExtractiveAnswerer(**settings).compose(context)


def test_advice_comes_from_the_last_field():
    answer = compose("What helps against a migraine?", MIGRAINE)
    assert "Keep a diary of the migraine." in answer
    assert "light hurts" not in answer


def test_the_manifest_can_name_the_fields_that_answer():
    letter = passage(1, reply="The mill opens in May.", asked="When does the mill open again?")
    assert "opens in May" in compose("When does the mill open?", letter, fields=("reply",))


def test_an_answer_is_of_one_passage_and_cites_it_by_rank():
    answer = compose("What helps with an ankle?", BURN, ANKLE)
    assert re.findall(r"\[\d\]", answer) == ["[2]"]
    assert "Rest the ankle" in answer
    assert "water" not in answer


FIRST_VISIT = passage(1, work=f"The bike of {KELLER} stopped on a hill. The motor was repaired.")
SECOND_VISIT = passage(2, work=f"{KELLER} came with a squealing brake. The pads were replaced.")
STOPPED = f"What was repaired on the bike of {KELLER}?"


@pytest.mark.parametrize(
    ("follow_up", "quoted"),
    [
        ("And the second repair?", "[2]"),
        ("what about the other one?", "[2]"),
        ("and the motor?", "[1]"),
    ],
)
def test_another_record_of_the_same_person_follows_the_one_that_was_told(follow_up, quoted):
    context = AnswerContext(
        follow_up,
        [FIRST_VISIT, SECOND_VISIT],
        [
            ConversationTurn("user", STOPPED),
            ConversationTurn("assistant", "The motor was repaired."),
        ],
        standalone=standalone([STOPPED, follow_up]),
        evidence=Evidence(1, 1, known=1, about=(1, 2)),
    )
    assert ExtractiveAnswerer().compose(context).endswith(quoted)


def follow(before, answer, follow_up, *passages, evidence):
    context = AnswerContext(
        follow_up,
        passages,
        [ConversationTurn("user", before), ConversationTurn("assistant", answer)],
        standalone=standalone([before, follow_up]),
        evidence=evidence,
    )
    return ExtractiveAnswerer().compose(context)


@pytest.mark.parametrize("told", [1, 2])
def test_a_question_without_words_of_its_own_is_about_the_record_that_was_told(told):
    letter = passage(1, text=f"{KELLER} wants the price of the bumper. A cheque is expected.")
    reply = passage(2, text=f"The insurer pays {KELLER} for the bumper. The cheque is on its way.")
    said = f"{UNCLEAR}\n\n{(letter, reply)[told - 1].text} [{told}]"
    evidence = Evidence(1, 1, known=1, about=(1, 2))
    asked = f"What does {KELLER} get for the bumper?"
    assert follow(asked, said, "and when?", letter, reply, evidence=evidence).endswith(f"[{told}]")


def test_why_after_an_answer_does_not_deny_the_record_of_this_answer():
    asked, weak = "Who keeps a diary of the migraine?", Evidence(0, 0)
    assert follow(asked, NOTHING_FOUND, "why?", MIGRAINE, evidence=weak) == NOTHING_FOUND
    said = "Keep a diary of the migraine. [1]"
    assert follow(asked, said, "why?", MIGRAINE, evidence=weak).startswith(UNCLEAR)


LONG = passage(
    1,
    text=f"Letter of {KELLER} to the dean. The bell of the tower is cracked. A bell of this size is "
    "cast in Lyon. The dean wants the bell for Easter. Who pays for the bell is open.",
)


def remark(text):
    asked = f"Where is the bell of {KELLER} cast?"
    said = "The bell of the tower is cracked. A bell of this size is cast in Lyon. [1]"
    evidence = Evidence(1, 1, known=1, about=(1,))
    return follow(asked, said, text, LONG, evidence=evidence)


def test_say_it_shorter_gives_one_sentence_to_the_same_question():
    assert remark("say it shorter") == "A bell of this size is cast in Lyon. [1]"


def test_are_you_sure_quotes_the_record_again():
    assert "cast in Lyon" in remark("are you sure?")


def test_which_record_quotes_how_the_record_of_the_last_answer_begins():
    assert remark("which record is that from?").startswith(f"{FROM_RECORD}\n\nLetter of {KELLER}")


def test_who_someone_is_begins_where_the_record_names_the_person():
    will = passage(
        1, text=f"The will is void. The angry friend of the dead, {LINDE}, sues. Clerk: {KELLER}."
    )
    evidence = Evidence(1, 1, known=1, about=(1,), whole_record=True)
    answer = compose(f"Who is {LINDE}?", will, evidence=evidence, reader=Clerk())
    assert answer.startswith(f"The angry friend of the dead, {LINDE}")


def test_a_code_alone_gets_the_record_that_begins_with_it():
    code = "ID_[aa]"
    other = passage(1, text=f"ID_[bb]: the drill fell. The setter was warned, as after {code}.")
    own = passage(2, text=f"{code}: a hold turned. Nobody was hurt. The bolt had been left loose.")
    evidence = Evidence(1, 1, known=1, whole_record=True, by_few_words=True)
    assert compose(code, other, own, evidence=evidence) == f"{own.text} [2]"


def test_an_ordinal_of_the_record_that_was_told_is_looked_up_there():
    doses = passage(1, work=f"{KELLER} gets the first dose on Monday and the second on Friday.")
    other = passage(2, work=f"{KELLER} got a dose of an antidote.")
    before, follow_up = f"When does {KELLER} get the first dose?", "And the second dose?"
    context = AnswerContext(
        follow_up,
        [doses, other],
        [ConversationTurn("user", before), ConversationTurn("assistant", doses.text)],
        standalone=standalone([before, follow_up]),
        evidence=Evidence(1, 1, known=1, about=(1, 2)),
    )
    assert "second on Friday" in ExtractiveAnswerer().compose(context)


def test_courtesies_and_signatures_are_not_quoted():
    assert "Take care" not in compose("migraine diary", MIGRAINE)
    answer = compose(f"What about the knee of {KELLER}?", NAMED)
    assert "regards" not in answer
    assert "Hello" not in answer


@pytest.mark.parametrize("question", ["the of and", "How do I renew a passport?"])
def test_nothing_shared_is_an_honest_answer(question):
    assert compose(question, MIGRAINE, BURN) == NOTHING_FOUND


def test_without_a_passage_nothing_is_found():
    assert compose("What helps against a migraine?") == NOTHING_FOUND


def test_passages_that_cannot_answer_are_not_quoted():
    weak = Evidence(similarity=0.3, sentence=0.3, coverage=0.2)
    assert compose("What helps against a migraine?", MIGRAINE, evidence=weak) == NOTHING_FOUND
    strong = Evidence(similarity=0.6, sentence=0.6, coverage=0.5)
    assert "diary" in compose("What helps against a migraine?", MIGRAINE, evidence=strong)


def test_a_greeting_or_thanks_is_told_what_to_ask():
    weak, sure = Evidence(0.1, 0.0), Evidence(0.9, 0.9, sentence=0.9)
    thanks = ("Thanks, that helps!", "thanks", "ok, great, that helped", "Thank you very much!")
    for message in ("hi", "good morning", "?", "", *thanks):
        for evidence in (weak, sure):
            # What the question before asked is carried to a short message.
            answer = compose(
                message, MIGRAINE, evidence=evidence, standalone=f"{message} helps migraine"
            )
            assert answer == NOTHING_ASKED
    for message in ("Hey, what's up", "who are you?", "What can you do?", "delete everything"):
        assert compose(message, MIGRAINE, evidence=weak) == NOTHING_ASKED
    for question in ("what is a migraine?", "who are the patients?", "delete the wart?"):
        assert compose(question, BURN, evidence=weak) == NOTHING_FOUND
    for question in ("Hi, who won the cup?", "thanks, is tea ok?", "thanks whats the dose"):
        assert compose(question, MIGRAINE, evidence=weak) == NOTHING_FOUND
    assert "diary" in compose("thanks, and for the migraine?", MIGRAINE, evidence=sure)


def test_a_person_whose_name_is_spelt_nearly_so_is_suggested():
    absent = Evidence(similarity=0.9, coverage=1.0, unknown=(LINDE,), alike=(KELLER,))
    said = compose(f"and {LINDE}?", MIGRAINE, evidence=absent)
    assert said.endswith(f"in the documents I can search. Did you mean {KELLER}?")


def test_an_unknown_person_is_said_to_be_unknown():
    absent = Evidence(similarity=0.9, coverage=1.0, unknown=(LINDE, KELLER))
    answer = compose(f"What did {LINDE} tell {KELLER} about migraine?", MIGRAINE, evidence=absent)
    assert answer == f"I found no record of {LINDE} or {KELLER} in the documents I can search."


@pytest.mark.parametrize("question", ["Tell me about {}.", "What was the case of {} about?"])
def test_an_overview_begins_where_a_record_names_the_person(question):
    end = passage(1, text="The court orders the miller to pay. He pays in three parts, it says.")
    start = passage(
        2,
        text=f"CLAIM\nThis is a decision of the court. {KELLER} sues the miller. "
        "She says that the case of flour was wet.",
    )
    evidence = Evidence(0.2, 0.1, known=1, whole_record=True, about=(1, 2), meant=(KELLER,))
    answer = compose(question.format(KELLER), end, start, evidence=evidence)
    assert answer == f"{KELLER} sues the miller. She says that the case of flour was wet. [2]"


ASKED = passage(
    1,
    question=f"My wife {LINDE} and I bake bread. My hands itch in the evening.\n\n{KELLER}",
    answer="Flour can do that. Wear gloves of cotton. Use a cream without scent.",
)
OF_KELLER = Evidence(0.2, 0.1, known=1, whole_record=True, about=(1,), meant=(KELLER,))
OF_LINDE = replace(OF_KELLER, meant=(LINDE,))
BAKES = f"My wife {LINDE} and I bake bread. My hands itch in the evening."


@pytest.mark.parametrize("evidence", [OF_KELLER, OF_LINDE], ids=["who signs", "who is mentioned"])
def test_who_someone_is_is_told_where_the_record_first_names_them(evidence):
    question = f"Who is {evidence.meant[0]}?"
    assert compose(question, ASKED, evidence=evidence) == f"{BAKES} [1]"


@pytest.mark.parametrize("question", ["Tell me about {}.", "{}"])
def test_an_overview_of_a_dialogue_begins_with_what_was_asked(question):
    answer = compose(question.format(KELLER), ASKED, evidence=OF_KELLER)
    assert answer.startswith(f"{BAKES} Flour can do that.")


def test_an_overview_ends_with_a_section_once_it_is_long_enough():
    text = (
        f"REPORT\n{KELLER} asks for a new roof. The barn is wet.\nTOOLS\nThe ladder is at the gate."
    )
    evidence = Evidence(0.2, 0.1, known=1, whole_record=True, about=(1,))
    question = f"Tell me about {KELLER}."
    short = compose(question, passage(1, text=text), evidence=evidence, most_words=8)
    assert short == f"Report: {KELLER} asks for a new roof. The barn is wet. [1]"
    long = compose(question, passage(1, text=text), evidence=evidence, most_words=40)
    assert "The ladder is at the gate." in long


def test_a_question_without_names_gets_an_answer_without_names():
    answer = compose("What helps a knee that hurts?", NAMED)
    assert "Rest the knee for a week." in answer
    assert "Our nurse will look at the knee" in answer
    assert "PERSON" not in answer


def test_a_question_with_a_name_keeps_the_names_of_its_record():
    answer = compose(f"Who looks at the knee of {KELLER}?", NAMED)
    assert f"Our nurse, {LINDE}, will look at the knee" in answer


def test_a_record_of_the_named_person_is_preferred():
    other = passage(1, question="My knee hurts.", answer="Swim for the knee.")
    own = passage(2, question=f"{KELLER} here, my knee hurts.", answer="Rest the knee.")
    assert compose(f"What helps the knee of {KELLER}?", other, own) == "Rest the knee. [2]"


def test_only_records_of_the_persons_who_are_meant_are_quoted():
    other = passage(1, text="The plumber comes on Monday between eight and ten.")
    own = passage(2, text=f"Dear {LINDE}, the charging box is allowed from May on.")
    meant = Evidence(0.7, 0.5, sentence=0.7, known=1, about=(2,))
    answer = compose(f"When does the plumber come to {KELLER}?", other, own, evidence=meant)
    assert "plumber" not in answer
    assert "charging box" in answer


def test_an_age_in_the_question_chooses_no_record():
    aged = passage(1, text="At AGE_[q2Zf3kAAx.9=-_] the cat needs insulin twice a day.")
    own = passage(2, text=f"The tortoise of {KELLER} has a virus and needs no insulin.")
    question = f"Does the cat of {KELLER} need insulin at AGE_[q2Zf3kAAx.9=-_]?"
    assert "tortoise" in compose(question, aged, own)


def test_a_number_that_the_record_lacks_is_unclear():
    record = passage(1, text=f"The knee of {KELLER} needs rest. Come again on Friday.")
    known = Evidence(0.7, 0.5, sentence=0.7, known=1)
    asked = f"What is the phone number of {KELLER}?"
    assert compose(asked, record, evidence=known).startswith(UNCLEAR)
    stated = passage(1, text=f"Call {KELLER} on PHONE_NUMBER_[q2Zf3kAAx.9=-_] about the knee.")
    assert not compose(asked, stated, evidence=known).startswith(UNCLEAR)


@pytest.mark.parametrize("reader", [None, FirstSentence()])
def test_a_name_with_a_word_that_no_name_has_is_answered_by_what_comes_nearest(reader):
    record = passage(1, text=f"The knee of {KELLER} needs rest. Come again on Friday.")
    sure = Evidence(0.9, 0.9, sentence=0.9, known=1, about=(1,), meant=(KELLER,))
    assert not compose(f"{LINDE} knee", record, evidence=sure, reader=reader).startswith(UNCLEAR)
    partial = replace(sure, partial=True)
    assert compose(f"{LINDE} knee", record, evidence=partial, reader=reader).startswith(UNCLEAR)


def test_sentences_stay_in_the_order_of_the_record():
    record = passage(1, text="The mill has a wheel. It stands at the river. The wheel turns.")
    answer = compose("What about the wheel of the mill?", record)
    assert answer == "The mill has a wheel. It stands at the river. The wheel turns. [1]"


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("The board wrote: “The ferry is closed.”", "“The ferry is closed.” [1]"),
        ("The ferry is closed, the board wrote (see page 3.)", "(see page 3.) [1]"),
        ("The ferry is closed for repairs;", "The ferry is closed for repairs. [1]"),
        ("The ferry is closed", "The ferry is closed. [1]"),
    ],
)
def test_a_quoted_sentence_ends_with_one_stop(text, quoted):
    assert compose("Is the ferry closed?", passage(1, text=text)).endswith(quoted)


def test_a_heading_that_is_quoted_leads_to_the_sentence_below_it():
    text = "FERRY\nRepairs of the ferry\nThe ferry was repaired at the yard in nine days of May."
    answer = compose("How long did repairs of the ferry take?", passage(1, text=text))
    assert "Repairs of the ferry: The ferry was repaired" in answer


def test_a_warning_stays_with_what_it_is_about():
    record = passage(
        1,
        text="Take ibuprofen for the swollen ankle twice a day. "
        + "The ankle likes shade and quiet music in the evening hours of a long summer. " * 3
        + "Never take ibuprofen with warfarin.",
    )
    answer = compose("What helps a swollen ankle?", record, most_words=12, few_words=4)
    assert answer.endswith("Never take ibuprofen with warfarin. [1]")


def test_each_part_of_a_question_gets_its_sentence():
    record = passage(
        1,
        text="The rent is paid on the first of each month. The garden is shared by all. "
        "Repairs of the roof are the owner's duty.",
    )
    answer = compose(
        "When is the rent paid, and who does repairs of the roof?",
        record,
        most_words=14,
        few_words=4,
    )
    assert "rent is paid" in answer
    assert "Repairs of the roof" in answer


def test_a_question_of_a_name_alone_asks_what_the_one_before_asked():
    text = (
        f"{KELLER} is our guest. The sauna opens at nine. On Sunday the sauna opens at ten. "
        "The cat sleeps all day."
    )
    answer = compose(
        f"And {KELLER}?",
        passage(1, text=text),
        standalone=f"And {KELLER}? when sauna opens",
        reader=FirstSentence(),
        few_words=1,
    )
    assert "The sauna opens at nine. On Sunday the sauna opens at ten." in answer
    assert "cat" not in answer


def test_words_of_an_earlier_question_count_less():
    record = passage(1, text="Pollen makes the eyes itch. The nose needs a spray with salt.")
    answer = compose("And the nose?", record, standalone="And the nose? pollen eyes", few_words=1)
    assert "The nose needs a spray" in answer


def test_an_embedder_finds_a_sentence_without_shared_words():
    class Synonyms(WordsEmbedder):
        def embed(self, texts):
            return super().embed([t.replace("physician", "doctor") for t in texts])

    record = passage(1, text="The door is green. The physician comes on Monday. A fee is due.")
    answer = compose("doctor door", record, embedder=Synonyms(), few_words=5)
    assert "physician" in answer


sentences = st.lists(
    st.lists(
        st.sampled_from(["mill", "river", "burned", KELLER, "the", "not", "grain"]),
        min_size=1,
        max_size=12,
    ).map(lambda found: " ".join(found) + "."),
    min_size=1,
    max_size=6,
)


@given(st.lists(sentences, max_size=5), st.booleans())
def test_answers_quote_whole_sentences_of_one_passage(texts, named):
    passages = [passage(n, text=" ".join(text)) for n, text in enumerate(texts, 1)]
    answer = compose(f"mill {KELLER}" if named else "mill", *passages)
    if answer == NOTHING_FOUND:
        return
    (cited,) = re.findall(r" \[(\d)\]\Z", answer)
    quoted = answer[: answer.rindex(" [")]
    record = passages[int(cited) - 1].fields["text"]
    known = {re.sub(r"\W", "", record[a:b]).casefold() for a, b in sentence_spans(record)}
    if named:
        assert all(
            re.sub(r"\W", "", quoted[a:b]).casefold() in known for a, b in sentence_spans(quoted)
        )
    else:
        assert not TOKEN.search(answer)


def test_a_record_without_the_asked_detail_is_no_answer():
    enough = Evidence(0.5, 0.5, sentence=0.5)
    stated = compose("What is magnesium for?", MIGRAINE, evidence=enough)
    assert "magnesium" in stated
    assert not stated.startswith(UNCLEAR)
    clear = Evidence(0.6, 1.0, sentence=0.6)
    for evidence in (enough, clear):
        answer = compose("How much does magnesium cost?", MIGRAINE, evidence=evidence)
        assert answer.startswith(f"{UNCLEAR}\n\n")
        assert "magnesium" in answer


def test_what_comes_near_is_quoted_as_no_clear_answer():
    question = "What helps against a migraine?"
    near = Evidence(similarity=0.4, sentence=0.4, coverage=0.3)
    assert near.is_near
    assert not near.answers
    plain = compose(question, MIGRAINE, evidence=Evidence(0.6, 0.5, sentence=0.6))
    assert compose(question, MIGRAINE, evidence=near) == f"{UNCLEAR}\n\n{plain}"


CODE = "ID_[kk]"
FRAME = passage(
    1,
    complaint=f"The motor stops on hills. Frame {CODE} of {KELLER}. It is loud.",
    work="The motor was cleaned on all hills. The frame is fine and the motor runs.",
)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (CODE, f"Frame {CODE} of {KELLER}."),
        (f"Who owns {CODE}?", f"Frame {CODE} of {KELLER}."),
        (f"Whose motor has {CODE}?", f"Frame {CODE} of {KELLER}."),
    ],
)
def test_a_question_by_a_code_gets_the_sentence_that_holds_it_from_any_field(question, text):
    evidence = Evidence(1, 1, known=1, whole_record=True, by_few_words=question == CODE)
    assert text in compose(question, FRAME, evidence=evidence, embedder=WordsEmbedder())


@pytest.mark.parametrize("question", ["whose serial is LOCATION_[kk]?", "LOCATION_[kk]"])
def test_a_sentence_that_is_nothing_but_the_asked_value_is_quoted(question):
    scooter = "LOCATION_[ss]"  # the index has the code as a part of a place
    text = f"Customer: {KELLER}. {scooter}. The speed limit was removed. The brake was renewed."
    evidence = Evidence(1, 1, known=1, whole_record=True, about=(1,), meant=(scooter,))
    if "whose" not in question:
        evidence = replace(evidence, by_few_words=True)
    assert scooter in compose(question, passage(1, text=text), evidence=evidence)
    assert scooter not in compose("Was the brake renewed?", passage(1, text=text))


@pytest.mark.parametrize("end", ["DATE_TIME_[dd].", f"Done by {LINDE} on DATE_TIME_[dd]."])
def test_a_line_of_a_date_or_a_signature_says_nothing_of_the_day(end):
    record = passage(1, text=f"{KELLER} came with a cold. The cold was bad. {end} The tea was hot.")
    evidence = Evidence(1, 1, known=1, whole_record=True, about=(1,), meant=("DATE_TIME_[dd]",))
    answer = compose("Who came on DATE_TIME_[dd]?", record, evidence=evidence)
    assert KELLER in answer
    assert "DATE_TIME_[dd]" not in answer


def test_nothing_is_denied_to_a_question_in_a_language_that_is_not_read():
    unknown = Evidence(0.0, 0.0, unknown=("PERSON_[w]",))
    german = "Wie hoch war die Rechnung von PERSON_[w]?"
    assert compose(german, MIGRAINE, evidence=unknown) == NOT_READ
    assert compose("Wo wohnt sie?", MIGRAINE, evidence=Evidence(0.0, 0.0)) == NOT_READ
    assert compose("Where is PERSON_[w]?", MIGRAINE, evidence=unknown) != NOT_READ


def test_a_message_is_shown_as_what_comes_nearest():
    mail = passage(1, text=f"{KELLER} on Monday:\nThe slides are attached. Please print them.")
    evidence = Evidence(0.2, 0.1, known=1, whole_record=True, about=(1,), meant=(KELLER,))
    answer = compose(f"What did {KELLER} send?", mail, evidence=evidence)
    assert answer.startswith(UNCLEAR)
    assert "The slides are attached." in answer


def test_the_outcome_of_a_case_is_its_end():
    case = passage(
        1,
        text=f"The case originated in an application by {KELLER}.\n\nThe applicant sued the "
        "miller. The miller moved to the coast.\n\nThe court dismissed the claim.",
    )
    evidence = Evidence(0.2, 0.1, known=1, whole_record=True, about=(1,), meant=(KELLER,))
    answer = compose(f"What was the outcome of {KELLER}'s case?", case, evidence=evidence)
    assert answer == "The court dismissed the claim. [1]"


def test_a_piece_of_a_case_without_its_end_is_no_clear_outcome():
    text = (
        f"The case originated in an application by {KELLER}.\n\nThe applicant sued the miller. The "
        "court dismissed the claim. The applicant filed an appeal."
    )
    asked = f"What was the outcome of {KELLER}'s case?"
    for about in ((1,), (1, 2)):
        evidence = Evidence(1, 1, known=1, whole_record=len(about) == 1, about=about)
        pieces = (passage(1, text=text), passage(2, text=f"{KELLER} was heard."))
        assert compose(asked, *pieces, evidence=evidence).startswith(UNCLEAR)


@pytest.mark.parametrize("trait", ["DEMOGRAPHIC_[aaaa]", "SPECIAL_CATEGORY_[aaaa]"])
def test_what_a_record_may_hide_is_not_denied(trait):
    record = passage(1, text=f"{KELLER} lives here. She has {trait}. The rent is paid.")
    evidence = Evidence(0.1, 0.1, known=1, about=(1,))
    asked = f"Does {KELLER} have a cough?"
    answer = compose(asked, record, evidence=evidence)
    assert answer == f"{UNCLEAR}\n\nShe has {trait}. [1]"
    bare = passage(1, text=f"{KELLER} lives here. The rent is paid.")
    assert compose(asked, bare, evidence=evidence) == NOTHING_FOUND


def test_the_number_that_an_earlier_question_asked_for_is_not_asked_again():
    record = passage(1, text=f"Claim number of {KELLER}: ID_[cc]. The horse is lame.")
    evidence = Evidence(0.2, 0.1, known=1, about=(1,), particular=True, meant=(KELLER,))
    before = f"What is the claim number of {KELLER}?"
    assert UNCLEAR not in follow(before, "", before, record, evidence=evidence)
    assert UNCLEAR in follow(before, "", "And his profession?", record, evidence=evidence)


CARD = "ID_[cc]"
OF_CARD = Evidence(1, 1, known=1, whole_record=True, by_few_words=True)


def test_whose_a_value_is_is_told_with_the_first_name_of_the_record():
    text = f"{KELLER} asks for a place. Clerk {LINDE} agreed at once. The card has number {CARD}."
    answer = compose(f"Whose card is {CARD}?", passage(1, text=text), evidence=OF_CARD)
    assert answer.startswith(f"{KELLER} asks for a place.")
    assert f"The card has number {CARD}." in answer
    nameless = passage(1, text=f"The card has number {CARD}. It was found at the gate.")
    assert compose(f"Whose card is {CARD}?", nameless, evidence=OF_CARD).startswith(UNCLEAR)


def test_a_record_without_the_asked_code_is_no_clear_answer():
    sure = Evidence(1, 1, sentence=1, meant=(CARD,))
    asked = f"When does {CARD} open the gate?"
    for text, unclear in ((f"{CARD} opens the gate at nine.", False), ("The gate opens.", True)):
        answer = compose(asked, passage(1, text=text), evidence=sure)
        assert answer.startswith(UNCLEAR) == unclear


def test_who_only_signs_a_reply_is_not_told_for_certain():
    signed = passage(1, question="My hands itch.", answer=f"Use a cream at night.\n\n{LINDE}")
    answer = compose(f"Who is {LINDE}?", signed, evidence=OF_LINDE)
    assert answer == f"{UNCLEAR}\n\nUse a cream at night. [1]"


def test_a_number_of_another_kind_is_no_clear_answer():
    record = passage(1, text=f"{KELLER} came by. The number of the police is ID_[pp], they say.")
    sure = Evidence(0.9, 0.9, sentence=0.9, known=1)
    asked = f"What is the phone number of {KELLER}?"
    answer = compose(asked, record, evidence=sure, reader=FirstSentence())
    assert answer.startswith(UNCLEAR)


def test_a_question_over_records_is_told_that_one_record_is_quoted():
    sure, weak = Evidence(0.9, 0.9, sentence=0.9), Evidence(0.1, 0.0)
    asked = "How many patients have a migraine?"
    answer = compose(asked, MIGRAINE, evidence=sure)
    assert answer.startswith(f"{ONE_RECORD}\n\n")
    assert answer.endswith("[1]")
    assert compose(asked, MIGRAINE, evidence=weak) == NO_COUNT
    for other in ("What helps against a cough?", "Which planet has the most moons?"):
        assert compose(other, MIGRAINE, evidence=weak) == NOTHING_FOUND


def test_a_mail_of_the_asked_sender_is_preferred():
    to_her = passage(1, text=f"From: {KELLER}\nTo: {LINDE}\n\nThe mill is open on Monday.")
    hers = passage(2, text=f"From: {LINDE}\nTo: {KELLER}\n\nThe mill is closed on Friday.")
    known = Evidence(0.3, 0.3, known=1, whole_record=True, about=(1, 2), meant=(LINDE,))
    for asked in (f"What did {LINDE} write?", f"mails from {LINDE}"):
        assert compose(asked, to_her, hers, evidence=known).endswith("closed on Friday. [2]")
    assert "open on Monday" in compose(f"mails to {LINDE}", to_her, hers, evidence=known)
