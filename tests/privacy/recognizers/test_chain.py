import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.chain import ChainRecognizer
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.spans import resolve_overlaps
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer


def test_a_chain_returns_what_each_finds():
    one = TableRecognizer({"Ada": EntityType.PERSON})
    two = TableRecognizer({"Ada Quist": EntityType.PERSON, "Bern": EntityType.LOCATION})
    spans = ChainRecognizer([one, two]).recognize("Ada Quist of Bern")
    assert sorted((s.start, s.end) for s in spans) == [(0, 3), (0, 9), (13, 17)]


def test_a_chain_is_named_after_its_members():
    table, failing = TableRecognizer({}), FailingRecognizer()
    assert ChainRecognizer([table, failing]).fingerprint == "table+failing"


def test_a_failing_member_fails_the_chain():
    with pytest.raises(RuntimeError):
        ChainRecognizer([TableRecognizer({}), FailingRecognizer()]).recognize("text")


def test_the_default_finds_structured_values_and_names_and_is_made_once():
    text = "Dear Dr Whitcombe, I am Tunde Okoro, 47, of 9 Marsh Road, tel. 020 7946 0123."
    spans = resolve_overlaps(default_recognizer().recognize(text))
    assert [(text[s.start : s.end], s.entity_type) for s in spans] == [
        ("Whitcombe", EntityType.PERSON),
        ("Tunde Okoro", EntityType.PERSON),
        ("47", EntityType.AGE),
        ("9 Marsh Road", EntityType.LOCATION),
        ("020 7946 0123", EntityType.PHONE_NUMBER),
    ]
    assert default_recognizer() is default_recognizer()


@pytest.mark.parametrize(
    "text",
    [
        "Owner Dr. Fell, York, Tel. 07700 900112",
        "Maria Fell, 12 Oak Street, York. Mob 07700 900112, York",
        "Oak Street 12, York\nPh. 07700 900112\nGate code 4471",
        "The Old Mill, Thornbury. Fax: 07700 900112\nGate code 4471",
    ],
)
def test_a_labelled_telephone_number_is_no_part_of_a_place(text):
    spans = resolve_overlaps(default_recognizer().recognize(text))
    kinds = {text[s.start : s.end]: s.entity_type for s in spans}
    assert kinds.get("07700 900112") is EntityType.PHONE_NUMBER
