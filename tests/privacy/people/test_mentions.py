"""Who is who inside one document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.people.mentions import link_mentions, linked_people
from sage_rag.privacy.people.names import Gender
from tests.growth import LINEAR, growth

TITLES = ["", "", "", "Mr ", "Ms ", "Mrs ", "Dr "]
GIVEN = ["Maria", "Martin", "M.", "Ana", "Bob", "Robert", ""]
MIDDLE = ["", "", "A. ", "Ida "]
FAMILY = ["Keller", "KELLER", "Smith", "K.", "van der Berg", "Keller-Braun", "Smith's"]
MENTIONS = st.tuples(
    st.sampled_from(TITLES),
    st.sampled_from(GIVEN),
    st.sampled_from(MIDDLE),
    st.sampled_from(FAMILY),
).map(lambda m: f"{m[0]}{m[1]} {m[2]}{m[3]}".strip())


def partition(mentions: list[str], numbers: list[int]) -> set[frozenset[str]]:
    return {
        frozenset(m for m, n in zip(mentions, numbers, strict=True) if n == number)
        for number in numbers
    }


@pytest.mark.parametrize(
    "mentions",
    [
        ["Ms Keller", "Maria", "Maria Keller", "M. Keller", "M.K.", "KELLER", "Keller's"],
        ["Keller, Maria", "Ms Maria Keller", "Maria K.", "maria keller’s", "KELLER Maria"],
        ["Maria Ida Keller", "Maria Keller", "Maria I. Keller", "M. I. Keller", "M. Keller"],
        ["Zoë Núñez", "NUNEZ", "Zoe Nunez"],
        ["Anna van der Berg", "Ms van der Berg", "van der Berg", "A. van der Berg", "Anna"],
        ["Ina Keller-Braun", "Frau Keller-Braun", "Keller-Braun", "KELLER-BRAUN"],
        ["Jean-Pierre Martin", "J.-P. Martin", "Prof. Dr. Martin"],
        ["Robert Smith", "Bob Smith", "Bob", "Robert", "Bobby"],
        ["Sam Keller Jr.", "Sam Keller", "Keller"],
        ["Dr Ina Keller", "Ina Keller", "Ms Keller"],
        ["Mr Keller", "Keller"],
        ["艳 赵", "艳"],
        ["张伟", "张伟"],
    ],
)
def test_mentions_of_one_person_are_linked(mentions: list[str]) -> None:
    assert set(link_mentions(mentions)) == {0}
    assert set(link_mentions(mentions[::-1])) == {0}


@pytest.mark.parametrize(
    "mentions",
    [
        ["Maria Keller", "Peter Keller", "Keller"],
        ["Maria Keller", "Martin Keller", "M. Keller", "M.K.", "Ms Keller"],
        ["Maria Keller", "Maria Braun", "Maria"],
        ["Mr Smith", "Mrs Smith", "Smith"],
        ["Mr Smith", "Mrs Smith", "Kim Smith"],
        ["Dr Smith", "Mr Smith", "Kim Smith"],
        ["Sam Keller Jr.", "Sam Keller Sr.", "Sam Keller"],
        ["Maria A. Keller", "Maria B. Keller", "Maria Keller"],
        ["Mr Kim Lee", "Ms Kim Lee", "Kim Lee"],
        ["Anna van der Berg", "Ms Berg"],
        ["Ina Keller-Braun", "Ms Braun", "Ms Keller"],
        ["Anna Keller", "Anna Keller-Braun"],
        ["Anna Maria Keller", "Maria Keller"],
        ["James Martin", "Martin James"],
        ["Samuel Keller", "Samantha Keller", "Sam Keller"],
        ["Maria Keller", "Mr Maria"],
        ["Maria Keller", "M."],
        ["Maria", "Keller"],
        ["Richard Keller", "Mr Dick"],
        ["", "...", "42"],
    ],
)
def test_mentions_that_may_be_of_two_people_stay_apart(mentions: list[str]) -> None:
    assert link_mentions(mentions) == list(range(len(mentions)))


def test_a_short_form_goes_to_the_one_it_fits() -> None:
    mentions = ["Maria Keller", "Peter Keller", "Maria", "Peter", "Ms Keller", "P. Keller"]
    assert link_mentions(mentions) == [0, 1, 0, 1, 2, 1]


def test_titles_decide_between_two() -> None:
    mentions = ["Mr Kim Keller", "Ms Jo Keller", "Ms Keller", "Mr Keller", "Keller"]
    assert link_mentions(mentions) == [0, 1, 1, 0, 2]


def test_a_judge_of_gender_keeps_a_couple_apart() -> None:
    genders = {"john": Gender.MALE, "jane": Gender.FEMALE}
    assert link_mentions(["John Smith", "Mrs Smith"]) == [0, 0]
    assert link_mentions(["John Smith", "Mrs Smith"], genders.get) == [0, 1]
    assert link_mentions(["John Smith", "Jane Smith", "Mrs Smith"], genders.get) == [0, 1, 1]


def test_a_title_in_the_text_outweighs_the_judge() -> None:
    genders = {"kim": Gender.MALE}
    assert link_mentions(["Ms Kim Smith", "Mrs Smith"], genders.get) == [0, 0]


def test_people_carry_their_fullest_mention() -> None:
    found = linked_people(["Ms Keller", "Keller, Maria", "MARIA KELLER", "Maria Keller", "Bo"])
    assert [(p.name, p.mentions) for p in found] == [
        ("Maria Keller", (0, 1, 2, 3)),
        ("Bo", (4,)),
    ]
    assert "eller" not in repr(found)


@given(st.lists(MENTIONS, max_size=9), st.randoms(use_true_random=False))
def test_links_do_not_depend_on_order_or_repetition(mentions: list[str], random: object) -> None:
    links = partition(mentions, link_mentions(mentions))
    shuffled = [*mentions, *mentions[:3]]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert partition(shuffled, link_mentions(shuffled)) == links


@given(st.lists(MENTIONS, max_size=9))
def test_nobody_has_two_titles_of_different_gender(mentions: list[str]) -> None:
    numbers = link_mentions(mentions)
    for number in set(numbers):
        own = [m.split()[0] for m, n in zip(mentions, numbers, strict=True) if n == number]
        assert not ("Mr" in own and {"Ms", "Mrs"} & set(own))


@given(st.lists(MENTIONS, max_size=9))
def test_numbers_count_by_first_appearance(mentions: list[str]) -> None:
    numbers = link_mentions(mentions)
    firsts = list(dict.fromkeys(numbers))
    assert firsts == list(range(len(firsts)))


@given(st.lists(st.text(max_size=12), max_size=9))
def test_any_mentions_are_numbered(mentions: list[str]) -> None:
    assert len(link_mentions(mentions)) == len(mentions)


def test_a_long_text_is_linked_in_linear_time() -> None:
    def link(linked_people: int) -> None:
        mentions = [f"Given{i} Family{i}" for i in range(linked_people)] * 2
        mentions += [f"Ms Family{i}" for i in range(linked_people)]
        assert len(set(link_mentions(mentions))) == linked_people

    assert growth(link, 500) < LINEAR
