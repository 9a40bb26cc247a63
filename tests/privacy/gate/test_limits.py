"""The gate's limits, and how a policy sets them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.limits import IDENTIFIERS_ONLY, GateLimits, parse_limits
from sage_rag.privacy.policy import parse_policy, preset, preset_names
from sage_rag.privacy.testing import TableRecognizer

NAMES = [field.name for field in fields(GateLimits)]


def limits_of(lines: str, recipe: GateLimits | None = None) -> GateLimits:
    return parse_policy("mine", f"[gate]\n{lines}").limits(recipe or GateLimits())


def test_a_policy_overrides_what_it_names_and_nothing_else() -> None:
    assert limits_of("") == GateLimits()
    assert limits_of("rouge_l = 0.4\nrun_tokens = 8") == GateLimits(rouge_l=0.4, run_tokens=8)
    assert limits_of("run_tokens = 20", IDENTIFIERS_ONLY).run_tokens == 20
    assert limits_of("run_tokens = 20", IDENTIFIERS_ONLY).rouge_l is None
    assert limits_of("form = false").form is False
    assert repr(limits_of("length_ratio = 2")) == repr(GateLimits())


@pytest.mark.parametrize("name", NAMES)
def test_every_limit_can_be_turned_off(name: str) -> None:
    assert not asdict(limits_of(f'{name} = "off"'))[name]


@pytest.mark.parametrize("name", preset_names())
def test_no_shipped_policy_changes_a_limit(name: str) -> None:
    assert preset(name).limits(GateLimits()) == GateLimits()


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("gate = 3", "gate is not a table"),
        ("[gate]\nrouge = 0.4", "unknown `rouge`"),
        ("[gate]\nrun_tokens = 1", "`run_tokens` is a whole number from 2"),
        ("[gate]\nrun_tokens = 9.0", "whole number"),
        ("[gate]\nrun_tokens = true", "whole number"),
        ('[gate]\nrun_tokens = "none"', "whole number"),
        ("[gate]\nquasi_values = -1", "from 0"),
        ("[gate]\nquasi_values = true", "whole number"),
        ("[gate]\nmin_tokens = 0", "from 1"),
        ("[gate]\nsubject_mentions = 0", "from 1"),
        ("[gate]\nrouge_l = 1.5", "`rouge_l` is a number from 0 to 1"),
        ("[gate]\nrouge_l = nan", "a number from"),
        ("[gate]\nrouge_l = true", "a number from"),
        ("[gate]\nlikeness = -0.1", "a number from 0 to 1"),
        ("[gate]\nlikeness = [0.5]", "a number from"),
        ("[gate]\nlength_ratio = 0.5", "from 1 to 100"),
        ("[gate]\nform = 1", "`form` is true, false"),
        ('[gate]\nlanguage = "en"', "`language` is true, false"),
    ],
)
def test_a_faulty_limit_is_one_clear_line(source: str, complaint: str) -> None:
    with pytest.raises(InputError, match="policy `mine`") as caught:
        parse_policy("mine", source)
    assert complaint in caught.value.message
    assert "\n" not in caught.value.message


VALUES = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.sampled_from(["off", "on", ""]), st.none()
)


@given(st.dictionaries(st.sampled_from([*NAMES, "x"]), VALUES) | VALUES)
def test_any_table_is_limits_or_our_error(table: object) -> None:
    with suppress(InputError):
        GateLimits(**parse_limits(table, "here"))  # type: ignore[arg-type]


def test_each_limit_changes_the_gates_fingerprint_but_not_the_policys() -> None:
    sources = [
        "", "run_tokens = 30", "rouge_l = 0.6", "quasi_values = 2", "min_tokens = 3",
        "length_ratio = 3", "subject_mentions = 3", "common_placeholders = false", "form = false",
        "language = false", "likeness = 0.6", "meaning = false",
    ]  # fmt: skip
    gates = {Gate(limits_of(source), TableRecognizer({})).fingerprint for source in sources}
    assert len(gates) == len(sources)
    assert len({parse_policy("p", f"[gate]\n{source}").fingerprint for source in sources}) == 1
