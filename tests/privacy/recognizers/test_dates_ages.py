import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.ages import AGES
from sage_rag.privacy.recognizers.forms.dates import DATES
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.spans import resolve_overlaps

DATE_RECOGNIZER = PatternRecognizer(DATES)
AGE_RECOGNIZER = PatternRecognizer(AGES)


def values(recognizer, text):
    return [text[s.start : s.end] for s in resolve_overlaps(recognizer.recognize(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seen 12 January 2024.", ["12 January 2024"]),
        ("seen Jan 12th, 2024 again", ["Jan 12th, 2024"]),
        ("on the 3rd of May", ["the 3rd of May"]),
        ("by 2024-03-11 or 2024-03-11T08:30:00Z", ["2024-03-11", "2024-03-11T08:30:00Z"]),
        ("on 08/02/2024, 8.2.24 and 8-2-2024", ["08/02/2024", "8.2.24", "8-2-2024"]),
        ("on 8 June, 10 September and 15 May 1998", ["8 June", "10 September", "15 May 1998"]),
        ("on 8 June, 10 and 12 July 2001", ["8 June", "12 July 2001"]),
        ("on 3 May, 99 and 4 May 98", ["3 May, 99", "4 May 98"]),
        ("since March 2019", ["March 2019"]),
        ("since feb 2012 it hurts", ["feb 2012"]),
        ("am 14. Juli 2023", ["14. Juli 2023"]),
        ("le 9 avril 2024", ["9 avril 2024"]),
        ("el 2 de septiembre", ["2 de septiembre"]),
        ("19/nov/2024", ["19/nov/2024"]),
        ("Friday 22/11 is fine", ["Friday 22/11"]),
        ("born 27. 1. 1993", ["27. 1. 1993"]),
        ("operated in 2016", ["2016"]),
        ("at 10:30 on Friday, from 9.15 until 17:45", ["10:30", "9.15", "17:45"]),
        ("woke up 4:15 pm, logged 08:21:07", ["4:15 pm", "08:21:07"]),
        ("the third of March, nineteen ninety-four", ["the third of March, nineteen ninety-four"]),
        ("on May fifth 2019", ["May fifth 2019"]),
        ("in 1994, 1995 and 1997", ["1994, 1995 and 1997"]),
        ("During the 1974 events", ["1974"]),
        ("ratio 1:2, titre 1:40, to 4.5 mg, from 1.25 ml to 2.50 ml, at 37.50 kg", []),
        ("8 am and 8 pm daily, 10 at most", []),
        ("two weeks ago, for 3 days, at 5 pm", []),
        ("this may help, you may 2 times", []),
        ("march on, may 5 tablets", []),
        ("2 May be due to reflux", []),
        ("pressure 165/89, pain 8/10, 0.5 mg, 1.25 ml", []),
        ("in 2000 mg, version 1.2.3.4", []),
        ("99/99/2024", []),
        ("since the 2nd I feel sick, worse after the 9th.", ["2nd", "9th"]),
        ("The 14th was bad, the hearing of the 16th was worse", ["14th", "16th"]),
        ("your letter of the 3rd inst. and hers of the 28th ult", ["3rd inst.", "28th ult"]),
        ("the 3rd was better, after the 3rd dose, of the 19th century", []),
        ("from the 4th to the 6th floor, one of the 5th and 6th graders", []),
    ],
)
def test_calendar_dates(text, expected):
    assert values(DATE_RECOGNIZER, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 47-year-old woman", ["47-year-old"]),
        ("47 years old, aged 48", ["47 years old", "48"]),
        ("pt 47 yo, 47/F, M/32", ["47 yo", "47", "32"]),
        ("my 4 year old and a 6 month old", ["4 year old", "6 month old"]),
        ("6 months old", ["6 months old"]),
        ("I am 63, tired", ["63"]),
        ("im 24 and pregnant", ["24"]),
        ("she's 5.", ["5"]),
        ("My name is Ada Quist, 52, baker.", ["52"]),
        ("my son Ravi (13) fell", ["13"]),
        ("he just turned 64 years old", ["64 years old"]),
        ("63yrs male", ["63yrs"]),
        ("since I was nine", ["nine"]),
        ("father had a stroke at 57", ["57"]),
        ("three weeks old", ["three weeks old"]),
        ("I am 5 feet tall, I am 5'6, I am 70 kg", []),
        ("am 16 and a half weeks pregnant, I am 12 weeks", []),
        ("for 2 years now, 3 years ago", []),
        ("pressure is 120, the dose is 50 mg", []),
        ("I am 100% sure, I am 2 months late", []),
    ],
)
def test_ages_only_where_the_context_says_so(text, expected):
    assert values(AGE_RECOGNIZER, text) == expected


def test_all_are_of_their_type():
    assert {p.entity_type for p in DATES} == {EntityType.DATE_TIME}
    assert {p.entity_type for p in AGES} == {EntityType.AGE}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It came on 6 July. The hedge grew.", "6 July"),
        ("It is due on 24 May.", "24 May"),
        ("Until 12 Jan. 2020 it worked.", "12 Jan. 2020"),
    ],
)
def test_the_full_stop_of_a_sentence_is_no_part_of_a_date(text: str, value: str) -> None:
    assert values(DATE_RECOGNIZER, text) == [value]
