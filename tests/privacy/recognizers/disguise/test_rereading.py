"""Only the parts near a disguise are read again, and nothing in them is lost."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.disguise.recognizer import DisguiseRecognizer, without_disguises
from sage_rag.privacy.recognizers.disguise.rereading import changed_parts
from sage_rag.privacy.spans import Span
from tests.growth import LINEAR, growth

PROSE = "The river was high that spring and the mill stood still for weeks. "
WORDS = st.lists(
    st.sampled_from([PROSE * 20, PROSE, "a&#64;b.org ", "Ma\u200bria ", "M a r i a ", "x\u00a0y "]),
    max_size=8,
).map("".join)


class Reader:
    """Finds e-mail addresses and the name Maria, and counts the characters that it reads."""

    fingerprint = "reader"

    def __init__(self) -> None:
        self.characters = 0

    def recognize(self, text: str) -> list[Span]:
        self.characters += len(text)
        kinds = {r"\w+@\w+\.org": EntityType.EMAIL_ADDRESS, "Maria": EntityType.PERSON}
        return [
            Span(*match.span(), kind, 0.9)
            for expression, kind in kinds.items()
            for match in re.finditer(expression, text)
        ]


@given(WORDS)
def test_every_value_near_a_change_is_found_as_in_the_whole_text(text: str) -> None:
    view = without_disguises(text)
    whole = {view.original_span(span) for span in Reader().recognize(view.text)}
    assert whole <= set(DisguiseRecognizer(Reader()).recognize(text))


@given(WORDS)
def test_parts_are_disjoint_and_hold_every_change(text: str) -> None:
    view = without_disguises(text)
    parts = changed_parts(text, view)
    assert all(a.end < b.start for a, b in pairwise(parts))
    assert bool(parts) == (view.text != text)
    for part in parts:
        assert 0 <= part.start <= part.first < part.last <= part.end <= len(view.text)
        assert part.start == 0 or view.text[part.start].isspace()
    for place, (start, end) in enumerate(zip(view.starts, view.ends, strict=True)):
        if end != start + 1 or view.text[place] != text[start]:
            assert any(part.first <= place < part.last for part in parts)


def test_a_long_text_with_one_disguise_is_not_read_twice() -> None:
    reader = Reader()
    text = PROSE * 200 + "write to maria&#64;example.org " + PROSE * 200
    (span,) = DisguiseRecognizer(reader).recognize(text)
    assert text[span.start : span.end] == "maria&#64;example.org"
    assert reader.characters < 1.1 * len(text)


def test_a_name_that_is_disguised_once_is_found_everywhere() -> None:
    class Listener(Reader):
        def recognize(self, text: str) -> list[Span]:
            return [s for s in super().recognize(text) if text[: s.start].endswith("I am ")]

    text = f"I am M\u200baria. {PROSE * 60}Maria left. {PROSE * 60}"
    spans = DisguiseRecognizer(Listener()).recognize(text)
    assert {text[s.start : s.end] for s in spans} == {"M\u200baria", "Maria"}


def test_removing_the_last_character_is_a_change() -> None:
    text = "Maria\u200b"
    assert len(changed_parts(text, without_disguises(text))) == 1


def test_a_long_word_full_of_disguises_is_divided_in_linear_time() -> None:
    def divided(size: int) -> None:
        text = "a." * size
        assert changed_parts(text, without_disguises(text))

    assert growth(divided, 1_500) < LINEAR
