import json

import pytest

from sage_rag.common.web.strict_json import MAX_DEPTH, parse_json


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    "text",
    ['{"a": [1, 2.5e300, "x", null]}', '"[[["', '"\\ud83d\\ude00"', "-1e-400", nested(MAX_DEPTH)],
)
def test_json_is_read_from_text_and_bytes(text):
    assert parse_json(text) == parse_json(text.encode()) == json.loads(text)


def test_a_long_text_with_many_brackets_is_not_deep():
    for value in ("[" * 1000, [[i] for i in range(1000)]):
        assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "[-1E+400]", "9" * 400 + ".0"),
        *('"\\ud800"', '{"\\udc00": 1}', "1" * 5000),
        *(nested(MAX_DEPTH + 1), nested(500), nested(100_000), '{"a":' * 101 + "1" + "}" * 101),
    ],
)
def test_what_cannot_be_sent_again_is_refused(text):
    with pytest.raises(ValueError, match=r".*"):
        parse_json(text)


def test_bytes_of_no_encoding_are_refused():
    with pytest.raises(ValueError, match="codec"):
        parse_json(b'"\xed\xa0\x80"')
