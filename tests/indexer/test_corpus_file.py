"""The corpus file: strict keys and types, relative paths, values from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus_file import (
    KEYS,
    EngineName,
    corpus_file_path,
    model_options,
    nearest_key,
    parse_setting,
    read_corpus_file,
    settings_of,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "corpus.toml"


def test_a_file_from_an_editor_that_marks_utf8_is_read(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbfsource = "notes.jsonl"\r\nrecipe = "encrypted"\r\n')
    assert read_corpus_file(file).recipe == "encrypted"


def test_every_key_is_read(file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").touch()
    file.write_text("""
        source = "notes.jsonl"
        recipe = "encrypted"
        fields = ["question", "answer"]
        keyset = "/keys/clinic.keyset"
        policy = "./mine.toml"
        domain = "health"
        recognizers = ["spacy:en_core_web_lg"]
        concurrency = 4
        subject = "patient"
        answer_fields = ["answer"]
        layers = ["consensus", "records"]
        engine = "ray"
        [consensus]
        k = 5
        [model]
        name = "qwen3:8b"
        base_url = "http://localhost:11434/v1"
        price = [1, 2.5]
        [gate]
        rouge_l = 0.4
        likeness = "off"
    """)
    corpus = read_corpus_file(file)
    assert corpus.source == tmp_path / "notes.jsonl"
    assert corpus.keyset == Path("/keys/clinic.keyset")
    assert corpus.policy == str(tmp_path / "mine.toml")
    assert (corpus.domain, corpus.recognizers) == ("health", ("spacy:en_core_web_lg",))
    assert (corpus.fields, corpus.engine) == (("question", "answer"), EngineName.RAY)
    assert (corpus.model.name, corpus.model.price) == ("qwen3:8b", (1.0, 2.5))
    assert (corpus.subject, corpus.layers) == ("patient", ("consensus", "records"))
    assert corpus.answer_fields == ("answer",)
    assert corpus.consensus.options.k == 5
    assert corpus.limits == {"rouge_l": 0.4, "likeness": None}
    assert corpus.recipe == "encrypted"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('polcy = "sage"', "there is no key `polcy`", "nearest: `policy`"),
        ("price = [1, 2]", "there is no key `price`", "nearest: `model.price`"),
        ("[model]\nbudgets = 1", "there is no key `model.budgets`", "nearest: `model.budget`"),
        ("[gate]\nrouge = 1", "there is no key `gate.rouge`", "nearest: `gate.rouge_l`"),
        ('[model]\napi_key = "k"', "there is no key `model.api_key`", "no secret"),
        ('passphrase = "p"', "there is no key `passphrase`", "no secret"),
        ('concurrency = "8"', "`concurrency` should be a valid integer", None),
        ("concurrency = 0", "`concurrency` should be greater than or equal to 1", None),
        ("two_calls = 1", "`two_calls` should be a valid boolean", None),
        ("policy = 2026-01-01T00:00:00Z\nfields = 3", "`fields` should be a valid array", None),
        ('fields = ["a", "a"]', "`fields` must be different names", None),
        ("[model]\nprice = [1]", "`model.price` ", None),
        ("[model]\nprice = [1, inf]", "`model.price` ", None),
        ("[consensus]\nk = 1", "`consensus.k` should be greater than or equal to 2", None),
        ('layers = ["plain"]', "`layers` should be 'consensus' or 'records'", None),
        ('layers = ["records", "records"]', "`layers` must be different names", None),
        ("model = 3", "`model` ", None),
        ("gate = 3", "`gate` ", None),
        ("[gate]\nrouge_l = 7", "`rouge_l` is a number from 0 to 1", None),
        ("= 3", "is not TOML", None),
    ],
)
def test_a_wrong_key_or_value_is_one_line_with_file_and_key(
    file: Path, text: str, message: str, hint: str | None
) -> None:
    file.write_text(f'source = "notes.jsonl"\nrecipe = "sage"\n{text}')
    with pytest.raises(InputError) as error:
        read_corpus_file(file)
    assert str(file) in error.value.message
    assert message in error.value.message
    assert hint is None or hint in (error.value.hint or "")


def test_a_file_without_a_source_or_no_file_is_one_line(file: Path) -> None:
    with pytest.raises(InputError, match="there is no corpus file"):
        read_corpus_file(file)
    file.write_text('recipe = "sage"')
    with pytest.raises(InputError, match="`source` is missing"):
        read_corpus_file(file)
    file.write_text('source = "notes.jsonl"')
    with pytest.raises(InputError, match="`recipe` is missing"):
        read_corpus_file(file)
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_corpus_file(file)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("policy=soe-all", ("policy", "soe-all")),
        ("policy=123", ("policy", "123")),
        ("policy=", ("policy", None)),
        ("concurrency=8", ("concurrency", 8)),
        ("fields=question", ("fields", ["question"])),
        ("fields=question, answer", ("fields", ["question", "answer"])),
        ("model.price=0.15,0.60", ("model.price", [0.15, 0.6])),
        ("model.cache=false", ("model.cache", False)),
        ("model.name=transformers:tiny", ("model.name", "transformers:tiny")),
        ("gate.likeness=off", ("gate.likeness", "off")),
        ("gate.rouge_l=0.4", ("gate.rouge_l", 0.4)),
    ],
)
def test_a_value_of_the_command_line_has_the_type_of_its_key(
    text: str, setting: tuple[str, Any]
) -> None:
    assert parse_setting(text) == setting


def test_paths_of_the_command_line_are_those_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.safetensors").touch()
    assert parse_setting("source=notes.jsonl")[1] == str(tmp_path / "notes.jsonl")
    names = parse_setting("recognizers=tagger:w.safetensors,gliner:urchade/gliner")[1]
    assert names == [f"tagger:{tmp_path / 'w.safetensors'}", "gliner:urchade/gliner"]


@pytest.mark.parametrize(
    "text", ["policy", "polcy=x", "concurrency=x", "engine=fog", "two_calls=yes", "gate.form=3"]
)
def test_a_setting_that_does_not_fit_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="--set"):
        parse_setting(text)


def test_a_path_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(InputError, match="`source` is not UTF-8"):
        settings_of({"source": Path("caf\udce9.txt")})


@pytest.mark.parametrize("texts", [["recipe=sage"], ["recipe="], ["policy=a", "policy=b"]])
def test_a_key_with_two_values_is_refused(texts: list[str]) -> None:
    with pytest.raises(InputError, match="is given twice"):
        settings_of({"recipe": "encrypted"}, texts)


def test_a_key_that_is_given_twice_alike_is_taken(tmp_path: Path) -> None:
    named = {"fields": ["a", "b"], "workers": 2, "keyset": tmp_path / "k"}
    texts = ["fields=a,b", "workers=2", f"keyset={tmp_path / 'k'}"]
    assert settings_of(named, texts) == {**named, "keyset": str(tmp_path / "k")}


def test_the_nearest_key() -> None:
    assert all(nearest_key(key) == key for key in KEYS)
    assert nearest_key("recognizer") == "recognizers"
    assert nearest_key("timeout") == "model.timeout_s"


def test_a_models_options_without_a_file() -> None:
    options = model_options({"model.name": "m", "model.base_url": None}, ["model.max_tokens=9"])
    assert (options.name, options.base_url, options.max_tokens) == ("m", None, 9)


def test_the_file_lies_in_the_owners_zone(tmp_path: Path) -> None:
    assert corpus_file_path(tmp_path, "c") == tmp_path / "owner" / "c" / "corpus.toml"
    with pytest.raises(InputError, match="cannot name a corpus"):
        corpus_file_path(tmp_path, "../c")
