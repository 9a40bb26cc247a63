import pytest

from sage_rag.agents.protocols import Draft
from sage_rag.agents.rules.page import Page

TEXT = "Hi. The brace helps. Take the syrup. However, do not drive. Is it safe? Regards."


def page(text=TEXT):
    return Page(Draft({"text": text}))


def place(part, text=TEXT):
    return text.index(part), text.index(part) + len(part)


@pytest.mark.parametrize(
    ("part", "left"),
    [
        ("brace", "Hi. Take the syrup. However, do not drive. Is it safe? Regards."),
        ("syrup", "Hi. The brace helps. Regards."),
        ("drive", "Hi. The brace helps. Regards."),
    ],
)
def test_a_sentence_goes_with_those_that_depend_on_it_or_that_it_restricts(part, left):
    revised = page()
    revised.leave_out(place(part))
    assert revised.draft().text == left


def test_a_page_is_shortened_by_whole_items_but_never_by_a_question():
    revised = page("Is it safe to swim? The old wooden brace helps me a lot. Snow fell.")
    revised.shorten(100)
    assert revised.draft().text == "Is it safe to swim? The old wooden brace helps me a lot."


def test_a_run_is_reworded_where_an_edit_breaks_it():
    text = "It comes back because of the heat."
    revised = page(text)
    revised.break_run(place("back because of the", text))
    assert revised.draft().text in (
        "It comes back due to the heat.",
        "It comes back owing to the heat.",
    )


def test_a_run_that_no_edit_breaks_goes_with_its_sentence():
    revised = page()
    revised.break_run(place("brace helps"))
    assert "brace" not in revised.draft().text
