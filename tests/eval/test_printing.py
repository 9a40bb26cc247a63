"""What a command that measures prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from sage_rag.common.exceptions import InputError
from sage_rag.eval.printing import print_figures


class Figures(BaseModel):
    found: int


def test_figures_are_a_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_figures(Figures(found=3), "| found |", tmp_path / "figures.json")
    assert capsys.readouterr().out == "| found |\n"
    assert Figures.model_validate_json((tmp_path / "figures.json").read_text()).found == 3
    print_figures(Figures(found=3), "| found |", Path("-"))
    assert capsys.readouterr().out == '{\n "found": 3\n}\n'


def test_a_file_that_cannot_be_written_does_not_cost_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="cannot write") as caught:
        print_figures(Figures(found=3), "| found |", tmp_path / "absent" / "figures.json")
    assert caught.value.hint is not None
    assert capsys.readouterr().out == "| found |\n"
