"""What every recognizer must keep to, whatever finds for it: rules, libraries, models, fakes."""

from __future__ import annotations

import ast
import json
import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import FailingRecognizer
from tests.contracts.recognizers import CASES, NOT_FOR_USE, Case

ROOT = Path(__file__).parents[2]
MAKERS = {"tagger": "token_classifier", "spacy": "spacy_ner", "gliner": "gliner_model"}
FILLER = "Please take the medicine twice a day . "

ODD = [
    "\ud800 lone \udfff surrogates",
    "\x00\x01\x7f\ufeff",
    "e\u0301" * 50,
    "👩\u200d👩\u200d👧\u200d👦 🏴\U000e0067\U000e0062\U000e007f",
    "שלום עולם، مرحبا \u202e反 \u202c",
    "ﬁ ﷽ Ⅻ ½ ㎏ ẞ İ ı ŉ",
    "\u200b\u00ad\u2060" * 20,
    "a\r\nb\u2028c\x85d\x0b",
    "𝕸𝖆𝖗𝖎𝖆 𝔎𝔢𝔩𝔩𝔢𝔯",
    "我叫王小明。김민준은 갔다。ประเทศไทย",
    "x" * 3_000,
    "Ａ" * 600,
    "[PERSON_1] PERSON_[abc] <|output|>{} ```json",
]  # fmt: skip


def parameters() -> list[object]:
    marks = {name: [pytest.mark.slow] if case.model else [] for name, case in CASES.items()}
    return [pytest.param(name, marks=marks[name]) for name in CASES]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recognizers")


def ready(case: Case, models: Path) -> Case:
    """Make the model that a case needs, or skip where its library is not installed."""
    if case.library and find_spec(case.library) is None:
        pytest.skip(f"{case.library} is not installed")
    if case.model and not (models / case.model).exists():
        from tests.privacy.recognizers.backends import tiny  # loads transformers

        getattr(tiny, MAKERS[case.model])(models / case.model)
    return case


@pytest.fixture(params=parameters(), scope="session")
def case(request: pytest.FixtureRequest, models: Path) -> Case:
    return ready(CASES[request.param], models)


@pytest.fixture(scope="session")
def recognizer(case: Case, models: Path) -> Recognizer:
    return case.build(models)


def places(text: str, value: str) -> list[tuple[int, int]]:
    starts = [i for i in range(len(text)) if text.startswith(value, i)]
    return [(i, i + len(value)) for i in starts]


def test_it_finds_its_value_with_type_and_score(recognizer: Recognizer, case: Case) -> None:
    spans = recognizer.recognize(case.sample)
    assert places(case.sample, case.value)[0] in {(s.start, s.end) for s in spans}
    for span in spans:
        assert type(span) is Span
        assert type(span.start) is type(span.end) is int
        assert type(span.entity_type) is EntityType
        assert 0 <= span.score <= 1


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u3000\t"])
def test_nothing_is_found_in_nothing(recognizer: Recognizer, text: str) -> None:
    assert list(recognizer.recognize(text)) == []


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_characters_neither_break_it_nor_move_a_span_out_of_the_text(
    recognizer: Recognizer, case: Case, text: str
) -> None:
    for read in (text, f"{text} . {case.sample}", f"{case.sample} {text}"):
        assert all(0 <= s.start < s.end <= len(read) for s in recognizer.recognize(read))


@pytest.mark.parametrize("before", ["", "🙂🙂 . ", "𝒜é\u0301 . ", "\ud83d . ", "张 . "])
def test_offsets_count_code_points(recognizer: Recognizer, case: Case, before: str) -> None:
    text = before + case.sample
    found = {(s.start, s.end) for s in recognizer.recognize(text)}
    assert places(text, case.value)[0] in found


def test_the_same_text_gives_the_same_spans(
    recognizer: Recognizer, case: Case, models: Path
) -> None:
    text = f"{case.sample} {FILLER} {case.sample}"
    first = list(recognizer.recognize(text))
    assert first
    recognizer.recognize("something else " + case.sample)
    assert list(recognizer.recognize(text)) == first
    assert list(case.build(models).recognize(text)) == first


@pytest.mark.slow
def test_a_huge_text_is_read_from_end_to_end(recognizer: Recognizer, case: Case) -> None:
    filler = FILLER * (150 if case.model else 600)  # 24,000 characters are dozens of windows
    text = f"{case.sample} {filler} {case.sample} {filler} {case.sample}"
    spans = recognizer.recognize(text)
    found = [(s.start, s.end) for s in spans]
    expected = places(text, case.value)
    assert len(expected) == 3
    assert set(expected) <= set(found)
    assert len(set(spans)) == len(spans)


@pytest.mark.slow
def test_threads_share_it(recognizer: Recognizer, case: Case) -> None:
    texts = [FILLER * (n % 4) + case.sample for n in range(24)]
    alone = [list(recognizer.recognize(text)) for text in texts]
    with ThreadPoolExecutor(6) as threads:
        assert [list(s) for s in threads.map(recognizer.recognize, texts)] == alone


def test_it_says_nothing_of_what_it_reads(
    recognizer: Recognizer,
    case: Case,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.DEBUG):
        recognizer.recognize(case.sample)
    written = "".join(capfd.readouterr())
    assert case.value not in f"{caplog.text}{written}{recognizer!r}{recognizer.fingerprint}"


def test_fingerprints_are_short_and_differ(models: Path) -> None:
    cases = {n: c for n, c in CASES.items() if not c.model and not c.library}
    prints = [case.build(models).fingerprint for case in cases.values()]
    assert len(set(prints)) == len(prints)
    assert all(p and p.isprintable() for p in prints)


@pytest.mark.slow
def test_fingerprints_are_the_same_in_every_process(models: Path) -> None:
    names = [n for n, case in CASES.items() if not case.library or find_spec(case.library)]
    here = {name: ready(CASES[name], models).build(models).fingerprint for name in names}
    done = subprocess.run(
        [sys.executable, "-m", "tests.contracts.recognizers", str(models), *names],
        capture_output=True, text=True, check=True, cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1]) == here


def test_the_failing_fake_fails_on_every_text() -> None:
    for text in ("", "text"):
        with pytest.raises(RuntimeError):
            FailingRecognizer().recognize(text)


def test_every_recognizer_of_the_project_is_in_this_suite() -> None:
    found = set()
    for path in [*(ROOT / "privacy").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                methods = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
                bases = {b.id for b in node.bases if isinstance(b, ast.Name)}
                if "recognize" in methods and "Protocol" not in bases:
                    found.add(node.name)
    assert found - set(NOT_FOR_USE) == set(CASES)
