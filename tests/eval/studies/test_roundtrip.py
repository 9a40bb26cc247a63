from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError
from sage_rag.eval.studies import roundtrip
from sage_rag.eval.studies.roundtrip import WAYS, RoundTrip, measure, read_sets, texts_of
from sage_rag.eval.studies.runner import main
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import FailingRecognizer, TableRecognizer

NAMES = TableRecognizer({"Gudrun Falk": EntityType.PERSON, "Ulm": EntityType.LOCATION})


def test_texts_are_all_strings_but_ids_and_labels():
    record = {
        "doc_id": "7",
        "text": "Gudrun Falk",
        "turns": [{"said": "Hi"}, "Bye", ""],
        "spans": [{"start": 0, "end": 6, "label": "NAME"}],
        "year": 2020,
    }
    assert list(texts_of(record)) == [("Gudrun Falk", ((0, 6),)), ("Hi", ()), ("Bye", ())]


def test_every_way_is_exact_and_gold_needs_marks():
    trip = RoundTrip(NAMES)
    assert trip.exact("Gudrun Falk of Ulm", [(0, 6), (3, 18)]) == dict.fromkeys(WAYS, True)
    assert set(trip.exact("Gudrun Falk")) == {"whole", "stream", "placeholders"}


PIECES = (
    "PERSON_[ person_[ Person _[ LOCATION_\\\\[ [PERSON_1] [PERSON_ ] [ _ SECRET_[aGk=] LITERAL_[ Ulm "
    "ID_[AAAA unreadable] ID: 12 a\u200bb \u00e9 e\u0301 \U0001f642 \u5f20"
).split()
MARKUP = st.lists(st.sampled_from([*PIECES, " ", "\n", "\r\n"]), max_size=14).map("".join)


@settings(deadline=None)
@given(st.text(max_size=80) | MARKUP)
def test_any_text_comes_back(text: str):
    ranges = [(0, len(text)), (len(text) // 2, len(text))] if len(text) > 1 else []
    assert all(RoundTrip(NAMES).exact(f"Ulm{text}Gudrun Falk", ranges).values())


def test_a_failure_is_counted_and_named_by_line_alone():
    result = measure("set", [{"text": "Gudrun Falk"}, {"text": ""}], RoundTrip(FailingRecognizer()))
    assert (result.texts, result.characters) == (1, 11)
    assert {way: p.successes for way, p in result.ways.items()} == {
        "whole": 0, "stream": 0, "placeholders": 0,
    }  # fmt: skip
    assert result.failures == ((1, "whole"), (1, "stream"), (1, "placeholders"))


def test_files_are_found_at_any_depth_and_unpacked(tmp_path: Path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.jsonl").write_text('{"text": "é"}\n', "utf-8")
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as packed:
        packed.write('{"text": "x"}\n')
    found = [(name, list(records)) for name, records in read_sets(tmp_path)]
    assert found == [("a.jsonl.gz", [{"text": "x"}]), ("b/one.jsonl", [{"text": "é"}])]


def test_what_cannot_be_read_is_said(tmp_path: Path):
    with pytest.raises(InputError, match="no jsonl"):
        list(read_sets(tmp_path))
    (tmp_path / "bad.jsonl").write_text("{}\n{\n")
    with pytest.raises(InputError, match="line 2"):
        [list(records) for _, records in read_sets(tmp_path)]


def test_the_study_writes_figures_and_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(roundtrip, "default_recognizer", lambda: NAMES)
    (tmp_path / "set.jsonl").write_text('{"text": "Gudrun Falk"}\n{"text": "Ulm"}\n')
    out = tmp_path / "docs" / "roundtrip.md"
    home = tmp_path / "home"
    options = ["--data", str(tmp_path), "--out", str(out), "--home", str(home), "--limit", "1"]
    assert main(["roundtrip", *options]) == 0
    shown, saved = out.read_text(), json.loads((home / "roundtrip.json").read_text())
    assert "| set.jsonl | 1 | 11 | 1 of 1 (95 %: at least 5.0 %) |" in shown
    assert "Gudrun" not in shown + json.dumps(saved)
    assert saved["command"].endswith("roundtrip.md --home home --limit 1")
    assert saved["figures"][0]["ways"]["whole"]["successes"] == 1


def test_the_study_ends_with_an_error_where_a_text_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(roundtrip, "default_recognizer", FailingRecognizer)
    (tmp_path / "set.jsonl").write_text('{"text": "Gudrun Falk"}\n')
    out = tmp_path / "roundtrip.md"
    assert main(["roundtrip", "--data", str(tmp_path), "--out", str(out)]) == 1
    assert "set.jsonl: 3 failures" in out.read_text()
