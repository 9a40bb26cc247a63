"""The label maps."""

from __future__ import annotations

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType, Identifiability, identifiability
from sage_rag.privacy.labels import _TABLES, Scheme, labels, matching_types, type_of_label

SIZES = {
    Scheme.TAB: 8,
    Scheme.CLUENER: 10,
    Scheme.MEDDOCAN: 29,
    Scheme.PRESIDIO_RESEARCH: 17,
    Scheme.PII_ANON: 53,
    Scheme.UNER: 4,
    Scheme.WNUT17: 6,
    Scheme.CAIL: 10,
}


@pytest.mark.parametrize(("scheme", "size"), SIZES.items())
def test_every_label_of_a_scheme_is_there(scheme: Scheme, size: int) -> None:
    assert len(labels(scheme)) == size


@pytest.mark.parametrize("scheme", Scheme)
def test_no_label_stands_twice_and_none_means_a_technical_type(scheme: Scheme) -> None:
    written = [label for names in _TABLES[scheme].values() for label in names.split()]
    assert len(written) == len(set(written))
    for label in written:
        found = type_of_label(label, scheme)
        assert found is None or identifiability(found) is not Identifiability.TECHNICAL
        assert (found is None) == (not matching_types(label, scheme))
        assert found is None or found in matching_types(label, scheme)


@pytest.mark.parametrize(
    ("label", "scheme", "expected"),
    [
        ("US_SSN", Scheme.PRESIDIO, EntityType.US_SSN),
        ("PL_PESEL", Scheme.PRESIDIO, EntityType.NATIONAL_ID),
        ("DATETIME", Scheme.TAB, EntityType.DATE_TIME),
        ("address", Scheme.CLUENER, EntityType.LOCATION),
        ("movie", Scheme.CLUENER, None),
        ("CALLE", Scheme.MEDDOCAN, EntityType.LOCATION),
        ("ZIP_CODE", Scheme.PRESIDIO_RESEARCH, EntityType.LOCATION),
        ("BAR_NUMBER", Scheme.PII_ANON, EntityType.ID),
        ("PER", Scheme.UNER, EntityType.PERSON),
        ("creative-work", Scheme.WNUT17, None),
    ],
)
def test_labels_map_onto_our_types(label: str, scheme: Scheme, expected: EntityType | None) -> None:
    assert type_of_label(label, scheme) is expected


def test_an_unknown_label_is_an_error_and_no_silent_gap() -> None:
    with pytest.raises(InputError, match="tab has no label `NAME`"):
        type_of_label("NAME", Scheme.TAB)
    with pytest.raises(InputError):
        matching_types("person", Scheme.TAB)


def test_any_number_that_identifies_counts_as_a_tab_code() -> None:
    found = matching_types("CODE", Scheme.TAB)
    assert {EntityType.PHONE_NUMBER, EntityType.CASE_NUMBER, EntityType.ID} <= found
    assert EntityType.PERSON not in found
    assert EntityType.DATE_TIME not in found
    assert matching_types("LOC", Scheme.TAB) == {EntityType.LOCATION}


@pytest.mark.slow
def test_presidio_labels_cover_the_installed_release() -> None:
    recognizers = pytest.importorskip("presidio_analyzer.predefined_recognizers")
    defaults = [
        inspected.default
        for name in recognizers.__all__
        if (inspected := _supported_entity(getattr(recognizers, name))) is not None
    ]
    assert len(defaults) > 50
    assert set(defaults) <= labels(Scheme.PRESIDIO)


def _supported_entity(recognizer: type) -> object:
    import inspect

    found = inspect.signature(recognizer.__init__).parameters.get("supported_entity")
    return found if found is not None and isinstance(found.default, str) else None
