"""The gate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate.findings import HINTS, FindingKind, Verdict
from sage_rag.privacy.gate.gate import Gate, find_identifier
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY, GateLimits
from sage_rag.privacy.keyset.keyset import KEY_BYTES, Keyset, key_id_of
from sage_rag.privacy.operators.surrogate import Surrogates
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Identifier, Protection, Protector
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.testing import TableRecognizer
from tests.growth import LINEAR, growth

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
LIMITS = partial(GateLimits, meaning=False)
"""The texts of these tests are free; `test_meaning` judges meaning."""
GATE = Gate(LIMITS(), RECOGNIZER)


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


def test_the_verdict_says_where_values_that_identify_in_combination_are_in_clear() -> None:
    draft = "[PERSON_1], 44 years old, seen 3 May 2021, wrote to Eve Stone."
    spans = judge(draft).quasi
    assert spans is not None
    assert [(s.entity_type, draft[s.start : s.end]) for s in spans] == [
        (EntityType.AGE, "44 years old"),
        (EntityType.DATE_TIME, "3 May 2021"),
    ]


def test_the_same_text_again_is_found_whatever_was_recognised() -> None:
    nothing = TableRecognizer({})
    protection = Protector(nothing, preset("sage"), CIPHER).protect({"text": TEXT})
    verdict = Gate(LIMITS(), nothing).judge(Original(TEXT), protection, TEXT)
    assert {f.kind for f in verdict.findings} == {FindingKind.SHARED_RUN, FindingKind.SIMILARITY}


def test_a_run_of_nine_passes_and_one_of_ten_does_not() -> None:
    nine = "home from Lake Clinic and ice does not help"
    assert FindingKind.SHARED_RUN not in kinds(f"Yes: {nine}")
    assert FindingKind.SHARED_RUN in kinds(f"Yes: {nine} her")


def test_one_quasi_identifier_alone_passes() -> None:
    assert judge("A patient, 44 years old, has a swollen knee and sleeps badly.").safe


@pytest.mark.parametrize(
    ("told", "draft", "passes"),
    [
        ("93", "Ninety-three, a swollen knee", False),
        ("ninety-three", "A woman of 93 with a swollen knee", False),
        ("44 years old", "44-year-old with a swollen knee", False),
        ("44 years old", "40-49 years old, a swollen knee", True),
        ("93", "A swollen knee at 90 or more", True),
        ("90", "A swollen knee at 90 or more", True),
        ("93", "Ninety-four, a swollen knee", True),
        ("ten months", "Ten years old, a swollen knee", True),
    ],
)
def test_an_age_is_found_in_figures_and_in_words(told: str, draft: str, passes: bool) -> None:
    words = ("93", "90", "44 years old", "44-year-old", "40-49 years old", "Ninety-three")
    words = (*words, "ninety-three", "Ninety-four", "ten months", "Ten years old")
    ages = TableRecognizer(dict.fromkeys(words, EntityType.AGE))
    text = f"[the patient, {told}, limps after the long walk home, and no ice helps.]"
    protection = Protector(ages, preset("sage"), CIPHER).protect({"text": text})
    gate = Gate(LIMITS(quasi_values=0, likeness=None), ages)
    assert gate.judge(Original(text), protection, f"{draft}, and it hurts at night.").safe is passes


def test_two_spellings_of_one_age_are_one_value() -> None:
    ages = TableRecognizer(dict.fromkeys(("93 years old", "ninety-three"), EntityType.AGE))
    text = "The patient is ninety-three and limps. Being 93 years old, she cannot walk home."
    protection = Protector(ages, preset("sage"), CIPHER).protect({"text": text})
    draft = "She is ninety-three, or 93 years old, and her knee hurts when she walks."
    assert Gate(LIMITS(quasi_values=1), ages).judge(Original(text), protection, draft).safe


def test_one_word_of_an_organisation_that_names_it_is_found() -> None:
    clinic = TableRecognizer({"Thornfield Clinic": EntityType.ORGANIZATION})
    text = "Thornfield Clinic told me that the knee is worn, and that rest helps for some weeks."
    protection = Protector(clinic, preset("sage"), CIPHER).protect({"text": text})
    gate = Gate(LIMITS(), clinic)
    named = gate.judge(Original(text), protection, "The Thornfield team blames wear of the knee.")
    assert [f.kind for f in named.findings] == [FindingKind.IDENTIFIER]
    assert gate.judge(Original(text), protection, "The clinic team blames wear of the knee.").safe


def test_findings_point_into_the_draft_and_name_no_value() -> None:
    draft = "Patient Ada Novak has a swollen knee that troubles sleep."
    finding = next(f for f in judge(draft).findings if f.kind is FindingKind.IDENTIFIER)
    assert draft[finding.start : finding.end] == "Ada Novak"
    assert finding.message == "holds a value of type PERSON of the original"


def test_a_measure_can_be_left_out_by_limits_alone() -> None:
    baseline = Gate(LIMITS(run_tokens=None, rouge_l=None), TableRecognizer({}))
    protection = Protector(TableRecognizer({}), preset("sage"), CIPHER).protect({"text": TEXT})
    assert baseline.judge(Original(TEXT), protection, TEXT).safe


KNEE = "[PERSON_1] has a swollen knee that troubles her sleep at night."


@pytest.mark.parametrize(
    ("limits", "draft", "kind"),
    [
        (LIMITS(quasi_values=0), "A patient, 44 years old, has a swollen knee and sleeps badly.",
         FindingKind.QUASI_COMBINATION),
        (LIMITS(run_tokens=3), "Her left knee keeps [PERSON_1] from sleeping well at night.",
         FindingKind.SHARED_RUN),
        (LIMITS(rouge_l=0.01), KNEE, FindingKind.SIMILARITY),
        (LIMITS(order_free=0.01), KNEE, FindingKind.SIMILARITY),
        (LIMITS(min_tokens=20), KNEE, FindingKind.EMPTY),
        (LIMITS(length_ratio=1.0), KNEE * 5, FindingKind.LENGTH),
    ],
)  # fmt: skip
def test_a_stricter_limit_finds_what_the_default_lets_pass(
    limits: GateLimits, draft: str, kind: FindingKind
) -> None:
    assert kind not in kinds(draft)
    assert kind in {f.kind for f in judge(draft, Gate(limits, RECOGNIZER)).findings}


def test_quasi_identifiers_and_short_drafts_can_be_let_pass_but_never_an_empty_one() -> None:
    gate = Gate(LIMITS(quasi_values=None, min_tokens=None), RECOGNIZER)
    assert judge("Knee, 44 years old, 3 May 2021.", gate).safe
    assert {f.kind for f in judge("[PERSON_1] ...", gate).findings} == {FindingKind.EMPTY}


DIALOGUE = {
    "question": (
        "I am Ada Novak and my left knee swells every evening after the long walk home, so what "
        "can be done about it?"
    ),
    "answer": "Dear Ada Novak, rest it for ten days, cool it at night and have it seen after that.",
}
RETOLD = {
    "question": "[PERSON_1] asks what helps against a knee that is thick at night.",
    "answer": "Ten days without strain and some ice, then an examination, would be right.",
}


def protect(fields: dict[str, str]) -> tuple[Original, Protection]:
    protection = Protector(RECOGNIZER, preset("sage"), CIPHER).protect(fields)
    return Original("\n".join(fields.values())), protection


def judge_fields(draft: dict[str, str], gate: Gate = GATE) -> set[FindingKind]:
    return {f.kind for f in gate.judge(*protect(DIALOGUE), draft).findings}


def test_a_dialogue_told_anew_field_by_field_is_safe() -> None:
    assert judge_fields(RETOLD) == set()


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"answer": ""}, FindingKind.FORM),
        ({"note": "It was told in May."}, FindingKind.FORM),
        ({"question": "Patient: a thick knee.\nDoctor: some ice would be right."}, FindingKind.FORM),
        ({"question": "Was [PERSON_1] gegen ein Knie tun kann, das am Abend dick ist und ihr nicht "
          "mehr zu gehen erlaubt.", "answer": "Zehn Tage ohne Last und mit Eis, dann wird es sich "
          "bei der Untersuchung zeigen."}, FindingKind.LANGUAGE),
        ({"answer": "It is also known that swimming, cycling and much else is good for joints. " * 8},
         FindingKind.LENGTH),
    ],
)  # fmt: skip
def test_changed_form_language_and_length_are_found_unless_turned_off(
    changes: dict[str, str], kind: FindingKind
) -> None:
    named = Gate(LIMITS(common_placeholders=False, subject_mentions=None), RECOGNIZER)
    assert judge_fields({**RETOLD, **changes}, named) == {kind}
    off = {"form": False, "language": False, "length_ratio": None}
    lenient = Gate(replace(named.limits, **off), RECOGNIZER)
    assert judge_fields({**RETOLD, **changes}, lenient) == set()


def test_form_is_not_judged_of_a_draft_that_is_one_text() -> None:
    assert GATE.judge(*protect(DIALOGUE), "\n".join(RETOLD.values())).safe


def told(subject: int, other: int = 0) -> set[FindingKind]:
    """Judge a draft without persons of a record that names two so many times."""
    names = ["Ada Novak"] * subject + ["Eve Stone"] * other
    text = " and ".join(f"{name} rang about matter {i}" for i, name in enumerate(names))
    draft = "Somebody telephoned several times because of things that had to be settled."
    return {f.kind for f in GATE.judge(*protect({"text": text}), draft).findings}


@pytest.mark.parametrize(("subject", "other", "lost"), [
    (0, 0, False), (1, 0, False), (1, 1, False), (2, 0, True), (2, 1, True), (2, 2, True),
])  # fmt: skip
def test_a_person_named_twice_may_not_be_lost(subject: int, other: int, lost: bool) -> None:
    assert (FindingKind.LOST_PLACEHOLDER in told(subject, other)) is lost


@pytest.mark.parametrize(
    ("draft", "lost"),
    [
        ("[PERSON_1] telephoned several times because of things to be settled.", False),
        ("[PERSON_2] telephoned several times because of things to be settled.", True),
    ],
)
def test_it_is_the_person_named_most_who_must_stay(draft: str, lost: bool) -> None:
    text = "Ada Novak rang. Ada Novak waited. Eve Stone came. Ada Novak left. Eve Stone left."
    found = {f.kind for f in GATE.judge(*protect({"text": text}), draft).findings}
    assert (FindingKind.LOST_PLACEHOLDER in found) is lost


def test_only_persons_are_subjects() -> None:
    text = "In Bern it rained, in Bern it snowed, in Bern the sun shone, all in one long week."
    draft = "The weather of that city changed daily: wet, then white, then bright."
    assert GATE.judge(*protect({"text": text}), draft).safe


def test_a_subject_limit_can_be_set_and_turned_off() -> None:
    text = "Ada Novak rang about a knee that swells at night, and Ada Novak waited for an answer."
    draft = "Somebody telephoned because of a swollen joint and had to have patience."
    for mentions, found in ((2, {FindingKind.LOST_PLACEHOLDER}), (3, set()), (None, set())):
        gate = Gate(LIMITS(subject_mentions=mentions), RECOGNIZER)
        assert {f.kind for f in gate.judge(*protect({"text": text}), draft).findings} == found


class FixedLikeness:
    """A likeness that always gives one figure, and remembers what it was asked."""

    fingerprint = "fixed"

    def __init__(self, alike: float) -> None:
        self.alike = alike
        self.asked: list[tuple[str, str]] = []

    def compare(self, original: str, draft: str) -> float:
        self.asked.append((original, draft))
        return self.alike

    def __len__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("alike", "found"),
    [
        (0.5, set()),
        (0.9, set()),
        (0.49, {FindingKind.UNLIKE}),
        (-1.0, {FindingKind.UNLIKE}),
        (float("nan"), {FindingKind.UNLIKE}),
    ],
)
def test_a_draft_that_does_not_answer_for_its_record_is_found(
    alike: float, found: set[FindingKind]
) -> None:
    gate = Gate(LIMITS(), RECOGNIZER, FixedLikeness(alike))
    assert judge_fields(RETOLD, gate) == found
    assert judge_fields(RETOLD, Gate(LIMITS(likeness=None), RECOGNIZER, FixedLikeness(alike))) == set()  # fmt: skip


def test_likeness_reads_no_plain_value_and_numbers_as_an_index_does() -> None:
    likeness = FixedLikeness(1.0)
    gate = Gate(LIMITS(), RECOGNIZER, likeness)
    original, protection = protect({"text": "Eve Stone wrote that Ada Novak of Bern is in pain."})
    draft = "Somebody is in pain, as [PERSON_2] and then [PERSON_1] of [LOCATION_1] let us know."
    gate.judge(original, protection, draft)
    ((before, after),) = likeness.asked
    assert before == "person 1 wrote that person 2 of location 1 is in pain."
    assert after == "Somebody is in pain, as person 1 and then person 2 of location 1 let us know."


def test_likeness_is_asked_only_where_nothing_else_speaks_against_the_draft() -> None:
    likeness = FixedLikeness(1.0)
    verdict = judge("Ada Novak has a swollen knee that troubles sleep at night.",
                    Gate(LIMITS(), RECOGNIZER, likeness))  # fmt: skip
    assert (verdict.likeness, likeness.asked) == (None, [])


def test_likeness_is_not_asked_for_a_limit_that_is_off() -> None:
    likeness = FixedLikeness(1.0)
    gate = Gate(LIMITS(likeness=None), RECOGNIZER, likeness)
    assert judge_fields(RETOLD, gate) == set()
    assert likeness.asked == []


def test_a_gate_says_which_limits_it_judges_by() -> None:
    without, given_one = (
        Gate(LIMITS(), RECOGNIZER),
        Gate(LIMITS(), RECOGNIZER, FixedLikeness(1.0)),
    )
    assert without.active_limits["likeness"] is None
    assert given_one.active_limits["likeness"] == LIMITS().likeness
    assert without.active_limits["run_tokens"] == 10
    assert without.fingerprint != given_one.fingerprint


def test_every_kind_of_finding_has_a_hint_of_its_own() -> None:
    assert set(HINTS) == set(FindingKind)
    assert len(set(HINTS.values())) == len(FindingKind)
    for finding in judge("Ada Novak of Bern rang.").findings:
        assert finding.hint == HINTS[finding.kind]


@given(
    st.lists(
        st.sampled_from([*TEXT.split(), *KNEE.split(), "[PERSON_7]", "\n", "und", "der"]),
        max_size=60,
    )
)
def test_no_message_holds_a_plain_value_whatever_the_draft(words: list[str]) -> None:
    verdict = judge(" ".join(words))
    assert verdict.safe == (not verdict.findings)
    for finding in verdict.findings:
        assert not any(
            part in finding.message for part in ("Novak", "Bern", "0134", "Lake", "2021")
        )


def test_judging_is_linear_in_the_draft() -> None:
    original, protection = protect(DIALOGUE)

    def judge_long(size: int) -> None:
        draft = {"question": "a knee that is thick and aches. " * size, "answer": "Rest and ice."}
        GATE.judge(original, protection, draft)

    assert growth(judge_long, 500) < LINEAR


BASELINE = IDENTIFIERS_ONLY
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
        ("Ada M. Novak", EntityType.PERSON, "ask adanovak there", True),
        ("Ada Novak", EntityType.PERSON, "see novak_ada_ct.pdf", True),
        ("Ada Novak", EntityType.PERSON, "see adanovakia", False),
        ("Will Young", EntityType.PERSON, "a young will", False),
        ("the", EntityType.ORGANIZATION, "at the mill", False),
        ("A", EntityType.PERSON, "a column A", False),
        ("Li", EntityType.PERSON, "told Li so", True),
        ("Ann Lee", EntityType.PERSON, "\uff21nn lee", True),
        ("M\u00fcller", EntityType.PERSON, "told Mu\u0308ller so", True),
        ("Mu\u0308ller", EntityType.PERSON, "told M\u00fcller so", True),
        ("Ann M\u00fcller", EntityType.PERSON, "told Mu\u0308ller so", True),
        ("Will", EntityType.PERSON, "she \uff57ill come", False),
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


def test_meaning_is_judged_by_field_unless_turned_off() -> None:
    record = protect({"text": "The left knee of [PERSON] swells. Ice does not help it at all."})
    changed = {"text": "The right knee of [PERSON] swells. Ice does not help it at all."}
    loose = {"run_tokens": None, "rouge_l": None}
    kinds = {f.kind for f in Gate(GateLimits(**loose), RECOGNIZER).judge(*record, changed).findings}
    assert kinds == {FindingKind.MEANING_CHANGED, FindingKind.UNVERIFIED_REWORDING}
    assert Gate(LIMITS(**loose), RECOGNIZER).judge(*record, changed).safe
    reworded = {"text": "The left knee swells at dusk, says [PERSON]. Ice does not help it at all."}
    verdicts = (
        Gate(GateLimits(unverified_words=most, **loose), RECOGNIZER).judge(*record, reworded)
        for most in (0, 1)
    )
    assert [verdict.safe for verdict in verdicts] == [False, True]


@pytest.mark.parametrize(("policy", "refused"), [("sage", True), ("hipaa-safe-harbor", False)])
def test_a_special_category_in_clear_is_refused_where_the_policy_hides_it(
    policy: str, refused: bool
) -> None:
    table = dict.fromkeys(("Muslim", "Islamic"), EntityType.SPECIAL_CATEGORY)
    recognizer = TableRecognizer(table)
    text = "She is a Muslim and her left knee swells every evening after the long walk home."
    protection = Protector(recognizer, preset(policy), CIPHER).protect({"text": text})
    draft = "After walks in the evening an Islamic patient has a swollen left knee."
    verdict = Gate(GateLimits(), recognizer).judge(Original(text), protection, draft)
    found = {finding.kind for finding in verdict.findings}
    assert (FindingKind.UNPROTECTED in found) is refused


def test_a_special_category_is_not_refused_in_a_record_without_one() -> None:
    recognizer = TableRecognizer({**RECOGNIZER._table, "Islamic": EntityType.SPECIAL_CATEGORY})
    protection = Protector(recognizer, preset("sage"), CIPHER).protect({"text": TEXT})
    draft = "A swollen knee of [PERSON_1]: see the Islamic hospital."
    verdict = Gate(GateLimits(), recognizer).judge(Original(TEXT), protection, draft)
    assert FindingKind.UNPROTECTED not in {finding.kind for finding in verdict.findings}
