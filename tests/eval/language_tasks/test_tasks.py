"""Tasks of lm-evaluation-harness on tiny models and local data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.language_tasks.cli import tasks
from sage_rag.eval.language_tasks.tasks import TaskFigure, TaskReport, measure_tasks
from tests.eval.model_attacks.models import trained, untrained

COLOURS = ("red", "blue", "green", "white")
THINGS = (
    "kettle", "ladder", "bucket", "basket", "curtain", "saddle", "lantern", "barrel", "pillow",
    "hammer", "bottle", "trolley", "cushion", "shutter", "sledge", "cradle", "anchor", "wagon",
    "tripod", "locket",
)  # fmt: skip
FACTS = [f"The {thing} is {COLOURS[i % 4]}" for i, thing in enumerate(THINGS)]
VOCABULARY = 340
DEFINITION = """\
task: colours
dataset_path: json
dataset_kwargs:
  data_files: {data}
output_type: multiple_choice
test_split: train
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the task `colours`, and the task `absent`, whose data are nowhere."""
    folder = tmp_path_factory.mktemp("tasks")
    rows = [
        {"question": f"The {thing} is", "choices": COLOURS, "answer": i % 4}
        for i, thing in enumerate(THINGS)
    ]
    data = folder / "colours.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    colours = DEFINITION.format(data=data)
    (folder / "colours.yaml").write_text(colours, "utf-8")
    absent = colours.replace("colours", "absent").replace(str(data), str(folder / "none.jsonl"))
    (folder / "absent.yaml").write_text(absent, "utf-8")
    return folder


def saved(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_model_that_knows_the_answers_is_right_and_an_untrained_one_guesses(
    tmp_path: Path, definitions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knowing = saved(tmp_path / "knowing", *trained(FACTS, FACTS, 120, VOCABULARY))
    guessing = saved(tmp_path / "guessing", *untrained(FACTS, VOCABULARY))
    known = measure_tasks(knowing, ["colours"], definitions=definitions).figures
    assert [(f.task, f.metric, f.examples) for f in known] == [("colours", "acc", len(THINGS))]
    assert known[0].value >= 0.95

    tasks(guessing, ["colours"], definitions=definitions, json_file=tmp_path / "figures.json")
    written = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    assert written["figures"][0]["value"] <= 0.6
    assert written["figures"][0]["standard_error"] > 0
    assert f"| {len(THINGS)} | – | – | – |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("metric", "value", "error", "cell"),
    [
        ("acc", 1.0, 0.0, "1.000 (0.861–1.000)"),
        ("exact_match (strict)", 0.0, 0.0, "0.000 (0.000–0.139)"),
        ("acc_norm", 0.5, 0.1147, "0.500 (0.272–0.728)"),
        ("bleu", 12.5, 1.0, "12.500 (10.540–14.460)"),
        ("perplexity", 12.5, None, "12.500"),
    ],
)
def test_a_share_has_an_exact_interval(
    metric: str, value: float, error: float | None, cell: str
) -> None:
    figure = TaskFigure(task="t", metric=metric, value=value, standard_error=error, examples=20)
    shown = str(TaskReport(model="m", harness="h", figures=(figure,)))
    assert f"| t | {metric} | {cell} | 20 |" in shown


@pytest.mark.parametrize(
    ("name", "message"), [("absent", "are not at hand"), ("unknown", "no task of the harness")]
)
def test_absent_data_and_an_unknown_task_are_one_line(
    tmp_path: Path, definitions: Path, name: str, message: str
) -> None:
    folder = saved(tmp_path / "model", *untrained(FACTS, VOCABULARY))
    with pytest.raises(InputError, match=message) as raised:
        measure_tasks(folder, ["colours", name], definitions=definitions)
    assert "\n" not in raised.value.message


def test_a_folder_without_task_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a folder of task files"):
        measure_tasks(tmp_path, ["colours"], definitions=tmp_path / "none")
