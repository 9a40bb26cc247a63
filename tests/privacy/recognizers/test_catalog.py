"""Recognizers by name."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from importlib import import_module

import pytest

from sage_rag.common.exceptions import InputError, MissingExtraError
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers import catalog
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.testing import TableRecognizer

OTHERS = {"table": lambda model: TableRecognizer({model: EntityType.MISC})}


def test_no_names_give_the_default() -> None:
    assert catalog.recognizer_of([]) is default_recognizer()


def test_an_added_recognizer_stands_beside_the_default() -> None:
    both = catalog.recognizer_of(["table:zeppelin"], OTHERS)
    text = "A zeppelin over 198.51.100.7"
    assert {s.entity_type for s in both.recognize(text)} >= {
        EntityType.MISC, EntityType.IP_ADDRESS,
    }  # fmt: skip
    assert both.fingerprint == f"{default_recognizer().fingerprint}+table"


def test_only_the_word_leaves_out_the_default() -> None:
    alone = catalog.recognizer_of(["no-default", "table:zeppelin"], OTHERS)
    assert alone.fingerprint == "table"
    with pytest.raises(InputError, match="leaves no recognizer"):
        catalog.recognizer_of(["no-default"])


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("magic:model", "no recognizer `magic`"),
        ("", "no recognizer ``"),
        ("gliner", "needs a model"),
        ("spacy:", "needs a model"),
        ("spacy:x#klingon", "no label scheme `klingon`"),
        ("gliner:x#tab", "takes no `#tab`"),
    ],
)
def test_a_bad_name_is_one_clear_error(name: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        catalog.recognizer_named(name)
    assert "\n" not in caught.value.message


@pytest.mark.slow  # imports every library
@pytest.mark.parametrize("entry", catalog.CATALOG.values())
def test_every_entry_exists_or_names_its_extra(entry: str) -> None:
    module, _, name = entry.partition(":")
    with suppress(MissingExtraError):
        assert callable(getattr(import_module(module), name))


def test_naming_recognizers_loads_no_library() -> None:
    code = (
        "import sys, sage_rag.privacy.recognizers.catalog as c; c.recognizer_of([]);"
        "print(sorted({'torch', 'transformers', 'spacy', 'gliner'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("kind", "needed_by"), [("gliner", "Gliner"), ("spacy", "Spacy")])
def test_without_its_library_a_recognizer_names_the_extra(kind: str, needed_by: str) -> None:
    code = (
        f"import sys; sys.modules['{kind}'] = None\n"
        "from sage_rag.common.exceptions import MissingExtraError\n"
        "from sage_rag.privacy.recognizers.catalog import recognizer_named\n"
        f"try: recognizer_named('{kind}:some-model')\n"
        "except MissingExtraError as e: print(e.message, '|', e.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        f"{needed_by}Recognizer needs `{kind}`, which is not installed"
        f" | pip install 'sage-rag[{kind}]'\n"
    )


@pytest.mark.parametrize(
    ("names", "declared", "covered"),
    [
        ([], [], {"en", "zh"}),
        (["spacy:es_core_news_lg"], [], {"en", "zh", "es"}),
        (["spacy:models/de_clinic"], [], {"en", "zh", "de"}),
        (["spacy:xx_ent_wiki_sm"], ["fr"], {"en", "zh", "fr"}),
        (["gliner:m"], [], {"en", "zh"}),
        (["gliner:m"], ["es", "it"], {"en", "zh", "es", "it"}),
        (["tagger:own.safetensors"], ["nl"], {"en", "zh", "nl"}),
        (["no-default", "gliner:m"], [], {"en"}),
        (["no-default", "gliner:m"], ["pl"], {"pl"}),
        (["no-default", "spacy:fr_core_news_lg"], [], {"fr"}),
    ],
)
def test_languages_are_those_of_the_default_of_pipelines_and_of_the_owners_statement(
    names: list[str], declared: list[str], covered: set[str]
) -> None:
    assert catalog.covered_languages(names, declared) == covered


@pytest.mark.parametrize(
    ("names", "declared", "message"),
    [
        ([], ["es"], "`languages` needs a recognizer"),
        (["no-default"], ["es"], "`languages` needs a recognizer"),
        (["gliner:m"], ["spanish"], "there is no language `spanish`"),
    ],
)
def test_a_language_that_no_recognizer_can_cover_is_one_line(
    names: list[str], declared: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        catalog.covered_languages(names, declared)
