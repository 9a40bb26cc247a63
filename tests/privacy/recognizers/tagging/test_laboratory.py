"""Results, tests and scores that a tagger takes for persons, dates and sums."""

import pytest

from sage_rag.privacy.recognizers.tagging.laboratory import is_result, is_test


def parts(marked: str) -> tuple[str, str, str]:
    before, rest = marked.split("«")
    value, after = rest.split("»")
    return value, before, after


@pytest.mark.parametrize(
    "marked",
    [
        "troponin was «8 ng» per litre",
        "troponin was «8» ng/l",
        "insulin «24 mIU/L» at noon",
        "folate «4.1 nmol/l»",
        "a dose of «250 mcg»",
        "the lead was 4 «µg»",
        "antinuclear antibodies «1:320»",
        "Apgar scores were «7» and 9",
        "Apgar 7 and «9»",
        "Apgars of «9/10/10», no resuscitation",
        "Apgar was 8 at one minute and «9» at five",
    ],
)
def test_a_result_of_a_laboratory(marked: str) -> None:
    assert is_result(*parts(marked))


@pytest.mark.parametrize(
    "marked",
    [
        "he sold «8 g» of heroin",
        "she weighs «82 kg»",
        "I am «36» and tired",
        "the fine was «250 pounds»",
        "at «1:32» in the night",
        "Dr Apgar has «9» patients",
        "born on «9/10/10»",
        "flat «12» upstairs",
    ],
)
def test_other_numbers_are_no_results(marked: str) -> None:
    assert not is_result(*parts(marked))


@pytest.mark.parametrize(
    "marked",
    [
        "The «ADA» level was 48.",
        "«ADA» was 60 U/L and cultures are pending.",
        "pleural «ADA» of 70",
        "his «ANA» came back positive at 1:320",
        "«NASH» on biopsy",
        "the «SARA» score was 12",
    ],
)
def test_an_abbreviation_with_a_result_is_a_test(marked: str) -> None:
    assert is_test(*parts(marked))


@pytest.mark.parametrize(
    "marked",
    [
        "«ADA» was 60 when she died.",
        "«ANA» is positive for flu.",
        "«ADA» said the level was 48.",
        "«LISA» was tested at noon",
        "«Ada» level",
        "«MARIA» test results",
    ],
)
def test_a_name_in_capitals_stays(marked: str) -> None:
    assert not is_test(*parts(marked))
