from __future__ import annotations

import pytest

from sage_rag.eval.knowledge.report import p_equation


@pytest.mark.parametrize(
    ("p", "written"), [(0.34, "p = 0.34"), (1.0, "p = 1"), (3e-5, "p = 3e-05"), (0.0, "p < 1e-6")]
)
def test_a_p_value_is_written_as_an_equation(p: float, written: str) -> None:
    assert p_equation(p) == written
