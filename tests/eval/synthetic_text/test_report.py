import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from sage_rag.common.exceptions import InputError, MissingExtraError
from sage_rag.eval.knowledge.cli import evaluation
from sage_rag.eval.synthetic_text.backends.perplexity import (
    TuningSettings,
    perplexity_of,
    tuned_perplexity,
)
from sage_rag.eval.synthetic_text.mauve_score import mauve
from sage_rag.eval.synthetic_text.reading import synthetic_texts
from sage_rag.eval.synthetic_text.report import measure_texts
from sage_rag.training.controlled.codes import Identifiers
from tests.training.controlled.corpus import (
    cases,
    tiny_model,
    tokenizer,
    write_cases,
    write_model,
)


def test_direct_and_quasi_values_are_counted_apart() -> None:
    report = measure_texts(["Ms Ines Vardal came.", "To Harnmouth and Pell."], cases(8))
    direct, quasi, both = (report.leakage[kind] for kind in Identifiers)
    assert (direct.pipp.successes, quasi.pipp.successes, both.pipp.successes) == (1, 1, 2)
    assert (direct.elp.successes, quasi.elp.successes, both.elp.successes) == (1, 2, 3)
    assert both.elp.trials == direct.elp.trials + quasi.elp.trials
    assert "quasi: PIPP 1 of 2" in str(report)


def test_a_name_counts_without_its_title() -> None:
    report = measure_texts(["Ines Vardal came.", "VARDAL, Ms. Ines", "Ms I. V."], cases(8))
    assert report.leakage[Identifiers.DIRECT].pipp.successes == 1
    assert report.leakage[Identifiers.DIRECT].elp.successes == 1


def test_nothing_to_measure_is_an_error() -> None:
    with pytest.raises(InputError, match="no text to measure"):
        measure_texts([], cases(2))


def test_perplexity_is_the_exponential_of_the_mean_loss(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    text = cases(1)[0].text
    ids = tokenizer()(text, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        log_p = tiny_model()(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    expected = math.exp(-sum(float(log_p[i, t]) for i, t in enumerate(ids[1:])) / (len(ids) - 1))
    value, count = perplexity_of(folder, [text], 500)
    assert value == pytest.approx(expected, rel=1e-5)
    assert count == perplexity_of(folder, [text], 20)[1] == len(ids) - 1


def test_tuning_on_like_texts_lowers_the_perplexity(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    settings = TuningSettings(row_tokens=64, rows=4, learning_rate=3e-3)
    texts = [document.text for document in cases(12)]
    found = tuned_perplexity(folder, texts, [cases(3, seed=9)[2].text], tmp_path / "run", settings)
    assert found.tuned < found.untuned


class PlaneEmbedder:
    name = "plane"

    def embed(self, texts):
        return np.asarray([[len(text), text.count("e")] for text in texts], dtype=np.float32)


def test_mauve_is_1_for_equal_texts_and_falls_for_others() -> None:
    pytest.importorskip("mauve")
    near, far = (["e" * (n % 7) for n in range(60)], ["x" * (100 + n) for n in range(60)])
    assert mauve(near, near, PlaneEmbedder()) > 0.95
    assert mauve(near, far, PlaneEmbedder()) < 0.3


def test_mauve_without_its_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mauve", None)
    with pytest.raises(MissingExtraError, match="MAUVE needs `mauve`"):
        mauve(["a"], ["b"], PlaneEmbedder())


def test_a_folder_is_read_whatever_its_files(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part/a.jsonl").write_text('{"text": "one", "label": "x"}\n{"text": "two"}\n')
    assert synthetic_texts(tmp_path) == ["one", "two"]
    (tmp_path / "b.txt").write_text("three")
    assert synthetic_texts(tmp_path) == ["one", "two", "three"]


def test_the_shards_of_a_synthesis_are_no_index_version(tmp_path: Path) -> None:
    (tmp_path / "owner").mkdir()
    (tmp_path / "shard-00000.jsonl").write_text('{"text": "one", "source": "s", "kind": "x"}\n')
    (tmp_path / "shard-00001.jsonl").write_text('{"text": "two", "source": "s", "kind": "x"}\n')
    (tmp_path / "manifest.json").write_text('{"format": "sage-rag-synthesis-1"}')
    assert synthetic_texts(tmp_path) == ["one", "two"]


def test_the_command_measures_what_generate_wrote(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(8))
    folder = tmp_path / "synthetic"
    folder.mkdir()
    rows = [{"id": "a", "text": cases(1)[0].text}, {"id": "b", "text": "Invented."}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["text", str(folder), "--sources", str(tmp_path / "cases.jsonl"), "--json", "-"]
    result = CliRunner().invoke(evaluation, arguments, catch_exceptions=False)
    report = json.loads(result.output)
    assert report["texts"] == 2
    assert report["leakage"]["both"]["pipp"]["successes"] == 1
    assert report["rouge_2"] == pytest.approx(0.5)
    with pytest.raises(InputError, match="need real texts"):
        CliRunner().invoke(evaluation, [*arguments, "--mauve"], catch_exceptions=False)
    with pytest.raises(InputError, match="no recognizer `nothing`"):
        CliRunner().invoke(
            evaluation, [*arguments, "--recognizer", "nothing:x"], catch_exceptions=False
        )
    alone = [*arguments, "--reference", str(tmp_path / "cases.jsonl")]
    with pytest.raises(InputError, match="measures nothing"):
        CliRunner().invoke(evaluation, alone, catch_exceptions=False)
    with pytest.raises(InputError, match="has no model"):
        CliRunner().invoke(evaluation, [*alone, "--model", "absent"], catch_exceptions=False)
