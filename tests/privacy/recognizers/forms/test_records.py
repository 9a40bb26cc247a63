import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.checksums import vin
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.records import RECORDS
from sage_rag.privacy.spans import resolve_overlaps

RECOGNIZER = PatternRecognizer(RECORDS)


def found(text):
    spans = resolve_overlaps(RECOGNIZER.recognize(text))
    return [(text[s.start : s.end], str(s.entity_type)) for s in spans]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("MRN: 4471-22.", "4471-22", "MEDICAL_RECORD"),
        ("her health plan number is HP-99213", "HP-99213", "MEDICAL_RECORD"),
        ("member id QX 88213 07", "QX 88213 07", "MEDICAL_RECORD"),
        ("Versichertennummer A123456780", "A123456780", "MEDICAL_RECORD"),
        ("account no. 99120043", "99120043", "BANK_ACCOUNT"),
        ("sort code 12-34-56", "12-34-56", "BANK_ACCOUNT"),
        ("passport number is X1234567", "X1234567", "PASSPORT"),
        ("Reisepass: C01X00T47", "C01X00T47", "PASSPORT"),
        ("driver's license number is F1628235", "F1628235", "DRIVER_LICENSE"),
        ("license plate number: ABC 1234", "ABC 1234", "VEHICLE"),
        ("Kennzeichen B-MX 1234 ist", "B-MX 1234", "VEHICLE"),
        ("VIN 1M8GDM9AXKP042788", "1M8GDM9AXKP042788", "VEHICLE"),
        ("seen: 1M8GDM9AXKP042788", "1M8GDM9AXKP042788", "VEHICLE"),
        ("Case No. 2024-CV-9711", "2024-CV-9711", "CASE_NUMBER"),
        ("filed 3:21-cv-00417-ABC today", "3:21-cv-00417-ABC", "CASE_NUMBER"),
        ("originated in an application (no. 91234/05)", "91234/05", "CASE_NUMBER"),
        ("applications (nos. 265/07) against", "265/07", "CASE_NUMBER"),
        ("BGH, Urteil vom 3. Mai, II ZR 912/20,", "II ZR 912/20", "CASE_NUMBER"),
        ("1 BvR 9019/16 ist", "1 BvR 9019/16", "CASE_NUMBER"),
        ("in Case C-931/12 the", "C-931/12", "CASE_NUMBER"),
        ("[2019] EWCA Civ 9123 held", "[2019] EWCA Civ 9123", "CASE_NUMBER"),
        ("my policy is QD-5520-18.", "QD-5520-18", "ID"),
        ("with my card 5412753456789010", "5412753456789010", "CREDIT_CARD"),
        ("social security number 219099999", "219099999", "US_SSN"),
        ("tax number 12/345/67890", "12/345/67890", "NATIONAL_ID"),
    ],
)
def test_the_word_before_a_number_says_what_it_is(text, value, kind):
    assert (value, kind) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The patient is 13-year-old, patient 120/80, chart 7",
        "see the attached file: PLAN2024.pdf",
        "Our address on file is 1550 of the list",
        "In my case 2 of 3 tests, record 500 mg, file 2019, 1000 people",
        "pressure 120/80, ratio 1:2, 2019/12, 10/2024, 250/50 mcg",
        "COVID-19, ICD-10, type 2, HbA1c, T4, B12, C-section, F 2",
        "name your plate, a plate of 12 eggs",
        "the code 1M8GDM9AXKP042789 has a wrong check digit",
        "moved to Tempe, AZ 1550 of them",
    ],
)
def test_ages_files_readings_and_streets_are_no_records(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("1M8GDM9AXKP042788", True),
        ("1m8gdm9axkp042788", True),
        ("1M8GDM9A1KP042788", False),
        ("1M8GDM9AXKP04278", False),
        ("1M8GDM9AXKPO42788", False),  # the letter O
    ],
)
def test_vin_check_digit(value, valid):
    assert vin(value) is valid


def test_every_kind_is_direct():
    kinds = {p.entity_type for p in RECORDS}
    assert kinds <= {EntityType.ID, EntityType.CASE_NUMBER, EntityType.VEHICLE}
