import pytest

from sage_rag.privacy.recognizers.forms.addresses import ADDRESSES
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.spans import resolve_overlaps

RECOGNIZER = PatternRecognizer(ADDRESSES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 14 Elm Street, Wexbury.", ["14 Elm Street, Wexbury"]),
        ("221B Baker St is", ["221B Baker St"]),
        ("Flat 4, 9 Marsh Road", ["Flat 4, 9 Marsh Road"]),
        ("77 Oak Ave, Suite 12, Salem, OR 97301", ["77 Oak Ave, Suite 12, Salem, OR 97301"]),
        ("in der Hauptstraße 12, 10115 Berlin", ["Hauptstraße 12, 10115 Berlin"]),
        ("ul. Lipowa 8, Gdynia", ["ul. Lipowa 8, Gdynia"]),
        ("29 rue de la Paix, Lyon", ["29 rue de la Paix, Lyon"]),
        ("P.O. Box 118", ["P.O. Box 118"]),
        ("Boise ID 83702 and SW1A 1AA", ["ID 83702", "SW1A 1AA"]),
        ("the Abbey Road studio", ["Abbey Road"]),
        ("zip code is 02139", ["02139"]),
        ("2 tablets a day, 500 mg Crocin, During 1998 it grew", []),
        ("on the road to recovery, a long way", []),
        ("take 3 Dolo and 1 Court-plaster", []),
    ],
)
def test_postal_addresses(text, expected):
    spans = resolve_overlaps(RECOGNIZER.recognize(text))
    assert [text[s.start : s.end] for s in spans] == expected
