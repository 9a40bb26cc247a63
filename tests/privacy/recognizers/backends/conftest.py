"""Folders of tiny models, each made once per run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.privacy.recognizers.backends import tiny


@pytest.fixture(scope="session")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.token_classifier(tmp_path_factory.mktemp("models") / "tagger")


@pytest.fixture(scope="session")
def spacy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("spacy")
    return tiny.spacy_ner(tmp_path_factory.mktemp("models") / "spacy")


@pytest.fixture(scope="session")
def gliner_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gliner")
    return tiny.gliner_model(tmp_path_factory.mktemp("models") / "gliner")
