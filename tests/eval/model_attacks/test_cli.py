from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sage_rag.eval.model_attacks.canaries import invent_canaries, plant, write_canaries
from sage_rag.rag_server.cli import run
from sage_rag.training.pretraining.tokenizing import save_tokenizer
from tests.eval.model_attacks.models import untrained

ATTACK = EntryPoint(
    "attack-model", "sage_rag.eval.model_attacks.cli:attack_checkpoint", "sage_rag.commands"
)
CANARIES = invent_canaries({0: 20, 2: 3}, seed=0)
TEXT, OTHER = (
    "\n\n".join(canary.text for canary in invent_canaries({1: 80}, seed)) for seed in (1, 2)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a model, its training text, a held-out text and canaries."""
    folder = tmp_path_factory.mktemp("attacked")
    model, tokenizer = untrained([TEXT])
    model.save_pretrained(folder / "model")
    save_tokenizer(tokenizer, folder / "model")
    (folder / "training.txt").write_text(plant([TEXT], CANARIES, 0)[0])
    (folder / "held_out.txt").write_text(OTHER)
    write_canaries(CANARIES, folder / "canaries.jsonl")
    return folder


@pytest.fixture
def attack(folder, capsys):
    def run_attack(*options, model="model", training="training.txt"):
        texts = ["--training-text", str(folder / training), "--held-out", folder / "held_out.txt"]
        named = [str(folder / model)] if model else []
        code = run(["attack-model", *named, *map(str, texts), *options], [ATTACK])
        return code, *capsys.readouterr()

    return run_attack


@pytest.mark.slow
def test_the_tables_go_to_stdout_and_the_figures_to_a_file(attack, folder, tmp_path) -> None:
    written = tmp_path / "report.json"
    code, out, err = attack(
        *("--attack", "prefix", "--attack", "names", "--sentences", "2", "--candidates", "30"),
        *("--samples", "2", "--canaries", str(folder / "canaries.jsonl"), "--json", str(written)),
    )
    assert code == 0, err
    assert "| model | planted 2 times |" in out
    assert "true prefix: planted 2 times" in err
    report = json.loads(written.read_text())
    groups = [found["group"] for found in report["names"]]
    assert groups[:2] == ["planted 2 times", "not planted"]
    assert report["extraction"] == []
    assert not any(canary.name in out + err + written.read_text() for canary in CANARIES)


def test_a_bad_input_is_one_clear_line(attack, folder, tmp_path) -> None:
    for options, said in (
        ({"model": "absent"}, "has no model: `config.json` is missing"),
        ({"training": "absent.txt"}, "there is no `"),
        ({"training": "held_out.txt"}, "is in the training text 0 times"),
    ):
        code, _, err = attack("--canaries", str(folder / "canaries.jsonl"), **options)
        assert code == 2
        assert said in err
        assert len(err.splitlines()) <= 2, err
    code, _, err = attack("--attack", "guess")
    assert code == 2
    assert "there is no attack `guess`" in err
    assert "one of: names, prefix" in err


@pytest.mark.slow
def test_texts_that_are_too_short_for_keys_allow_the_other_attacks(attack, folder) -> None:
    short = folder / "short.jsonl"
    texts = TEXT.split("\n\n")[:8]
    short.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    few = [o for name in ("sentences", "samples", "prompts") for o in (f"--{name}", "1")]
    code, out, err = attack(*few, "--candidates", "2", training="short.jsonl")
    assert code == 0, err
    assert "left out: attack `keys` needs a text of 500 characters, and the longest has" in err
    assert "| model | names of the held-out text |" in out
    assert "| model | 24 training text | 204 | 0." in out  # membership, of different passages
    code, _, err = attack("--attack", "keys", training="short.jsonl")
    assert code == 2
    assert len(err.splitlines()) <= 2, err


def test_keys_alone_need_no_model(attack) -> None:
    code, out, err = attack("--attack", "keys", model=None)
    assert code == 0, err
    assert "| key length |" in out
    code, _, err = attack("--attack", "keys", "--attack", "names", model=None)
    assert code == 2
    assert "no model is named" in err


def test_a_model_without_tokenizer_is_one_clear_line(attack, folder) -> None:
    bare = folder / "bare"
    bare.mkdir(exist_ok=True)
    for name in ("config.json", "model.safetensors"):
        (bare / name).write_bytes((folder / "model" / name).read_bytes())
    code, _, err = attack(model="bare")
    assert code == 2
    assert "has no tokenizer" in err
    assert len(err.splitlines()) <= 2, err
