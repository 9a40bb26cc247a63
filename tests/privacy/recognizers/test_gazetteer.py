import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy.entities import EntityType
from privacy.recognizers.gazetteer import GazetteerRecognizer
from privacy.recognizers.lexicon import default_lexicon, fold, parse_lexicon
from privacy.spans import resolve_overlaps
from tests.growth import LINEAR, growth

RECOGNIZER = GazetteerRecognizer()


def found(text, entity_type=EntityType.PERSON):
    spans = resolve_overlaps(RECOGNIZER.recognize(text))
    return [text[s.start : s.end] for s in spans if s.entity_type == entity_type]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We saw Maria Keller today.", ["Maria Keller"]),
        ("a letter of J. R. Keller came", ["J. R. Keller"]),
        ("Ask Dr. Whitcombe or Nurse Ada.", ["Whitcombe", "Ada"]),
        ("Mrs Young and Mr Brown came", ["Young", "Brown"]),
        ("my name is maria keller and i hurt", ["maria keller"]),
        ("dr keller said so", ["keller"]),
        ("I'm Tunde, this is Linh.", ["Tunde", "Linh"]),
        ("my son Tomasz and my wife, Linh, agree", ["Tomasz", "Linh"]),
        ("Dear Maria, all is well.", ["Maria"]),
        ("All is well. Regards, Liz W.", ["Liz W"]),
        ("Please advise. Thanks, Tunde", ["Tunde"]),
        ("it was Maria's idea", ["Maria"]),
        ("we met Zebulon Quackenbush there", ["Zebulon Quackenbush"]),
        ("Patient: MARIA KELLER", ["MARIA KELLER"]),
        ("with Mei-Ling O'Sullivan-Okoro", ["Mei-Ling O'Sullivan-Okoro"]),
        ("and Lieke van der Berg left", ["Lieke van der Berg"]),
        ("I asked Will Abernathy about it.", ["Will Abernathy"]),
        ("my carer Hope came", ["Hope"]),
        ("Anna, Tobias and Ruth came", ["Anna", "Tobias", "Ruth"]),
        ("Jürgen Müller-Weiß kam", ["Jürgen Müller-Weiß"]),
        ("seen by John A. Quist today", ["John A. Quist"]),
        ("KELLER, MARIA DOB", ["KELLER", "MARIA"]),
        ("Smith, John A.", ["Smith", "John"]),
        ("Keller, M. saw her", ["Keller, M"]),
        ("by Lieke van Beethoven", ["Lieke van Beethoven"]),
    ],
)
def test_people_are_found(text, names):
    assert found(text) == names


def test_a_name_found_once_is_found_everywhere():
    text = "I am Ottokar Wendlandt. Wendlandt is rare. They call for Ottokar."
    assert found(text) == ["Ottokar Wendlandt", "Wendlandt", "Ottokar"]


def test_an_ambiguous_name_is_found_again_when_spoken_to():
    text = "I'm Will Abernathy.\nWill, rest well. Will it pass?"
    assert found(text) == ["Will Abernathy", "Will"]


@pytest.mark.parametrize(
    "text",
    [
        "Rash, E. coli was found.",
        "Hepatitis A. The test was negative.",
        "Take Crocin 650 or Metformin, then Augmentin 625 mg.",
        "He has Parkinson's disease, Crohn's disease and Bell's palsy.",
        "Hashimoto thyroiditis or Down syndrome was ruled out.",
        "On Monday in March the MRI, ECG, TSH and UTI tests came.",
        "Hello Welcome to Chat Doctor. Thanks for your query.",
        "Will it help? May I ask? Mark the spot. Bill me. Grace period. Rose again.",
        "In summer the hope is great; young and brown children may play.",
        "I speak English and French. Chest Pain is bad. Blood Pressure is high.",
        "Take Vitamin D, Paracetamol and Ibuprofen after Dinner.",
        "The Holter monitor and the Foley catheter were fitted.",
        "Use Betadine gel and Calpol syrup.",
    ],
)
def test_medicines_diseases_and_ordinary_words_are_no_people(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "entity_type", "values"),
    [
        ("I live in Kraków now", "LOCATION", ["Kraków"]),
        ("born near Zzyzxville, moved", "LOCATION", ["Zzyzxville"]),
        ("flew from New York to Ghana", "LOCATION", ["New York", "Ghana"]),
        ("reading a nice mobile page", "LOCATION", []),
        ("we live in Reading", "LOCATION", ["Reading"]),
        ("at Harbour Street Surgery today", "ORGANIZATION", ["Harbour Street Surgery"]),
        ("St. Brannock General Hospital", "ORGANIZATION", ["St. Brannock General Hospital"]),
        ("I work for Quillon Logistics.", "ORGANIZATION", ["Quillon Logistics"]),
        ("Public Health and Mental Health Clinic", "ORGANIZATION", []),
        ("go to the nearest hospital", "ORGANIZATION", []),
    ],
)
def test_places_and_organizations(text, entity_type, values):
    assert found(text, EntityType(entity_type)) == values


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_spans_lie_within_any_text(text):
    for span in RECOGNIZER.recognize(text):
        assert 0 <= span.start < span.end <= len(text)


words = st.sampled_from(
    "Dr. Maria keller Will von J. , \n MD Hi thanks St.  's - Hospital of in".split(" ")
)


@given(st.lists(words, max_size=40).map(" ".join))
@settings(max_examples=200, deadline=None)
def test_spans_lie_within_text_of_names_and_cues(text):
    for span in RECOGNIZER.recognize(text):
        assert 0 <= span.start < span.end <= len(text)


@pytest.mark.parametrize("unit", ["A.", "A. ", "Maria ", "maria ", "Dr ", "San ", "van ", "and "])
def test_time_grows_with_the_text_and_not_with_its_square(unit):
    assert growth(lambda count: RECOGNIZER.recognize(unit * count), 2_000) < LINEAR


def test_the_lexicon_knows_names_from_words():
    lexicon = default_lexicon()
    assert "G" in lexicon.kinds_of("maria")
    assert not lexicon.is_word("maria")
    assert lexicon.is_word("grace")
    assert lexicon.is_word("headaches")


def test_folding_takes_accents_away():
    assert fold("Gülşen") == "gulsen"
    assert fold("Søren") == "soren"


def test_fingerprint_changes_with_the_lexicon():
    import gzip

    other = parse_lexicon(gzip.compress(b"maria\tG\nnew york\tP\n"))
    assert GazetteerRecognizer(other).fingerprint != RECOGNIZER.fingerprint
    assert len(RECOGNIZER.fingerprint) < 40
