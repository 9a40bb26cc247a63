"""Runs of a few steps: what they learn, and that they continue exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from sage_rag.common.exceptions import InputError
from sage_rag.training.pretraining import loop
from sage_rag.training.pretraining.loop import pretrain
from sage_rag.training.pretraining.metrics import read_measurements
from tests.training.pretraining.runs import VOCABULARY, tiny_run


def curve(out: Path) -> list[tuple[int, float, float, float]]:
    return [(m.step, m.loss, m.learning_rate, m.gradient_norm) for m in read_measurements(out)]


def weights(out: Path) -> bytes:
    return (out / "model" / "model.safetensors").read_bytes()


def test_a_run_learns_and_its_model_loads_and_writes(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, optimization={"epochs": 6})
    exported = pretrain(config)
    losses = [loss for _, loss, _, _ in curve(config.out)]
    assert losses[-1] < 0.8 * losses[0]
    model = AutoModelForCausalLM.from_pretrained(exported)
    tokenizer = AutoTokenizer.from_pretrained(exported)
    prompt = tokenizer("ba", return_tensors="pt", return_token_type_ids=False)
    written = model.generate(**prompt, max_new_tokens=5, do_sample=False)
    assert 1 < written.shape[1] <= prompt["input_ids"].shape[1] + 5
    assert model.generation_config.eos_token_id == tokenizer.eos_token_id
    assert model.config.vocab_size == VOCABULARY


class Killed(BaseException):
    pass


def killed_after(step: int):
    def progress(done: int, steps: int, last: object) -> None:
        if done == step:
            raise Killed

    return progress


@pytest.mark.parametrize("step", [1, 5])
def test_a_run_that_stops_anywhere_continues_to_the_same_bits(tmp_path: Path, step: int) -> None:
    whole = tiny_run(tmp_path)
    pretrain(whole)
    stopped = whole.model_copy(update={"out": tmp_path / "stopped"})

    with pytest.raises(Killed):
        pretrain(stopped, progress=killed_after(step))
    pretrain(stopped)
    assert curve(stopped.out) == curve(whole.out)
    assert weights(stopped.out) == weights(whole.out)


def test_a_complete_run_returns_at_once(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)
    pretrain(config)
    steps: list[int] = []
    pretrain(config, progress=lambda done, all_, last: steps.append(done))
    assert steps == []


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"seed": 4}, "seed"),
        ({"optimization": {"learning_rate": 0.02}}, "optimization.learning_rate"),
    ],
)
def test_a_run_of_other_settings_keeps_its_folder(tmp_path: Path, changes, key: str) -> None:
    pretrain(tiny_run(tmp_path))
    with pytest.raises(InputError, match=f"another `{key}`"):
        pretrain(tiny_run(tmp_path, **changes))


def test_a_run_that_took_no_step_accepts_other_settings(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)
    wrong = config.data.model_copy(update={"tokenizer": tmp_path / "missing"})
    with pytest.raises(InputError, match="tokenizer"):
        pretrain(config.model_copy(update={"data": wrong}))
    assert pretrain(config).is_dir()


def test_a_run_that_took_no_step_accepts_other_texts(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)
    absent = config.model.model_copy(update={"path": tmp_path / "absent", "size": None})
    with pytest.raises(InputError, match="no causal language model"):
        pretrain(config.model_copy(update={"model": absent}))
    assert (config.out / "tokens" / "corpus").is_dir()
    config.data.corpus[0].write_text('{"text": "other words, of another text"}\n' * 40)
    assert pretrain(config).is_dir()


def test_changed_texts_are_noticed(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)
    pretrain(config)
    config.data.corpus[0].write_text('{"text": "other"}\n')
    (config.out / "model").rename(tmp_path / "moved")
    with pytest.raises(InputError, match="have changed since the run began"):
        pretrain(config)


@pytest.mark.slow
def test_adapters_train_alone_and_are_merged_in_the_export(tmp_path: Path) -> None:
    base = pretrain(tiny_run(tmp_path))
    model = {
        "start": "weights",
        "path": str(base),
        "size": None,
        "lora": {"rank": 4, "dropout": 0.2},
    }
    whole = tiny_run(tmp_path, model=model, out=str(tmp_path / "adapted"))
    exported = pretrain(whole)
    before = AutoModelForCausalLM.from_pretrained(base).state_dict()
    after = AutoModelForCausalLM.from_pretrained(exported).state_dict()
    assert before.keys() == after.keys()
    changed = {name for name in before if not before[name].equal(after[name])}
    assert changed == {name for name in before if "_proj" in name}
    stopped = whole.model_copy(update={"out": tmp_path / "stopped"})
    with pytest.raises(Killed):
        pretrain(stopped, progress=killed_after(4))
    pretrain(stopped)
    assert curve(stopped.out) == curve(whole.out)


@pytest.mark.slow
def test_bfloat16_and_recomputed_activations_give_nearly_the_same_losses(tmp_path: Path) -> None:
    pretrain(tiny_run(tmp_path))
    exact = [loss for _, loss, _, _ in curve(tmp_path / "run")]
    for name, hardware in (("half", {"precision": "bfloat16"}), ("memory", {"recompute": True})):
        config = tiny_run(tmp_path, hardware=hardware, out=str(tmp_path / name))
        pretrain(config)
        found = [loss for _, loss, _, _ in curve(config.out)]
        assert found == pytest.approx(exact, rel=0.02 if name == "half" else 1e-4)


def test_a_loss_that_is_not_a_number_stops_the_run(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, optimization={"learning_rate": 1e30, "warm_up": 0.0})
    with pytest.raises(InputError, match=r"gradient of step \d is not a finite number"):
        pretrain(config)


def test_a_model_without_training_exports_what_it_read(tmp_path: Path) -> None:
    base = pretrain(tiny_run(tmp_path))
    settings = {"start": "weights", "path": str(base), "size": None}
    slow = {"learning_rate": 1e-12, "max_steps": 1}
    again = pretrain(
        tiny_run(tmp_path, model=settings, optimization=slow, out=str(tmp_path / "again"))
    )
    before = AutoModelForCausalLM.from_pretrained(base).state_dict()
    after = AutoModelForCausalLM.from_pretrained(again).state_dict()
    assert all(before[name].allclose(after[name], atol=1e-9) for name in before)


def test_a_setting_that_is_newer_than_a_run_had_its_default(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)
    folder = pretrain(config)
    record = config.out / "config.json"
    settings = json.loads(record.read_text("utf-8"))
    del settings["model"]["size"]["tied_embeddings"], settings["optimization"]["final_rate"]
    record.write_text(json.dumps(settings), "utf-8")
    assert pretrain(config) == folder
    settings["optimization"]["final_rate"] = 0.5
    record.write_text(json.dumps(settings), "utf-8")
    with pytest.raises(InputError, match=r"another `optimization\.final_rate`"):
        pretrain(config)
    record.write_text("{}", "utf-8")
    with pytest.raises(InputError, match="not the record of a run"):
        pretrain(config)


def test_flex_attention_is_refused_on_a_cpu(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, model={"attention": "flex"})
    with pytest.raises(InputError, match="no backward pass on a CPU"):
        pretrain(config)


def test_compiling_without_a_compiler_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny_run(tmp_path, hardware={"compiled": True})
    monkeypatch.setenv("CXX", str(tmp_path / "absent"))
    with pytest.raises(InputError, match=r"needs a C\+\+ compiler") as caught:
        pretrain(config)
    assert "`hardware.compiled` = false" in str(caught.value.hint)
    assert not (config.out / "tokens").exists()


def test_a_step_without_enough_memory_names_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1")

    config = tiny_run(tmp_path)
    monkeypatch.setattr(loop, "_step", refused)
    with pytest.raises(InputError, match="too little memory for a step of") as caught:
        pretrain(config)
    assert caught.value.hint is not None
    assert "rows_per_device" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    config = tiny_run(tmp_path).model_copy(update={"out": tmp_path / "file" / "out"})
    with pytest.raises(InputError, match="cannot write to") as caught:
        pretrain(config)
    assert caught.value.hint == "set `out` to a folder that you may write to"
