"""Names, dates and sums in spellings that this file makes: no checker and no sampler lets one go."""

from datetime import date
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.agents.testing.fakes import ScriptedChatModel
from sage_rag.privacy.entities import EntityType
from sage_rag.training.controlled.blocking import BlockedTokens, TextState, Vocabulary
from sage_rag.training.controlled.codes import AnnotatedDocument, PrivateValue, ValueSpan
from sage_rag.training.controlled.generation import Generation, GenerationSettings
from sage_rag.training.controlled.samplers import ChatSampler
from sage_rag.training.controlled.spellings import name_spellings, spellings
from sage_rag.training.controlled.value_trie import ValueTrie
from tests.training.controlled.corpus import choice, tokenizer

GIVEN = ("John", "Li", "Ngọc", "Anne-Marie", "Bo", "José", "J.")
FAMILY = ("Smith", "Wu", "O'Neil", "Holst-Christensen", "Ek", "Łoś", "van der Berg")


def test_a_name_is_blocked_by_its_parts_but_not_by_its_title() -> None:
    name = PrivateValue.of("Dr Henrik van Hasslund", EntityType.PERSON)
    town = PrivateValue.of("Lower Tindale", EntityType.LOCATION)
    trie = ValueTrie(spellings([name, town, PrivateValue.of("the", EntityType.MISC)]))
    assert all(map(trie.found_in, ("Hasslund", "HENRIK", "lower tindale")))
    assert not any(map(trie.found_in, ("the doctor", "Dr", "van", "Tindale", "the")))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("John Smith", "J. Smith"),
        ("Mr John Smith", "Smith, J."),
        ("John Smith", "Mr Smith"),
        ("Mr Jan Wu", "Ms Wu"),
        ("Mr Jan Wu", "Wu, J."),
        ("Mr Jan Wu", "J.WU"),
        ("Bo Li", "Li Bo"),
        ("Ms A. B. Ek", "A.B. Ek"),
        ("Ms Nina Holst-Christensen", "Ms Christensen"),
        ("Mr Hasslund's", "Hasslund"),
        ("John Smith", "the Smiths"),
        ("John Smith", "MrSmith"),
        ("John Smith", "SmithJohn"),
    ],
)
def test_initials_order_and_title_do_not_hide_a_name(value: str, text: str) -> None:
    assert ValueTrie(name_spellings(value)).found_in(f"He met {text}, again.")


@pytest.mark.parametrize("text", ["wu wei", "bo", "a bo tree", "J. S.", "Johnson", "Smithson"])
def test_short_parts_alone_and_longer_words_stay_allowed(text: str) -> None:
    trie = ValueTrie([*name_spellings("John Smith"), *name_spellings("Jan Wu")])
    assert not trie.found_in(text)


@st.composite
def names(draw: st.DrawFn) -> tuple[PrivateValue, str]:
    given_name, family = draw(st.sampled_from(GIVEN)), draw(st.sampled_from(FAMILY))
    title = draw(st.sampled_from(["", "Mr ", "Dr. ", "Mrs "]))
    last = family.split()[-1]
    initial = f"{given_name[0]}."
    title_2 = draw(st.sampled_from(["Mr", "Ms.", "Prof."]))
    forms = [f"{given_name} {family}", f"{initial} {last}", f"{last}, {initial}"]
    forms += [f"{title_2} {last}", f"{last} {given_name}", f"{initial}{last}"]
    value = PrivateValue.of(f"{title}{given_name} {family}", EntityType.PERSON)
    return value, draw(st.sampled_from(forms))


@st.composite
def dates(draw: st.DrawFn) -> tuple[PrivateValue, str]:
    day = draw(st.dates(date(1930, 1, 1), date(2030, 12, 31)))
    th = "th" if 10 < day.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    forms = [
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day}{th} of {day:%B, %Y}",
        f"{day:%b}. {day.day}{th}, {day.year}",
        f"{day:%d.%m.%Y}",
        f"{day:%Y-%m-%d}",
        f"{day.day}/{day.month}/{day.year}",
        f"{day:%m/%d/%Y}",
    ]
    value = PrivateValue.of(draw(st.sampled_from(forms)), EntityType.DATE_TIME)
    return value, draw(st.sampled_from(forms))


@st.composite
def sums(draw: st.DrawFn) -> tuple[PrivateValue, str]:
    amount = draw(st.integers(100, 99_999_999))
    english, german = f"{amount:,}", f"{amount:,}".replace(",", ".")
    forms = [
        f"EUR {english}",
        f"€{english}.00",
        f"{amount} euros",
        f"{german} €",
        f"{german},00 EUR",
        english.replace(",", "\u00a0") + " EUR",
    ]
    value = PrivateValue.of(draw(st.sampled_from(forms)), EntityType.QUANTITY)
    return value, draw(st.sampled_from(forms))


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary(tokenizer())


