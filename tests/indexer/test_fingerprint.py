"""Fingerprints must be the same in every process, or nothing is ever resumed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.treatment import Treatment
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.recognizers.default import default_recognizer
recipe, keyset = recipe_called("sage"), Keyset.generate()
print(Treatment(recipe, keyset, "c", default_recognizer(), rules_roles()).fingerprint)
"""


def fingerprint(seed: int) -> str:
    env = {**os.environ, "PYTHONHASHSEED": str(seed)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


@pytest.mark.slow
def test_neither_hash_seed_nor_key_changes_the_fingerprint() -> None:
    assert fingerprint(1) == fingerprint(2) != ""
