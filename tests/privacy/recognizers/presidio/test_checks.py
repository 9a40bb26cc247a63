"""The data file and the checks agree with the installed Presidio."""

import random
import re
import string

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.privacy.recognizers.presidio.checks import CHECKS
from sage_rag.privacy.recognizers.presidio.patterns import indian_districts, shipped_patterns
from sage_rag.privacy.recognizers.presidio.table import DEFAULT_ROWS

pytest.importorskip("presidio_analyzer")

from sage_rag.privacy.recognizers.presidio.engine import (
    installed_patterns,
    presidio_recognizer,
)
from tools.build_presidio_table import OUTPUT, table

pytestmark = pytest.mark.slow

NAMES = [row.name for row in DEFAULT_ROWS]
EXOTIC = "٣६ſKİıß"
WALLETS = [
    "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ",
    "3Cbq7aT1tY8kMxWLbitaG7yT6bPbKChq64",
    "1111111111111111111114oLvT2",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297",
    "BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5md0",
    "bc1bbbbbbbbbbbbbbbbbbbbbbbbbbbb",
]


def outcome(check, value):
    try:
        return check(value)
    except (ValueError, LookupError, TypeError):
        return None


def test_the_data_file_is_that_of_the_installed_release():
    assert OUTPUT.read_text("utf-8") == table()


@pytest.mark.parametrize("name", NAMES)
def test_a_recognizer_searches_for_what_presidio_searches_for(name):
    shipped, installed = shipped_patterns(name), installed_patterns(name)
    assert shipped.expressions == installed.expressions
    assert shipped.context == installed.context
    assert installed.find is None
    flags = regex.IGNORECASE | regex.MULTILINE | regex.DOTALL
    assert presidio_recognizer(name).global_regex_flags == flags


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_check_agrees_with_presidio_on_generated_values(name, data):
    """With every last character in turn, so that checksums come out right, too."""
    expressions = [e for e, _ in shipped_patterns(name).expressions]
    try:
        pattern = re.compile(data.draw(st.sampled_from(expressions)), re.ASCII)
    except re.error:
        return  # not in the standard library's syntax
    value = data.draw(st.from_regex(pattern, fullmatch=True))
    ours = CHECKS.get(name, lambda _: None)
    theirs = installed_patterns(name).check
    place = data.draw(st.integers(0, len(value) - 1))
    exotic = value[:place] + data.draw(st.sampled_from(EXOTIC)) + value[place + 1 :]
    ends = string.digits + string.ascii_uppercase
    for variant in (value, value.lower(), exotic, *(value[:-1] + c for c in ends)):
        if not any(regex.fullmatch(e, variant, regex.IGNORECASE) for e in expressions):
            continue
        assert outcome(ours, variant) == outcome(theirs, variant), variant


@pytest.mark.parametrize("name", sorted(set(CHECKS) - {"CryptoRecognizer"}))
def test_a_check_agrees_with_presidio_on_random_codes(name):
    """Digits in the forms of the expressions: where the form says little, the checksum decides."""
    generator = random.Random(5)  # noqa: S311
    ours, theirs = CHECKS[name], installed_patterns(name).check
    expressions = [
        regex.compile(e, regex.IGNORECASE) for e, _ in shipped_patterns(name).expressions
    ]
    for _ in range(3_000):
        code = "".join(generator.choices(string.digits, k=13))
        letters = "".join(generator.choices("ABCDFGJKLMNPRSTUWYZ", k=4))
        for form in (code[:9], code[:10], code[:11], code[:12], code, letters[0] + code[:8]):
            if any(e.fullmatch(form) for e in expressions):
                assert outcome(ours, form) == outcome(theirs, form), form


@pytest.mark.parametrize("wallet", WALLETS)
def test_a_wallet_is_checked_as_presidio_checks_it(wallet):
    assert CHECKS["CryptoRecognizer"](wallet) == installed_patterns("CryptoRecognizer").check(
        wallet
    )


def test_every_state_and_district_of_india_is_as_in_presidio():
    states = presidio_recognizer("InVehicleRegistrationRecognizer").state_rto_district_map
    assert indian_districts() == states
    ours = CHECKS["InVehicleRegistrationRecognizer"]
    theirs = installed_patterns("InVehicleRegistrationRecognizer").check
    for state in [*states, "ZZ", "CT", "UA"]:
        for district in [*range(10), *(f"{n:02}" for n in range(100))]:
            for plate in (f"{state}{district}AB1234", f"{state} {district}-C 0000"):
                assert ours(plate) == theirs(plate), plate
