"""The gate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from privacy.ciphers.siv import SivCipher
from privacy.entities import EntityType
from privacy.gate import FindingKind, Gate, GateLimits, Verdict, find_identifier
from privacy.keyset.keyset import KEY_BYTES, Keyset, key_id_of
from privacy.leakage import Original
from privacy.operators.surrogate import Surrogates
from privacy.policy import preset
from privacy.protect import Identifier, Protector
from privacy.recognizers.default import default_recognizer
from privacy.testing import TableRecognizer

CIPHER = SivCipher(Keyset.generate(), "clinic")
RECOGNIZER = TableRecognizer(
    {
        "Ada Novak": EntityType.PERSON,
        "+1-202-555-0134": EntityType.PHONE_NUMBER,
        "Bern": EntityType.LOCATION,
        "Lake Clinic": EntityType.ORGANIZATION,
        "Eve Stone": EntityType.PERSON,
        "3 May 2021": EntityType.DATE_TIME,
        "44 years old": EntityType.AGE,
    }
)
TEXT = (
    "Ada Novak of Bern rang from +1-202-555-0134 because her left knee swells every evening after "
    "the long walk home from Lake Clinic and ice does not help her sleep at all any more, she is "
    "44 years old and was seen on 3 May 2021"
)
GATE = Gate(GateLimits(), RECOGNIZER)


def judge(draft: str, gate: Gate = GATE) -> Verdict:
    protection = Protector(RECOGNIZER, preset("sage"), CIPHER).protect({"text": TEXT})
    return gate.judge(Original(TEXT), protection, draft)


def kinds(draft: str) -> set[FindingKind]:
    return {finding.kind for finding in judge(draft).findings}


def test_a_new_wording_with_placeholders_is_safe() -> None:
    verdict = judge(
        "A swollen knee troubles [PERSON_1] in the evenings, and cooling brings no relief."
    )
    assert verdict.safe
    assert verdict.longest_run < 10
    assert verdict.rouge_l <= 0.5


@pytest.mark.parametrize(
    ("draft", "kind"),
    [
        ("Patient Ada Novak has a swollen knee that troubles sleep.", FindingKind.IDENTIFIER),
        ("Patient ADA NOVAK has a swollen knee that troubles sleep.", FindingKind.IDENTIFIER),
        ("Patient Novak has a swollen knee that troubles her sleep.", FindingKind.IDENTIFIER),
        ("Ring 1 202 555 0134 about a swollen knee and bad sleep.", FindingKind.IDENTIFIER),
        ("Ring (202) +12025550134 about the swollen knee again soon.", FindingKind.IDENTIFIER),
        ("Say her left knee swells every evening after the long walk home.", FindingKind.SHARED_RUN),
        ("A patient in Bern has a swollen knee that troubles sleep.", FindingKind.IDENTIFIER),
        ("Seen 3 May 2021: 44 years old, a swollen knee, bad sleep.", FindingKind.QUASI_COMBINATION),
        ("[PERSON_9] has a swollen knee that troubles sleep at night.", FindingKind.UNKNOWN_PLACEHOLDER),
        ("Eve Stone has a swollen knee that troubles sleep at night.", FindingKind.UNPROTECTED),
        ("", FindingKind.EMPTY),
        ("[PERSON_1] [PERSON_1] [PERSON_1] knee.", FindingKind.EMPTY),
    ],
)  # fmt: skip
def test_each_fault_is_found(draft: str, kind: FindingKind) -> None:
    assert kind in kinds(draft)


def test_the_same_text_again_is_found_whatever_was_recognised() -> None:
    nothing = TableRecognizer({})
    protection = Protector(nothing, preset("sage"), CIPHER).protect({"text": TEXT})
    verdict = Gate(GateLimits(), nothing).judge(Original(TEXT), protection, TEXT)
    assert {f.kind for f in verdict.findings} == {FindingKind.SHARED_RUN, FindingKind.SIMILARITY}


def test_a_run_of_nine_passes_and_one_of_ten_does_not() -> None:
    nine = "home from Lake Clinic and ice does not help"
    assert FindingKind.SHARED_RUN not in kinds(f"Yes: {nine}")
    assert FindingKind.SHARED_RUN in kinds(f"Yes: {nine} her")


def test_one_quasi_identifier_alone_passes() -> None:
    assert judge("A patient, 44 years old, has a swollen knee and sleeps badly.").safe


def test_findings_point_into_the_draft_and_name_no_value() -> None:
    draft = "Patient Ada Novak has a swollen knee that troubles sleep."
    finding = next(f for f in judge(draft).findings if f.kind is FindingKind.IDENTIFIER)
    assert draft[finding.start : finding.end] == "Ada Novak"
    assert "Ada" not in finding.message


def test_a_measure_can_be_left_out_by_limits_alone() -> None:
    baseline = Gate(GateLimits(run_tokens=None, rouge_l=None), TableRecognizer({}))
    protection = Protector(TableRecognizer({}), preset("sage"), CIPHER).protect({"text": TEXT})
    assert baseline.judge(Original(TEXT), protection, TEXT).safe


BASELINE = GateLimits(run_tokens=None, rouge_l=None)
KEY = bytes(range(KEY_BYTES))
KEYSET = Keyset({key_id_of(KEY): KEY}, key_id_of(KEY))
STAND_INS = Protector(
    default_recognizer(), preset("surrogates"), CIPHER, Surrogates(KEYSET, "clinic")
)
LETTER = (
    "Dear Maria Keller, your results are in. Please ring Dr Thomas Brandt on +1 202 481 7734 or "
    "write to results@lake-clinic.de. Maria, bring your card."
)


def judge_stand_ins(change: Callable[[str], str]) -> Verdict:
    protection = STAND_INS.protect({"text": LETTER})
    gate = Gate(BASELINE, default_recognizer())
    return gate.judge(Original(LETTER), protection, change(protection.protected.text))


def test_surrogates_are_no_identifiers_in_clear() -> None:
    protection = STAND_INS.protect({"text": LETTER})
    assert len(protection.surrogates) >= 4
    assert not any(
        part in protection.protected.text for part in ("Keller", "Brandt", "481", "lake-")
    )
    assert judge_stand_ins(lambda draft: draft).safe


@pytest.mark.parametrize(
    ("added", "kind"),
    [
        (" Call Maria Keller.", FindingKind.IDENTIFIER),
        (" Dear Ms Keller, thank you.", FindingKind.IDENTIFIER),
        (" Ring 1-202-481-7734.", FindingKind.IDENTIFIER),
        (" Dear Jonathan Whitaker, thank you.", FindingKind.UNPROTECTED),
        (" Write to someone@else-clinic.de.", FindingKind.UNPROTECTED),
    ],
)
def test_anything_but_a_surrogate_is_still_accused(added: str, kind: FindingKind) -> None:
    assert kind in {f.kind for f in judge_stand_ins(lambda draft: draft + added).findings}


def test_a_surrogate_that_is_also_an_identifier_of_the_record_is_accused() -> None:
    protection = STAND_INS.protect({"text": LETTER})
    twisted = replace(protection, surrogates=protection.surrogates | {"Maria Keller"})
    verdict = Gate(BASELINE, default_recognizer()).judge(
        Original(LETTER), twisted, protection.protected.text + " Call Maria Keller."
    )
    assert FindingKind.IDENTIFIER in {f.kind for f in verdict.findings}


def test_a_surrogate_of_figures_alone_hides_no_part_of_a_number() -> None:
    protection = STAND_INS.protect({"text": LETTER})
    twisted = replace(protection, surrogates=protection.surrogates | {"481"})
    verdict = Gate(BASELINE, TableRecognizer({})).judge(
        Original(LETTER), twisted, protection.protected.text + " Ring +1 202 481 7734."
    )
    assert {f.kind for f in verdict.findings} == {FindingKind.IDENTIFIER}


@pytest.mark.parametrize(
    ("value", "entity_type", "text", "found"),
    [
        ("Ann", EntityType.PERSON, "an annual check", False),
        ("Will Grace", EntityType.PERSON, "she will come with grace", False),
        ("Will Grace", EntityType.PERSON, "said Grace", True),
        ("Will", EntityType.PERSON, "she will come", False),
        ("Will", EntityType.PERSON, "ask Will or WILL", True),
        ("Ann Lee", EntityType.PERSON, "joann leeds", False),
        ("Ann Lee", EntityType.PERSON, "\uff21nn lee", True),
        ("44", EntityType.AGE, "take 44 drops", False),
        ("44 years old", EntityType.AGE, "is 44 years  old", True),
        ("a+b@example.org", EntityType.EMAIL_ADDRESS, "to A+B@EXAMPLE.org.", True),
        ("4471902", EntityType.ID, "no. 44 71 902", True),
        ("4471902", EntityType.ID, "no. 144719020", False),
    ],
)
def test_identifiers_are_found_as_people_would(
    value: str, entity_type: EntityType, text: str, found: bool
) -> None:
    assert (find_identifier(Identifier(value, entity_type), text) is not None) is found
