"""Writing a corpus file: single keys change, comments stay, the file is whole or unchanged."""

from __future__ import annotations

import errno
import stat
import tomllib
from pathlib import Path

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.indexer.corpus_file import KEYS, CorpusFile, read_corpus_file
from sage_rag.indexer.corpus_file_update import default_recipe, left_over, update_corpus_file
from sage_rag.indexer.ledger import locked_corpus


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "owner" / "clinic" / "corpus.toml"


NEW = {"source": "/n.jsonl", "recipe": "sage"}


def write(file: Path, **changes: object) -> tuple[str, ...]:
    update = update_corpus_file(file, {k.replace("__", "."): v for k, v in changes.items()})
    update.write()
    return update.changed


def test_a_new_file_explains_every_key_and_sets_those_that_are_given(file: Path) -> None:
    changed = write(file, **NEW, model__price=[0.15, 0.6], fields=["a", "ü"])
    assert changed == (
        'source = "/n.jsonl"', 'recipe = "sage"', "model.price = [0.15, 0.6]", 'fields = ["a", "ü"]',
    )  # fmt: skip
    text = file.read_text()
    assert tomllib.loads(text) == {
        **NEW, "fields": ["a", "ü"], "consensus": {}, "model": {"price": [0.15, 0.6]}, "gate": {},
    }  # fmt: skip
    assert all(f"{key.rpartition('.')[2]} = " in text for key in KEYS)
    assert "leaks by design" in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_every_shown_default_is_valid_when_it_is_uncommented(file: Path) -> None:
    write(file, **NEW)
    lines = file.read_text().splitlines()
    live = [line.removeprefix("# ") for line in lines if " = " in line]
    tables = [line for line in lines if line.startswith("[")]
    parts = live[: len([k for k in KEYS if "." not in k])]
    for table in tables:
        size = len([k for k in KEYS if k.startswith(f"{table[1:-1]}.")])
        start = len(parts) - len([p for p in parts if p in tables])
        parts += [table, *live[start : start + size]]
    assert len(parts) == len(live) + len(tables)
    file.write_text("\n".join(parts))
    assert read_corpus_file(file).recipe == "sage"


def test_a_change_keeps_comments_and_other_keys(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(
        '# mine\nsource = "/n.jsonl"  # notes\nrecipe = "sage"\n\n[gate]\nrouge_l = 0.4 # strict\n'
    )
    assert write(file, policy="soe-all", gate__rouge_l=0.3, model__name="m") == (
        'policy = "soe-all"', "gate.rouge_l = 0.3", 'model.name = "m"',
    )  # fmt: skip
    text = file.read_text()
    assert text.startswith('# mine\nsource = "/n.jsonl"  # notes\n')
    assert read_corpus_file(file).limits == {"rouge_l": 0.3}
    assert read_corpus_file(file).model.name == "m"
    assert write(file, policy=None) == ("policy unset",)
    assert '# policy = "soe-all"' in file.read_text()
    assert write(file, policy=None, source="/n.jsonl") == ()


def test_a_layout_that_lines_cannot_follow_is_written_again(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(
        'source = "/n.jsonl"\nrecipe = "sage"\nfields = [\n  "a",\n  "b",\n]\nmodel = {name = "m"}\n'
    )
    write(file, fields=["c"], model__budget_tokens=5)
    corpus = read_corpus_file(file)
    assert (corpus.fields, corpus.model.name, corpus.model.budget_tokens) == (("c",), "m", 5)


def test_nothing_is_written_before_write_nor_by_a_wrong_value(file: Path) -> None:
    update = update_corpus_file(file, NEW)
    assert update.corpus == CorpusFile(source=Path("/n.jsonl"), recipe="sage")
    with pytest.raises(InputError, match="`workers`"):
        update_corpus_file(file, {**NEW, "workers": 0})
    assert not file.parent.exists()


def test_another_run_or_another_change_stops_it(file: Path) -> None:
    write(file, **NEW)
    first = update_corpus_file(file, {"policy": "soe-all"})
    second = update_corpus_file(file, {"recipe": "encrypted"})
    with locked_corpus(file.parent), pytest.raises(InputError, match="another run"):
        first.write()
    second.write()
    with pytest.raises(InputError, match="changed meanwhile"):
        first.write()
    assert read_corpus_file(file).recipe == "encrypted"


@pytest.mark.parametrize("step", ["os.fsync", "os.replace", "pathlib.Path.replace"])
def test_a_failing_step_is_one_line_and_leaves_the_old_file_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write(file, **NEW)
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    update = update_corpus_file(file, {"policy": "soe-all"})
    monkeypatch.setattr(step, full)
    with pytest.raises(InputError, match=r"cannot write .*: No space left on device"):
        update.write()
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.glob(".*")] == []


def test_a_path_with_a_delete_character_is_read_back(file: Path) -> None:
    write(file, **{**NEW, "source": "/a\x7fb.jsonl"})
    assert read_corpus_file(file).source == Path("/a\x7fb.jsonl")


@pytest.mark.parametrize(
    ("stored", "changes", "unset"),
    [
        ({"layers": ["consensus", "records"]}, {"recipe": "consensus"}, ["layers"]),
        ({"layers": ["records"]}, {"recipe": "consensus"}, ["layers"]),
        ({"layers": ["consensus"]}, {"recipe": "encrypted"}, ["layers"]),
        ({"layers": ["consensus", "records"]}, {"recipe": "encrypted"}, []),
        ({"recipe": "consensus", "consensus.k": 4}, {"recipe": "encrypted"}, ["consensus.k"]),
        ({"recipe": "sage", "consensus.k": 4}, {"recipe": "consensus"}, []),
        (
            {"recipe": "encrypted", "layers": ["consensus", "records"], "consensus.k": 4},
            {"layers": ["records"]},
            ["consensus.k"],
        ),
        ({"recipe": "consensus"}, {"recipe": "encrypted", "consensus.k": 4}, []),
        ({"recipe": "consensus", "consensus.k": 4}, {"workers": 2}, []),
    ],
)
def test_a_newly_named_recipe_unsets_what_it_leaves_without_use(
    stored: dict[str, object], changes: dict[str, object], unset: list[str]
) -> None:
    assert list(left_over(changes, stored)) == unset


def test_a_new_corpus_with_a_model_and_a_consensus_alone_gets_recipe_consensus() -> None:
    assert default_recipe({"model.name": "m"}) == "sage"
    assert default_recipe({"model.name": "m", "layers": ["consensus"]}) == "consensus"
    assert default_recipe({}) == "consensus"