def spells(text: str, values: ValueTrie, cuts: list[int]) -> bool:
    """Return whether a sampler can write a text from the tokens of its pieces."""
    blocked, state = BlockedTokens(values, vocabulary()), TextState()
    borders = sorted({0, len(text), *(cut % len(text) for cut in cuts)})
    for start, end in pairwise(borders):
        for token in tokenizer()(text[start:end], add_special_tokens=False)["input_ids"]:
            if any(token in part.tolist() for part in blocked.blocked(state)):
                return False
            state = blocked.after(state, token)
    return True


def answered(text: str, value: PrivateValue) -> str:
    """Return why a text of an endpoint is dropped; empty where it is kept."""
    own = AnnotatedDocument("0", value.text, (ValueSpan(0, len(value.text), value),))
    sampler = ChatSampler(ScriptedChatModel(lambda messages: text))
    try:
        made = Generation([own] * 4, GenerationSettings(attempts=1), sampler, choice())
        (sample,) = made.samples([0])
    finally:
        sampler.close()
    return sample.reason


@settings(deadline=None, max_examples=80)
@given(
    made=st.one_of(names(), dates(), sums()),
    upper=st.booleans(),
    after=st.sampled_from(["", ".", " x", "\n", ")", "'s"]),
    cuts=st.lists(st.integers(0, 100), max_size=12),
)
def test_no_spelling_passes_the_sampler_or_the_check(
    made: tuple[PrivateValue, str], upper: bool, after: str, cuts: list[int]
) -> None:
    value, variant = made
    text = f"He met {variant.upper() if upper else variant}{after}"
    values = ValueTrie(spellings([value]))
    assert values.found_in(text)
    assert not spells(text, values, cuts)
    assert answered(text, value) == "blocked value"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (PrivateValue.of("1 May 2011", EntityType.DATE_TIME), "on 1/5/11 he left"),
        (PrivateValue.of("12 May 2011", EntityType.DATE_TIME), "am 12 Mai 2011"),
        (PrivateValue.of("$1,000", EntityType.QUANTITY), "he paid $01,000"),
    ],
)
def test_the_check_reads_dates_and_sums_that_have_no_spelling(
    value: PrivateValue, text: str
) -> None:
    assert not ValueTrie(spellings([value])).found_in(text)
    assert answered(text, value) == "blocked value"


def test_two_letters_for_an_umlaut_do_not_hide_a_value() -> None:
    values = [PrivateValue.of("Herr Müller", EntityType.PERSON)]
    values.append(PrivateValue.of("Århus", EntityType.LOCATION))
    trie = ValueTrie(spellings(values))
    assert all(map(trie.found_in, ("Mueller", "MUELLERS", "Aarhus", "muller")))


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (EntityType.LOCATION, "Gdańsk", "two Gdansks"),
        (EntityType.DEMOGRAPHIC, "Irish nurse", "IRISH NURSES"),
        (EntityType.DEMOGRAPHIC, "34-year-old", "thirty-four years old"),
        (EntityType.QUANTITY, "2 years", "a two-year term"),
        (EntityType.ORGANIZATION, "Acme Steel Ltd", "ACME-Steel Limited"),
        (EntityType.ORGANIZATION, "Acme Steel S.A.", "Acme Steel"),
        (EntityType.EMAIL_ADDRESS, "eva@lund.example", "eva (at) lund dot example"),
        (EntityType.PHONE_NUMBER, "+44 20 7946 0123", "(020) 7946-0123"),
        (EntityType.PHONE_NUMBER, "+44 (0)20 7946 0123", "0044 (0)20 79460123"),
        (EntityType.PERSON, "Mr. A.", "Mister A."),
        (EntityType.PERSON, "Mr O&#39;Neil", "O'Neil"),
    ],
)
def test_other_words_for_a_value_pass_neither(kind: EntityType, value: str, text: str) -> None:
    private = PrivateValue.of(value, kind)
    assert not spells(f"He met {text}.", ValueTrie(spellings([private])), [])
    assert answered(f"He met {text}.", private) == "blocked value"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (EntityType.ORGANIZATION, "The State Ltd", "the state"),
        (EntityType.ORGANIZATION, "Orange plc", "an orange"),
        (EntityType.QUANTITY, "five", "5 or 500 in part"),
        (EntityType.CASE_NUMBER, "36244/06", "thirty-six"),
        (EntityType.DATE_TIME, "12 May 2011", "the twelfth applicant, in May 2011"),
    ],
)
def test_ordinary_words_pass_both(kind: EntityType, value: str, text: str) -> None:
    private = PrivateValue.of(value, kind)
    assert spells(f"He met {text}.".lower(), ValueTrie(spellings([private])), [])
    assert not answered(f"Met {text}.", private)


def test_entities_of_html_do_not_hide_a_value_from_the_check() -> None:
    name = PrivateValue.of("Mr Tom O'Neil", EntityType.PERSON)
    assert answered("O&#39;Neil came", name) == answered("O&apos;NEIL", name) == "blocked value"


def test_a_text_without_a_value_passes_both() -> None:
    value = PrivateValue.of("12 May 2011", EntityType.DATE_TIME)
    text = "On 13 May 2011 he left."
    assert spells(text, ValueTrie(spellings([value])), [3, 9])
    assert not answered(text, value)
