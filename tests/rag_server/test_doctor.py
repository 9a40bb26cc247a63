import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import typer

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.keyset.files import write_keyset
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.rag_server import doctor


@pytest.mark.parametrize(
    "check",
    [doctor.check_cipher, doctor.check_faiss, doctor.check_recognizer, doctor.check_reader],
)
def test_this_installation_passes(check):
    assert check()


def test_every_dependency_named_is_checked():
    names = [name for name, _ in doctor.checks(None, None)]
    assert {"torch", "openai", "cipher", "faiss", "embedding model", "reader"} <= set(names)


def test_only_what_a_plain_installation_has_is_checked():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    required = {re.split(r"[\[<>=]", d)[0].lower() for d in project["project"]["dependencies"]}
    of = packages_distributions()
    for package in doctor._PACKAGES:
        found = {name.lower().replace("_", "-") for name in of[package.partition(".")[0]]}
        assert found & required, f"{package} is no dependency of a plain installation"


def test_a_failed_check_is_reported_without_words_of_unknown_exceptions():
    def known() -> str:
        raise InputError("the file is damaged", hint="index again")

    def unknown() -> str:
        raise RuntimeError("Maria Keller")

    found = list(doctor.examine(iter([("a", known), ("b", unknown), ("c", lambda: "fine")])))
    assert found == [
        ("a", False, "the file is damaged (hint: index again)"),
        ("b", False, "RuntimeError"),
        ("c", True, "fine"),
    ]


def test_a_missing_package_fails():
    with pytest.raises(doctor.FailedCheckError):
        doctor.check_package("no_such_package_here")


def test_a_failure_exits_with_1_and_shows_in_the_table(tmp_path, monkeypatch, capsys):
    write_keyset(tmp_path / "k", Keyset.generate(), "passphrase")
    monkeypatch.setattr(doctor, "check_embedder", lambda: "skipped")
    monkeypatch.setattr(doctor, "_PACKAGES", ("typer",))
    with pytest.raises(typer.Exit) as caught:
        doctor.doctor(home=tmp_path, keyset=tmp_path / "k")
    assert caught.value.exit_code == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["ok"] * (len(lines) - 1) + ["FAIL"]
    assert "no key in home" in lines[-1]


def test_a_keyset_that_others_can_read_fails(tmp_path):
    write_keyset(tmp_path / "k", Keyset.generate(), "passphrase")
    assert "1 key(s)" in doctor.check_keyset(tmp_path / "k")
    (tmp_path / "k").chmod(0o644)
    [(_, passed, remark)] = doctor.examine(
        iter([("keyset", lambda: doctor.check_keyset(tmp_path / "k"))])
    )
    assert not passed
    assert "chmod 600" in remark


def test_a_damaged_corpus_fails(tmp_path):
    (tmp_path / "corpora" / "c" / "versions" / "000001").mkdir(parents=True)
    (tmp_path / "corpora" / "c" / "current").write_text("000001")
    with pytest.raises(InputError):
        doctor.check_corpus(tmp_path, "c")


@pytest.mark.slow
def test_the_embedding_model_works_offline():
    assert "384 dimensions" in doctor.check_embedder()
