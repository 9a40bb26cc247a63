"""Two stages: what is carried, what continues, and what stays private."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from sage_rag.common.exceptions import InputError
from sage_rag.common.files import locked
from sage_rag.common.jsonl import rows
from sage_rag.training.cipher_pretraining.config import CipherPretrainingConfig, TextSettings
from sage_rag.training.cipher_pretraining.run import pretrain_in_two_stages
from sage_rag.training.cipher_pretraining.stage_texts import KEY, StageTexts
from sage_rag.training.ciphers.polyalphabetic import PolyalphabeticCipher
from sage_rag.training.pretraining.config import SizeSettings
from sage_rag.training.pretraining.corpus import write_texts
from sage_rag.training.pretraining.metrics import read_measurements
from tests.training.cipher_pretraining.settings import VOCABULARY, tiny_training
from tests.training.pretraining.runs import invented_texts

CIPHER = {"kind": "cipher", "key_length": 10}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return AutoModelForCausalLM.from_pretrained(folder).state_dict()


def texts(path: Path) -> list[str]:
    return [row["text"] for row in rows(path)]


def trained(folder: Path, **stage: Any) -> CipherPretrainingConfig:
    config = tiny_training(folder, **stage)
    pretrain_in_two_stages(config)
    return config


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> CipherPretrainingConfig:
    return trained(tmp_path_factory.mktemp("body"), **CIPHER, carry="body")


def test_the_first_stage_reads_ciphertext_and_the_second_plain_text(
    body: CipherPretrainingConfig,
) -> None:
    key = (body.out / KEY).read_text().strip()
    sealed = texts(StageTexts(body).first)
    plain = texts(body.texts.sensitive[0])
    assert len(key) == 10
    assert [PolyalphabeticCipher(key).decrypt(text) for text in sealed] == plain
    assert not set(sealed) & set(plain)
    for stage in ("first", "second"):
        steps = list(read_measurements(body.out / stage))
        assert steps[-1].loss < steps[0].loss


def test_the_second_stage_starts_with_the_layers_of_the_first(
    body: CipherPretrainingConfig,
) -> None:
    first, start = weights(body.out / "first" / "model"), weights(body.out / "carried")
    for name, tensor in first.items():
        of_vocabulary = "embed_tokens" in name or "lm_head" in name
        assert torch.equal(tensor, start[name]) != of_vocabulary, name
    assert start["lm_head.weight"].std() == pytest.approx(0.02, rel=0.1)


def test_whole_carries_the_scale_of_the_embeddings(
    tmp_path: Path, body: CipherPretrainingConfig
) -> None:
    config = trained(tmp_path, **CIPHER, carry="whole", trained=body.out)
    assert not (config.out / "first").exists()
    first, start = weights(body.out / "first" / "model"), weights(config.out / "carried")
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        assert not torch.equal(first[name], start[name])
        assert torch.allclose(first[name].std(0), start[name].std(0), rtol=0.3)
        assert torch.allclose(first[name].mean(0), start[name].mean(0), atol=0.05)


def test_a_first_stage_that_is_not_complete_is_refused(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="whole", trained=tmp_path / "earlier")
    with pytest.raises(InputError, match="earlier` holds no complete first stage"):
        pretrain_in_two_stages(config)


@pytest.mark.parametrize(
    ("stage", "changes", "name"),
    [
        ({"kind": "dyck", "tokens": 500, "carry": "body"}, {}, "first_stage.kind"),
        ({"kind": "cipher", "key_length": 9, "carry": "body"}, {}, "first_stage.key_length"),
        ({**CIPHER, "carry": "body"}, {"size": SizeSettings(width=64, layers=1)}, "size"),
        ({**CIPHER, "carry": "body"}, {"texts": "drawn", "seed": 4}, "seed"),
    ],
)
def test_a_first_stage_of_other_settings_is_refused(
    tmp_path: Path,
    body: CipherPretrainingConfig,
    stage: dict[str, Any],
    changes: dict[str, Any],
    name: str,
) -> None:
    config = tiny_training(tmp_path, **stage, trained=body.out)
    if changes.get("texts"):
        changes = {**changes, "texts": config.texts.model_copy(update={"public": ()})}
    with pytest.raises(InputError, match=f"with another `{name}`"):
        pretrain_in_two_stages(config.model_copy(update=changes))
    assert not (config.out / "second").exists()


def test_the_exported_model_records_what_was_carried(body: CipherPretrainingConfig) -> None:
    described = json.loads((body.out / "second" / "model" / "config.json").read_text())
    assert described["first_stage"] == {"kind": "cipher", "carry": "body"}


def test_the_folder_is_for_its_owner_alone(body: CipherPretrainingConfig) -> None:
    assert stat.S_IMODE(body.out.stat().st_mode) == 0o700
    assert stat.S_IMODE((body.out / KEY).stat().st_mode) == 0o600


def test_a_finished_training_returns_at_once_and_other_settings_are_refused(
    body: CipherPretrainingConfig,
) -> None:
    before = (body.out / "first" / "measurements.jsonl").read_bytes()
    assert pretrain_in_two_stages(body) == body.out / "second" / "model"
    assert (body.out / "first" / "measurements.jsonl").read_bytes() == before
    with pytest.raises(InputError, match="another `vocabulary`"):
        pretrain_in_two_stages(body.model_copy(update={"vocabulary": 310}))


def test_settings_may_change_until_the_first_step(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    with pytest.raises(InputError, match="not 30000"):
        pretrain_in_two_stages(config.model_copy(update={"vocabulary": 30_000}))
    blocked = config.out / "first"
    blocked.touch()
    larger = config.size.model_copy(update={"width": 64})
    with pytest.raises(InputError, match="cannot write"):
        pretrain_in_two_stages(config.model_copy(update={"size": larger}))
    blocked.unlink()
    sealed = StageTexts(config).first
    prepared = sealed.stat().st_ino
    pretrain_in_two_stages(config)
    assert sealed.stat().st_ino == prepared  # the size of the model does not change the texts
    assert len(weights(config.out / "first" / "model")["lm_head.weight"]) == VOCABULARY
    with pytest.raises(InputError, match="another `vocabulary`"):
        pretrain_in_two_stages(config.model_copy(update={"vocabulary": 310}))


def test_texts_may_change_until_the_first_step(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    source = config.texts.sensitive[0]
    config = config.model_copy(update={"texts": TextSettings(sensitive=(source,))})
    more = source.read_bytes()
    write_texts(source, ["babe gade.", "fabe kade."])
    with pytest.raises(InputError, match="tokenizer of"):
        pretrain_in_two_stages(config)
    source.write_bytes(more)
    pretrain_in_two_stages(config)
    found = StageTexts(config)
    assert len(texts(found.first)) + len(texts(found.second[0])) == 120
    write_texts(source, invented_texts(60))
    with pytest.raises(InputError, match="texts have changed since the training in"):
        pretrain_in_two_stages(config)


def test_a_text_that_both_stages_would_read_is_refused(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    copied = tmp_path / "copied.jsonl"
    copied.write_bytes(config.texts.sensitive[0].read_bytes())
    both = config.texts.model_copy(update={"public": (*config.texts.public, copied)})
    with pytest.raises(InputError, match=r"copied.jsonl` is in `texts.public`, and its text is"):
        pretrain_in_two_stages(config.model_copy(update={"texts": both}))


def test_a_second_training_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    config.out.mkdir()
    with (
        locked(config.out / ".lock", create=True),
        pytest.raises(InputError, match="another training is writing to"),
    ):
        pretrain_in_two_stages(config)
    assert [path.name for path in config.out.iterdir()] == [".lock"]


def test_a_damaged_record_is_one_clear_line(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    config.out.mkdir()
    (config.out / "settings.json").write_text("{")
    with pytest.raises(InputError, match=r"settings.json` is damaged"):
        pretrain_in_two_stages(config)


@pytest.mark.parametrize(
    ("key", "problem"), [("abcdefgh", "another length"), ("abcdefghi1", "other characters")]
)
def test_a_key_that_does_not_fit_is_named(key: str, problem: str, tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    config.out.mkdir()
    (config.out / KEY).write_text(f"{key}\n")
    with pytest.raises(InputError, match=f"key.txt` holds a key of {problem}") as caught:
        pretrain_in_two_stages(config)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("stage", "runs"),
    [
        ({"kind": "plain"}, ["first", "second"]),
        ({"kind": "absent"}, ["second"]),
        ({"kind": "dyck", "tokens": 2000, "carry": "body"}, ["carried", "first", "second"]),
        (
            {"kind": "shuffled", "key_length": 10, "carry": "body"},
            ["carried", "first", "second"],
        ),
    ],
)
def test_every_kind_of_first_stage_trains(
    stage: dict[str, Any], runs: list[str], tmp_path: Path
) -> None:
    config = tiny_training(tmp_path, **stage)
    observed: list[int] = []
    exported = pretrain_in_two_stages(config, observe=lambda done, model: observed.append(done))
    found = sorted(p.name for p in config.out.iterdir() if p.name in ("first", "second", "carried"))
    assert found == runs
    assert observed == [m.step for m in read_measurements(config.out / "second")]
    assert exported.is_dir()
    if stage["kind"] == "plain":  # one vocabulary, so all weights are carried
        assert texts(StageTexts(config).first) == texts(config.texts.sensitive[0])


def test_without_public_texts_a_share_of_the_documents_stays_plain(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    divided = config.texts.model_copy(update={"public": (), "public_share": 0.5})
    config = config.model_copy(update={"texts": divided})
    found = StageTexts(config)
    found.prepare()
    key = (config.out / KEY).read_text().strip()
    sensitive = [PolyalphabeticCipher(key).decrypt(text) for text in texts(found.first)]
    public = texts(found.second[0])
    assert sorted([*sensitive, *public]) == sorted(texts(config.texts.sensitive[0]))
    assert sum(map(len, public)) == pytest.approx(sum(map(len, sensitive)), rel=0.05)


@pytest.mark.parametrize(("documents", "public"), [(2, 1), (4, 1), (8, 2)])
def test_few_documents_are_divided_too(tmp_path: Path, documents: int, public: int) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    few = tmp_path / "few.jsonl"
    write_texts(few, ["", *(" ".join(invented_texts(40, seed=i)) for i in range(documents))])
    divided = TextSettings(sensitive=(few,))
    found = StageTexts(config.model_copy(update={"texts": divided}))
    found.prepare()
    assert len(texts(found.second[0])) == public


def test_one_document_cannot_be_divided(tmp_path: Path) -> None:
    config = tiny_training(tmp_path, **CIPHER, carry="body")
    one = tmp_path / "one.txt"
    one.write_text(" ".join(invented_texts(40)))
    divided = TextSettings(sensitive=(one,))
    with pytest.raises(InputError, match="1 documents, too few to divide"):
        StageTexts(config.model_copy(update={"texts": divided})).prepare()
