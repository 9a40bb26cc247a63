"""A missing library names the extra that brings it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sage_rag.common.exceptions import MissingExtraError, extra


def test_a_missing_library_is_one_line_with_the_extra_as_hint() -> None:
    with pytest.raises(MissingExtraError) as caught, extra("gpu", needed_by="VllmEngine"):
        import no_such_library.part  # noqa: F401
    assert caught.value.message == "VllmEngine needs `no_such_library`, which is not installed"
    assert caught.value.hint == "pip install 'sage-rag[gpu]'"
    assert caught.value.exit_code == 6


def test_a_library_that_is_there_but_broken_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text("from json import no_such_name\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtraError, match="cannot be imported"), extra("x", needed_by="X"):
        import half_installed  # noqa: F401
    sys.modules.pop("half_installed", None)


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), extra("x", needed_by="X"):
        raise KeyError("x")
