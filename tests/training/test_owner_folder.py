"""An output folder stays with one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.training.owner_folder import owner_folder_for


@pytest.mark.parametrize("name", ["notes", "notes ", "my  notes", "a\rb", "a\nb"])
def test_a_run_knows_its_folder_again_whatever_white_space_its_corpus_has(
    tmp_path: Path, name: str
) -> None:
    for _ in range(2):
        with owner_folder_for(tmp_path, f"synthesize {name}", ()):
            pass
    with (
        pytest.raises(InputError, match=r"holds the output of `synthesize [^\n]+`\Z"),
        owner_folder_for(tmp_path, "synthesize other", ()),
    ):
        pass
