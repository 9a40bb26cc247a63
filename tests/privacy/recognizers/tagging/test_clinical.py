"""Medicine that is nobody's age, date or name, and what beside it stays somebody's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.tagging.clinical import ClinicalRecognizer
from sage_rag.privacy.spans import Span, resolve_overlaps
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer

AGE, DATE, PERSON = EntityType.AGE, EntityType.DATE_TIME, EntityType.PERSON


class Marked:
    """Finds what stands between guillemets in the text it was made from."""

    def __init__(self, marked: str, entity_type: EntityType) -> None:
        self.text = marked.replace("«", "").replace("»", "")
        self._span = Span(marked.index("«"), marked.index("»") - 1, entity_type)

    fingerprint = "marked"

    def recognize(self, text: str) -> list[Span]:
        return [self._span]


def judged(marked: str, entity_type: EntityType) -> list[tuple[str, EntityType]]:
    inner = Marked(marked, entity_type)
    spans = ClinicalRecognizer(inner).recognize(inner.text)
    return [(inner.text[s.start : s.end], s.entity_type) for s in spans]


@pytest.mark.parametrize(
    "marked",
    [
        "We aim for an LDL below «70» by spring.",
        "Her resting pulse stays above «55».",
        "His TSH was «4».15 in the morning.",
        "The urea of 90 and creatinine of «9» worry me.",
        "My GPT(ALAT) was «21» then.",
        "pressures of 27 and «29» in both eyes",
        "MY HEARTBEAT WAS AT «110» AND RISING",
        "The fever rose to «39» at night.",
        "I check my pulse. It can go below «60» at night.",
        "A sugar of «88» or less is low.",
        "LDL fell from «90» to 70.",
        "LDL fell from 90 to «70».",
        "My weight is «82» kg.",
        "I am «82» or 83 kg.",
        "It was 125 over «78» today.",
        "Finger gadget says «90» only.",
        "Eight in «ten» are better after it.",
        "Nine people in «ten» tolerate it.",
        "«Ninety» out of a hundred labels are false.",
        "Headache «four» times a month.",
        "Take 100 mg, then «40», for six weeks.",
        "Strong lenses, minus «eight».",
        "I am «16» and a half weeks pregnant.",
        "She was born at «37» weeks.",
        "Chest pain means «112».",
        "If you faint, call «911».",
        "uric acid until under «360»",
        "at your «age» I would not",
        "The stent is «three months old».",
        "With a «three-month-old» stent I wait.",
        "My contacts (monthlies, they're like «seven weeks old») hurt.",
        "an «eight-week-old» wound",
        "a «three-month-old» ankle fracture",
        "a «ten-year-old» metal stent",
        "a «ten-year-old» car, but it runs",
        "the liver value was «68»",
        "Session: «3»",
        "the tumour is stage «3» now",
        "in the «31st» week of the pregnancy",
        "in the «31»st week of the pregnancy",
        "I am «31» weeks and it kicks",
        "at «31»+4 it was fine",
        "a fever of «101» F",
        "His temperature was «94» F.",
    ],
)
def test_a_number_that_measures_or_counts_is_no_age(marked: str) -> None:
    assert judged(marked, AGE) == []


@pytest.mark.parametrize(
    "marked",
    [
        "My pulse is fine and I am «55».",
        "My pulse is low, «55», male.",
        "pulse 80, I'm «55»",
        "BP 120/80, age «55»",
        "LDL fine in a «55» year old",
        "high blood pressure «55» F",
        "high blood pressure at «45»",
        "My cholesterol, «61», is a worry",
        "Fever. My aunt is over «70».",
        "Her pulse raced. Mrs Orr is over «70».",
        "LDL was high when she turned «60»",
        "I am «52» and 90 kg.",
        "low iron and only «19»",
        "My levels are normal and «33».",
        "Diagnosed at «30» in 98, HIV.",
        "Diagnosed at 30 in «98», HIV.",
        "Fell ill at «31» a week after.",
        "The patient is over «70 years» and should avoid NSAIDs.",
        "Patients over «70 years», avoid NSAIDs.",
        "HIV positive at «23»",
        "On insulin from «9», she manages.",
        "His cholesterol killed him at «54».",
        "My levels dropped at about «55».",
        "Took estrogen from 48 to «55».",
        "Is a pulse of 90 normal for «35»?",
        "His cholesterol was fine, he went to «96».",
        "He died of high sugar at «54».",
        "I'll be «60» in three months.",
        "She turns «60» in ten days.",
        "My great-grandmother, «112», still walks.",
        "Age: «112»",
        "Nadia Holt, «45», for three weeks I cough",
        "women after «50»",
        "a «55» patient of the doctor's",
        "my twins are «six weeks old»",
        "She lost her contacts when she was «six weeks old».",
        "my «three-month-old» daughter with a stent",
        "an «80-year-old» pacemaker patient",
        "a «50-year-old» car mechanic",
        "a «three-month-old» bottle fed baby",
        "a «nine-year-old» injury",
        "my «three-week-old» wounds easily",
        "a «72-year-old» with stents",
        "A «47-year-old» wearing glasses.",
        "A «six-month-old» on pills and drops.",
        "a «ten-month-old» with infections",
        "the «six-week-old» infection patient",
        "The «six-month-old» bruises easily.",
        "The inhaler for Maya is «seven years old».",
        "Bottle feeding, they are «six weeks old»",
        "«47-year-old» stonemason",
    ],
)
def test_an_age_beside_medicine_stays(marked: str) -> None:
    [(value, entity_type)] = judged(marked, AGE)
    assert entity_type is AGE
    assert f"«{value}»" in marked


@pytest.mark.parametrize(
    ("marked", "grown"),
    [
        ("a diabetic since «12» yrs", "12 yrs"),
        ("He had it «15 years» ago.", "15 years"),
        ("no beer in «10 yrs»", "10 yrs"),
        ("The alarm rings at «six».", "six"),
        ("He vacuums at «six» in the morning.", "six"),
    ],
)
def test_an_age_that_is_a_time_becomes_one(marked: str, grown: str) -> None:
    assert judged(marked, AGE) == [(grown, DATE)]


@pytest.mark.parametrize(
    "marked",
    [
        "I shiver under two blankets, «38.9».",
        "temperature above «37.8», swollen belly",
        "Aim for under «5.3» before meals.",
        "The paper says fasting «5.4».",
        "Her LDL was «3.11» then.",
        "Temp 37.«8» today.",
        "It comes «six» or seven days a month.",
        "It comes six or «seven days» a month.",
        "At «six or more days» a month we treat.",
        "Use it on no more than «nine days» a month.",
        "from seven to «three a» month",
        "ibuprofen every «eight hours»",
        "A period every «24» days.",
        "about «3» or 4 times a day",
        "Flucloxacillin 500 mg four times daily for «ten days».",
        "Use the gel twice a day for «five days».",
        "He gave me amoxicillin 500 mg twice daily for «seven days».",
        "Naproxen 500 mg twice daily, «ten days».",
        "One course of antibiotics for «5 days».",
        "No antihistamines for «five days» beforehand.",
        "We repeat the TSH in «six weeks».",
        "Tablets under the tongue, daily for «three years».",
    ],
)
def test_the_default_takes_values_frequencies_and_treatments_for_no_dates(marked: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    start, end = marked.index("«"), marked.index("»") - 1
    found = [s for s in default_recognizer().recognize(text) if s.entity_type is DATE]
    assert not any(s.start < end and start < s.end for s in found)


@pytest.mark.parametrize(
    ("marked", "value"),
    [
        ("For «three» weeks now my heart races.", "three weeks"),
        ("It is 2-«3 days» since the rash.", "2-3 days"),
        ("I have had it for «two years».", "two years"),
        ("I carried him for 4 1/«2» months.", "4 1/2 months"),
        ("I lived in Ghent for «ten days».", "ten days"),
        ("We stayed there for «ten days», twice daily at the beach.", "ten days"),
        ("I have been on 5 mg daily for «three weeks».", "three weeks"),
        ("He takes 5 mg daily since «three weeks».", "three weeks"),
        ("I prayed daily for «forty days».", "forty days"),
        ("«Two weeks» ago I lifted a tablet press.", "Two weeks"),
        ("You broke your ankle before «1 year», stop running.", "1 year"),
        ("My husband should be home in «six weeks».", "six weeks"),
        ("The permit must be renewed every «two years».", "two years"),
        ("Normally only after «two years» may they apply.", "two years"),
        ("Ring the doctor before «six».", "six"),
        ("from «1.09» I cut all gluten, LDL was fine", "1.09"),
        ("My fever began on «5.4», I think.", "5.4"),
        ("The defendant must attend treatment for «two years».", "two years"),
        ("Sentence: 18 months, no driving for «2 years».", "2 years"),
        ("Mrs Alder must rest for «ten days» after the operation.", "ten days"),
        ("Unemployed for «3 years», may need surgery.", "3 years"),
        ("Trying to conceive for «2 years», no pregnancy", "2 years"),
        ("Symptoms for «6 months», doctor says may be cancer", "6 months"),
        ("No alcohol for «3 years».", "3 years"),
        ("Bus driver for «20 years», back pain, should driving stop?", "20 years"),
        ("Diabetic for «15 years», can insulin be stopped?", "15 years"),
        ("Mum takes 5 mg daily for «12 years».", "12 years"),
        ("Ten days no stool. «Ten days» without, can it be cancer?", "Ten days"),
        ("LDL seen on «12 May 2024»", "12 May 2024"),
        ("Labs «12.03»: ferritin low", "12.03"),
        ("Dose raised «12.05», as agreed", "12.05"),
        ("BP checked 5.11 and «6.12»", "6.12"),
        ("HbA1c 7.2 («12.03»), then better", "12.03"),
        ("Take it until «12 May»", "12 May"),
        ("in «98» with fever", "98"),
        ("The dose was lowered in «03».", "03"),
        ("My weight went up after «40».", "40"),
    ],
)
def test_dates_and_a_persons_history_stay(marked: str, value: str) -> None:
    assert judged(marked, DATE) == [(value, DATE)]


@pytest.mark.parametrize(
    "marked",
    [
        "It may be «Lewy» body dementia.",
        "He has «Parkinson»'s disease.",
        "«Graves»' disease was ruled out",
        "an «Apgar» score of 9",
        "a positive «Murphy» sign",
        "the «Glasgow» Coma Scale",
        "He scored 13 on the «Glasgow Coma Scale».",
        "positive for «C. Diff» after antibiotics",
        "«Apgar» 7 and 9",
        "«Apgars» of 9/10/10",
        "«Gleason» 3+4 on the left",
        "«Kellgren» grade 3",
        "«Child-Pugh» B, no ascites",
        "The «ADA» level was 48.",
        "«Child-Pugh B», no ascites",
        "a «Billroth II» in the past",
        "«Mobitz» type 2 on the strip",
        "«Kerley B» lines",
        "«Lewy body» dementia",
        "«Parkinson's» disease",
        "«Babinski» upgoing on the left",
        "«Breslow» 2.1 mm",
        "«Epworth 9»",
        "«Zika» was excluded",
        "«NYHA II» since spring",
        "NYHA «II» since spring",
        "staged as «pT2N0M0»",
        "«MMSE 24»/30",
        "or a knock to the head: «A&E.» and show them this",
        "go to A&«E»",
    ],
)
def test_the_name_of_a_disease_is_not_a_person(marked: str) -> None:
    assert judged(marked, PERSON) == []


@pytest.mark.parametrize(
    "marked",
    [
        "Mr «Parkinson»'s disease got worse.",
        "«Graves» came about her disease.",
        "«Keller»'s disease is rare.",
        "Dear «Bell», palsy is rare.",
        "«Murphy» and the sign",
        "«Barthel» called at 9:30.",
        "«Apgar» 12 May",
        "Mr «Gleason» 3+4",
        "«ADA» was 60 when she died.",
        "«Lewy Keller» called",
        "«Coombs» was negative for the virus.",
        "«Child-Pugh Brandt» came",
        "«Billroth» IV",
        "«Asa 3»",
        "«A. E.» Orde",
        "«R&A&E» sent it",
    ],
)
def test_a_person_with_the_name_of_a_disease_stays(marked: str) -> None:
    assert len(judged(marked, PERSON)) == 1


@pytest.mark.parametrize("entity_type", [EntityType.QUANTITY, EntityType.ID, AGE, DATE])
@pytest.mark.parametrize(
    "marked",
    [
        "the pressure was «190/110» and rising",
        "BP «190»/110, pulse 96",
        "BP 190/«110», pulse 96",
        "with hypertension, 160/95 then «150/90»",
        "«190/110» was measured twice",
        "At home «150»/95 mmHg",
    ],
)
def test_a_blood_pressure_is_not_private(marked: str, entity_type: EntityType) -> None:
    assert judged(marked, entity_type) == []


@pytest.mark.parametrize(
    "marked",
    ["application no. «190/11»", "BP was fine. File «190/110»", "BP on «12/05»", "BP «4711/05»"],
)
def test_a_file_number_is_no_blood_pressure(marked: str) -> None:
    assert len(judged(marked, EntityType.ID)) == 1


def test_a_patient_called_like_a_disease_is_hidden_and_the_disease_stays() -> None:
    text = "Mrs Graves has Graves disease. Graves feels better."
    found = [text[s.start : s.end] for s in resolve_overlaps(default_recognizer().recognize(text))]
    assert found == ["Graves", "Graves"]


def test_a_postcode_with_the_form_of_a_tumours_stage_stays() -> None:
    assert len(judged("Red Deer AB «T4N1M0»", EntityType.LOCATION)) == 1


@pytest.mark.parametrize("entity_type", [PERSON, EntityType.ID, EntityType.LOCATION])
@pytest.mark.parametrize(
    "marked",
    [
        "«eGFR 44», INR 2",
        "«BNP 1200»",
        "«ALT 68, AST 71», GGT 90",
        "«ALT» was 68 and AST 71.",
        "ALT was «68» and AST 71.",
        "Na 138, «K 4.1», Cl 101",
        "pH 7.32, «pCO2 48»",
        "«HbA1c» 7.8",
        "«Hb 9.8»",
    ],
)
def test_results_without_units_are_not_private(marked: str, entity_type: EntityType) -> None:
    assert judged(marked, entity_type) == []


@pytest.mark.parametrize(
    "marked", ["Flat «K 4» is empty.", "«Na» 12 Years A Slave", "MRN «4471»", "«CK»"]
)
def test_symbols_alone_and_numbers_of_records_stay(marked: str) -> None:
    assert len(judged(marked, EntityType.ID)) == 1


def test_a_name_like_that_of_a_test_stays_after_a_title() -> None:
    assert len(judged("Mr «ALT» 68", PERSON)) == 1


@pytest.mark.parametrize(
    "marked",
    ["the «works council of» the plant", "The «tenants' association»", "our «housing office»"],
)
def test_a_body_without_a_name_is_not_private(marked: str) -> None:
    assert judged(marked, EntityType.ORGANIZATION) == []


@pytest.mark.parametrize(
    "marked", ["«Camden council»", "«camden council»", "the «Works Council of Aldermill»"]
)
def test_a_body_with_a_name_stays(marked: str) -> None:
    assert len(judged(marked, EntityType.ORGANIZATION)) == 1


def test_other_types_are_left_alone() -> None:
    assert judged("LDL below «70»", EntityType.US_SSN) == [("70", EntityType.US_SSN)]
    assert judged("LDL below «70»", EntityType.QUANTITY) == [("70", EntityType.QUANTITY)]


def test_the_fingerprint_tells_rules_and_inner_recognizer_apart() -> None:
    fingerprint = ClinicalRecognizer(TableRecognizer({})).fingerprint
    assert fingerprint.startswith("clinical-")
    assert fingerprint.endswith("(table)")
    assert fingerprint in ClinicalRecognizer(ClinicalRecognizer(TableRecognizer({}))).fingerprint
    assert "clinical-" in default_recognizer().fingerprint


def test_a_failing_recognizer_fails_it() -> None:
    with pytest.raises(RuntimeError):
        ClinicalRecognizer(FailingRecognizer()).recognize("LDL below 70")


@given(st.text(max_size=80), st.sampled_from(list(EntityType)), st.data())
def test_a_find_goes_stays_or_grows_within_the_text(
    text: str, entity_type: EntityType, data: st.DataObject
) -> None:
    text = f"{text} pulse 55 for 3 or 4 days"
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    inner = Marked(f"{'x' * start}«{'x' * (end - start)}»", entity_type)
    for span in ClinicalRecognizer(inner).recognize(text):
        assert span.start <= start
        assert end <= span.end <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rosuvastatin 5 mg every night, aiming for an LDL below 70.", []),
        ("If CK is under ten times normal, we wait until the ache clears.", []),
        ("Eight in ten are better after one or two goes.", []),
        ("Keep the pulse above 55. I am 55 myself.", [("55", AGE)]),
        ("With a three-month-old stent I won't stop aspirin.", []),
        ("Doxycycline 100 mg twice daily for ten days.", []),
    ],
)
def test_the_default_recognizer_leaves_medicine_alone(
    text: str, expected: list[tuple[str, EntityType]]
) -> None:
    kinds = (AGE, DATE, PERSON)
    found = resolve_overlaps(default_recognizer().recognize(text))
    values = [(text[s.start : s.end], s.entity_type) for s in found if s.entity_type in kinds]
    assert values == expected


@pytest.mark.parametrize(
    "marked",
    [
        "it began «yesterday»",
        "since «last week»",
        "«the day before yesterday»",
        "on «Monday»",
        "seen «last Friday night» with it",
        "2 days ago it was «4 pm»",
        "it's «4am» here",
        "«the week before last»",
        "in «the 31st week» of my pregnancy",
    ],
)
def test_a_time_that_names_no_calendar_day_is_not_private(marked: str) -> None:
    assert judged(marked, DATE) == []


@pytest.mark.parametrize(
    "marked", ["on «Monday 3 May»", "at «10:31»", "on the «3rd of last month»", "«May 2020»"]
)
def test_a_time_with_a_day_a_month_or_minutes_stays_private(marked: str) -> None:
    assert len(judged(marked, DATE)) == 1
