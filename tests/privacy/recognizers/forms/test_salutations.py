"""Names that are words, at the places of a letter where a word names a person."""

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.salutations import SALUTATIONS

_RECOGNIZER = PatternRecognizer(SALUTATIONS)


def names(text: str) -> list[str]:
    spans = _RECOGNIZER.recognize(text)
    assert all(span.entity_type is EntityType.PERSON for span in spans)
    return sorted({text[span.start : span.end] for span in spans})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dear Modesty,\n\nThank you for your letter.", "Modesty"),
        ("dear Bramble, your form is here", "Bramble"),
        ("Hi Clemency - the key is here.", "Clemency"),
        ("Hello Bluebell\nyour parcel is at the desk.", "Bluebell"),
        ("Hey Thistle! All well?", "Thistle"),
        ("Dear Mr Goodness, we write about the rent.", "Goodness"),
        ("Dear Modesty Bluebell, hello", "Modesty Bluebell"),
        ("It is due in May.\n\nKind regards,\nSolace", "Solace"),
        ("It is due in May.\n\nyours sincerely\n\n  Bramble Thorn\n", "Bramble Thorn"),
        ("Let me know. Best wishes, Clover", "Clover"),
        ("Cheers,\nFox.", "Fox"),
        ("You need not pay, Clemency. Keep the card.", "Clemency"),
        ("Patience, you need not pay.", "Patience"),
        ("Pay nothing. Promise, please call us.", "Promise"),
        ("Thanks, we asked Modesty about it.", "Modesty"),
        ("Promise called at nine.", "Promise"),
        ("It leaks. Goodness has not paid yet.", "Goodness"),
        ("Many thanks Praise, that helps.", "Praise"),
    ],
)
def test_a_word_at_the_place_of_a_name_is_a_name(text: str, name: str) -> None:
    assert names(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Sir or Madam,",
        "Dear Customer, your parcel is here.",
        "Dear Colleagues,",
        "Dear Housing Office, my tap drips.",
        "Dear Registrar, dear Subscriber,",
        "Hi all, the lift is out of order.",
        "Hello there. Good morning.",
        "Hello Doctor, my knee hurts.",
        "Hi hope you can help, it is urgent.",
        "Thanks,\nRegards",
        "Yours Faithfully",
        "Kind regards,\nThe Repairs Team",
        "Best wishes\nReception",
        "Take care\nof the wound and rest.",
        "Patience is needed, as healing takes weeks.",
        "We asked the Charity for help.",
        "She stayed at the hotel Comfort Inn.",
        "He acted in Mercy and left.",
        "patience, you need rest",
        "Mercy was shown to the accused.",
        "Promise not to call again.",
        "Patience, therapy and time heal it.",
    ],
)
def test_roles_and_words_are_no_names(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize("text", ["Dear Clemency, hello.", "All done, Modesty. Rest well."])
def test_the_default_recognizer_finds_names_that_are_words(text: str) -> None:
    name = "Clemency" if "Clemency" in text else "Modesty"
    start = text.index(name)
    assert any(
        span.start <= start and start + len(name) <= span.end
        for span in default_recognizer().recognize(text)
    )
