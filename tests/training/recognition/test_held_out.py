"""Held-out texts as files that any recognizer can be measured on."""

from __future__ import annotations

import json
from pathlib import Path

from sage_rag.eval.studies.recognition import coverage, gold_rows
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.labels import Scheme
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.training.recognition import held_out
from sage_rag.training.recognition.datasets import AnnotatedText
from sage_rag.training.recognition.documents import Split
from sage_rag.training.recognition.examples import Example

TEXT = "Maria Keller came on 3 May; Tom, perhaps."


def annotated(split: Split) -> AnnotatedText:
    value = GoldValue(0, 12, "PERSON", frozenset({EntityType.PERSON}), "DIRECT")
    example = Example(TEXT, (), frozenset({EntityType.PERSON}), "tab", "one")
    gold = GoldText(TEXT, (value,), frozenset({EntityType.PERSON}), ((28, 31),))
    return AnnotatedText(example, gold, split)


def test_only_held_out_texts_are_written_and_the_study_reads_them(
    tmp_path: Path, monkeypatch
) -> None:
    sets = {"tab": [annotated(Split.TRAIN), annotated(Split.HELD_OUT)], "uner": []}
    monkeypatch.setattr(held_out, "SETS", sets)
    monkeypatch.setattr(held_out, "load", lambda name, data: sets[name])
    assert held_out.write_held_out(tmp_path, tmp_path / "out") == {"tab": 1}
    (row,) = gold_rows(tmp_path / "out" / "tab.jsonl")
    assert json.loads(json.dumps(row)) == {
        "text": TEXT,
        "spans": [{"start": 0, "end": 12, "label": "PERSON", "identifier_type": "DIRECT"}],
        "unsure": [[28, 31]],
        "annotated": ["PERSON"],
    }
    flags = {
        "Maria Keller": EntityType.PERSON,
        "3 May": EntityType.DATE_TIME,
        "Tom": EntityType.PERSON,
    }
    found = coverage([row], TableRecognizer(flags), Scheme.TAB)
    assert (found.by_risk["DIRECT"].successes, found.by_risk["DIRECT"].trials) == (1, 1)
    assert found.precision.successes == found.precision.trials == len("MariaKeller")
