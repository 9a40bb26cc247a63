"""The file of attributes: what is written is read again, and what is wrong is told in one line."""

from __future__ import annotations

import pickle
import string
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.agents.attributes import (
    MAX_DESCRIPTION,
    MAX_NAME,
    format_attributes,
    load_attributes,
    parse_attributes,
)
from sage_rag.agents.forms import form_names, form_of_fields
from sage_rag.agents.protocols import Attribute, CorpusAttributes
from sage_rag.agents.rules.presets import presets
from sage_rag.common.exceptions import InputError
from sage_rag.privacy.tokens import LOOK_ALIKE

FIELDS = ("question", "answer")
GOOD = """
form = "dialogue"
[[attribute]]
name = "complaint"
field = "question"
description = "What hurts"
[[attribute]]
name = "advice"
field = "answer"
description = "What to do"
"""


def test_a_file_is_read() -> None:
    found = parse_attributes(GOOD, FIELDS)
    assert found.entries == (
        Attribute("complaint", "question", "What hurts"),
        Attribute("advice", "answer", "What to do"),
    )
    assert found.form == "dialogue"


def lines(longest: int) -> st.SearchStrategy[str]:
    # Letters, marks, digits, punctuation, symbols and the space: what `isprintable` allows.
    character = st.characters(categories=["L", "M", "N", "P", "S"], include_characters=" ")
    return st.text(character, min_size=1, max_size=longest).filter(
        lambda t: t.strip() and not LOOK_ALIKE.search(t)
    )


FIELD_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).filter(
    str.strip
)


@settings(max_examples=40)
@given(
    st.dictionaries(
        lines(MAX_NAME), st.tuples(FIELD_NAMES, lines(MAX_DESCRIPTION)), min_size=1, max_size=6
    ),
    st.sampled_from(form_names()),
)
def test_what_is_written_is_read_again(entries, form: str) -> None:
    attributes = CorpusAttributes(tuple(Attribute(n, f, d) for n, (f, d) in entries.items()), form)
    fields = [a.field for a in attributes.entries]
    again = parse_attributes(format_attributes(attributes), fields)
    assert again == attributes


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


WRONG = {
    "form = ": "not valid TOML",
    "[" * 5_000: "not valid TOML",
    "": "no known form",
    changed('"dialogue"', '"haiku"'): "no known form",
    changed('"dialogue"', "3"): "no known form",
    'form = "dialogue"': "no attribute",
    'form = "dialogue"\nattribute = []': "no attribute",
    'form = "dialogue"\nattribute = "x"': "no attribute",
    'form = "dialogue"\nattribute = [3]': "attribute 1: no table",
    'forms = "dialogue"\n' + GOOD: "unknown key `forms`",
    changed("description", "descripton"): "attribute 1: unknown key `descripton`",
    changed('description = "What hurts"', '"a\\nb" = 1'): "attribute 1: unknown key `a\\nb`",
    changed('name = "complaint"', ""): "attribute 1: no name",
    changed('name = "advice"', 'name = " "'): "attribute 2: no name",
    changed('name = "advice"', "name = 7"): "attribute 2: no name",
    changed("advice", "a" * (MAX_NAME + 1)): "attribute 2: name is not one line of at most 80",
    changed("What to do", "What\\nto do"): "attribute 2: description is not one line",
    changed("What to do", "What [PERSON_1] does"): "attribute 2: description holds a mark",
    changed('field = "answer"', 'field = "reply"'): "attribute 2: the records have no field",
    changed("advice", "complaint"): "attribute 2: its name is that of attribute 1",
    changed('"answer"', '"question"'): "the field `answer` has no attribute",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_told_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_attributes(text, FIELDS, where="`mine.toml`")
    told = caught.value
    assert WRONG[text] in told.message
    assert told.message.startswith("`mine.toml`")
    assert "\n" not in f"{told.message}{told.hint}"


def test_a_file_is_loaded_by_its_path(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    assert load_attributes(str(path), FIELDS) == parse_attributes(GOOD, FIELDS)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named_without_its_folder(tmp_path, content) -> None:
    path = tmp_path / "mine.toml"
    if content:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"cannot read the attributes `mine\.toml`"):
        load_attributes(str(path), FIELDS)


@pytest.mark.parametrize(
    ("name", "fields", "counts", "form"),
    [
        ("medical-dialogue", FIELDS, {"question": 5, "answer": 5}, "dialogue"),
        ("medical-dialogue", ("doctor", "patient"), {"patient": 5, "doctor": 5}, "dialogue"),
        ("dialogue", (*FIELDS, "title"), {"question": 2, "answer": 2, "title": 3}, "dialogue"),
        ("encyclopaedic", ("text",), {"text": 3}, "encyclopaedic"),
        ("judgment", ("text",), {"text": 5}, "judgment"),
        ("mail", ("subject", "body"), {"subject": 3, "body": 3}, "mail"),
        ("document", ("text",), {"text": 3}, "generic"),
    ],
)
def test_presets_are_bound_to_the_fields(name, fields, counts, form) -> None:
    found = load_attributes(name, fields)
    assert Counter(a.field for a in found.entries) == counts
    assert found.form == form
    assert len({a.name for a in found.entries}) == len(found.entries)


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_pinned(name: str) -> None:
    fields = FIELDS if "dialogue" in name else ("text",)
    found = load_attributes(name.replace("_", "-"), fields)
    again = parse_attributes(format_attributes(found), fields)
    assert again == found


def test_a_dialogues_preset_does_not_fit_a_text() -> None:
    with pytest.raises(InputError, match="two sides of a dialogue"):
        load_attributes("medical-dialogue", ("text",))


def test_an_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        load_attributes("poem", FIELDS)
    assert "medical-dialogue" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("fields", "form"), [(("question", "answer"), "dialogue"), (("text",), "generic")]
)
def test_the_fields_names_show_a_form(fields, form) -> None:
    assert form_of_fields(fields) == form


def test_they_travel_to_other_processes_with_their_form() -> None:
    found = load_attributes("judgment", ("text",))
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - written one call before
    assert again == found


def test_descriptions_differ_between_presets_so_that_cues_are_found_by_them() -> None:
    descriptions = Counter(a.description for preset in presets().values() for a in preset)
    assert set(descriptions.values()) == {1}
    assert all(set(d) <= set(string.printable) for d in descriptions)
