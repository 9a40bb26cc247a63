"""Folders of tiny models, each made once per run. Making them loads transformers: only then."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.privacy.recognizers.backends import tiny

    return tiny.token_classifier(tmp_path_factory.mktemp("models") / "tagger")


@pytest.fixture(scope="session")
def spacy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("spacy")
    from tests.privacy.recognizers.backends import tiny

    return tiny.spacy_ner(tmp_path_factory.mktemp("models") / "spacy")


@pytest.fixture(scope="session")
def gliner_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gliner")
    from tests.privacy.recognizers.backends import tiny

    return tiny.gliner_model(tmp_path_factory.mktemp("models") / "gliner")
