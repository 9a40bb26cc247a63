from sage_rag.privacy.entities import EntityType
from sage_rag.training.controlled.codes import (
    CodeType,
    ControlCode,
    Identifiers,
    PrivateValue,
    code_type_of,
)
from tests.training.controlled.corpus import cases


def test_a_code_groups_values_by_type_in_the_papers_form() -> None:
    code = ControlCode.of_document(cases(1)[0], Identifiers.BOTH)
    assert str(code).splitlines()[1:3] == ["PERSON: Mr Tomas O'Neil", "LOC: Harnmouth"]
    assert code.counts == dict.fromkeys(
        (CodeType.CODE, CodeType.PERSON, CodeType.LOC, CodeType.DATETIME, CodeType.QUANTITY), 1
    )


def test_equal_values_count_once_and_direct_ones_can_stand_alone() -> None:
    person, town = (EntityType.PERSON, "Ada Lund"), (EntityType.LOCATION, "Pell")
    values = [PrivateValue.of(text, kind) for kind, text in (person, town, person)]
    code = ControlCode.of((CodeType.PERSON, v.text) for v in values if v.direct)
    assert str(code) == "PERSON: Ada Lund"
    assert [Identifiers.QUASI.cover(v) for v in values] == [False, True, False]
    assert all(map(Identifiers.BOTH.cover, values))


def test_misc_is_in_no_code_and_other_direct_identifiers_are_codes() -> None:
    assert code_type_of(EntityType.MISC) is None
    assert code_type_of(EntityType.IBAN_CODE) is CodeType.CODE
    assert code_type_of(EntityType.AGE) is CodeType.DEM


def test_no_repr_shows_a_value() -> None:
    document = cases(1)[0]
    shown = repr(document) + repr(ControlCode.of_document(document, Identifiers.BOTH))
    assert "Neil" not in shown
    assert "Harnmouth" not in shown
