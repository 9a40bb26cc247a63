import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.quantities import QUANTITIES
from sage_rag.privacy.spans import resolve_overlaps

RECOGNIZER = PatternRecognizer(QUANTITIES)


def found(text):
    return [text[s.start : s.end] for s in resolve_overlaps(RECOGNIZER.recognize(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("earns $120,000 a year", ["$120,000"]),
        ("paid €4.5 million, £12 and US$ 300", ["€4.5 million", "£12", "US$ 300"]),
        ("the sum of EUR 4,684.40 was", ["EUR 4,684.40"]),
        ("fined TRL 381,495,000.", ["TRL 381,495,000"]),
        ("1,000 Austrian schillings (ATS)", ["1,000 Austrian schillings (ATS)"]),
        ("a price of 615 DEM", ["615 DEM"]),
        ("an INR 2.8. Paid INR 2.85, INR 300 and INR 7,500", ["INR 2.85", "INR 300", "INR 7,500"]),
        ("3 million Swedish kronor (SEK)", ["3 million Swedish kronor (SEK)"]),
        ("five hundred dollars", ["five hundred dollars"]),
        ("twenty-five thousand euros", ["twenty-five thousand euros"]),
        ("owns 40% of it", ["40%"]),
        ("weighs 82 kg and is 181 cm tall", ["82 kg", "181 cm"]),
        ("she is 5'4\" and 130 lbs", ["5'4\"", "130 lbs"]),
        ("12 hectares, 50 metres from", ["12 hectares", "50 metres"]),
        ("500 mg twice, 5 ml, 120/80 mmHg, 3 days, 72 bpm", []),
        ("in 2019, on page 12, room 5, type 2", []),
        ("a pound of flesh, a dollar short, marks on the skin", []),
    ],
)
def test_money_and_measures(text, expected):
    assert found(text) == expected


def test_all_are_quantities():
    assert {p.entity_type for p in QUANTITIES} == {EntityType.QUANTITY}
