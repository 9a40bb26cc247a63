"""The words that prove an age."""

from __future__ import annotations

import re

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.age_evidence import proven_ages
from sage_rag.privacy.spans import Span


def proven(marked: str) -> bool:
    """Return whether the value between guillemets is proven to be an age."""
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    spans = [Span(*m.span(), EntityType.PERSON) for m in re.finditer(r"Ada Novak", text)]
    return start in proven_ages(text, [*spans, Span(start, end, EntityType.AGE)])


@pytest.mark.parametrize(
    "marked",
    [
        "I am «61», height 170 cm",
        "she was «19» then",
        "im just «14» and scared",
        "My son is «3 Years» and has been coughing",
        "a «3-month-old» girl",
        "my «6 yr old» has a rash",
        "he is «34 years old»",
        "«21 yrs of age»",
        "a «10 y/o» boy",
        "seen: «54»F with cough",
        "a «57» year male",
        "male «47» (smoker)",
        "Male, «57 years», from here",
        "F/«54»",
        "aged «44»",
        "Age: «31»",
        "at the age of «six»",
        "their children, aged «4» and 7",
        "their children, aged 4 and «7»",
        "she turned «40» in May",
        "My husband («71») feels dizzy",
        "my «14 month» baby",
        "retired in her late «60s»",
        "his father died at «63»",
        "when he was «six»",
        "Ada Novak, «52», a nurse",
        "Ada Novak («52») came",
        "患者«63岁»",
    ],
)
def test_words_prove_an_age(marked: str) -> None:
    assert proven(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "the liver value was «68»",
        "My ALT is «68»",
        "Bilirubin is «3»",
        "in the «31»st week of my pregnancy",
        "I am «31» weeks pregnant",
        "week «31» of the pregnancy",
        "Session: «3»",
        "I am «212lbs»",
        "I am «58» kg",
        "her blood pressure was «120» over 80",
        "protein fell to «2»+",
        "asthmatic («9yrs»)",
        "a father of «two»",
        "a fever of «101» F",
        "the temperature was «98» F",
        "it was «70» F outside, and the temperature fell",
        "it is «3» M long",
        "«12» men and 20 women",
        "smoked for «20» years",
        "surgery at «9»",
        "I am «5» foot 4",
        "I was «90» over 60",
        "the music of the «70s»",
        "Novak, «52», a nurse",
        "Ada Novak, «3», a nurse",
        "She scored «64» of 80",
        "my pulse is «55»",
    ],
)
def test_a_measure_or_a_bare_number_is_no_proven_age(marked: str) -> None:
    assert not proven(marked)


def test_a_text_without_ages_is_not_searched() -> None:
    assert proven_ages("I am 63", [Span(0, 1, EntityType.PERSON)]) == frozenset()
