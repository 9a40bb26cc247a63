"""Every recognizer of the project, with a sentence and a value in it that this one finds.

As a command it prints the fingerprints: python -m tests.contracts.recognizers FOLDER NAME...
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sage_rag.agents.chat.protocols import Reply
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.chain import ChainRecognizer
from sage_rag.privacy.recognizers.chinese.recognizer import ChineseRecognizer
from sage_rag.privacy.recognizers.chinese.tagger import ChineseTagger
from sage_rag.privacy.recognizers.default import default_recognizer
from sage_rag.privacy.recognizers.disguise.recognizer import DisguiseRecognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED
from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer
from sage_rag.privacy.recognizers.scripts import ScriptRecognizer
from sage_rag.privacy.recognizers.special_categories import SpecialCategoryRecognizer
from sage_rag.privacy.recognizers.tagging.clinical import ClinicalRecognizer
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer
from sage_rag.privacy.testing import TableRecognizer

LABELS = {"person name": EntityType.PERSON, "place": EntityType.LOCATION}
MARIA = "Yesterday the doctor saw Maria Keller again ."


NOT_FOR_USE = {
    "FailingRecognizer": "fails on purpose",
    "PresidioEngine": "what we are measured against, as it is",
}


@dataclass(frozen=True)
class Case:
    """How to build a recognizer from a folder of tiny models, and what it finds.

    `model`: the folder's entry that it needs; `library`: the module that may be missing.
    """

    build: Callable[[Path], Recognizer]
    sample: str = MARIA
    value: str = "Maria Keller"
    model: str | None = None
    library: str | None = None


class CopyingModel:
    """Play both generative models: name every `Maria Keller` that the text holds."""

    name = fingerprint = "copying"

    def complete(self, prompt: str) -> str:
        found = "Maria Keller" in prompt
        return json.dumps({"person name": ["Maria Keller"] * found, "place": []})


class CopyingChatModel:
    name = "copying"

    async def complete(self, messages: list[Any], **_: Any) -> Reply:
        names = re.findall("Maria Keller", messages[1].content)
        return Reply(json.dumps({"values": [{"type": "PERSON", "text": name} for name in names]}))


def _made(module: str, name: str) -> Callable[..., Recognizer]:
    return getattr(import_module(module), name)  # type: ignore[no-any-return]


def table() -> TableRecognizer:
    return TableRecognizer({"Maria Keller": EntityType.PERSON})


_BACKENDS = "sage_rag.privacy.recognizers.backends"
CASES = {
    "TableRecognizer": Case(lambda _: table()),
    "PatternRecognizer": Case(
        lambda _: PatternRecognizer(STRUCTURED), "write to ada@example.org", "ada@example.org"
    ),
    "TaggerRecognizer": Case(lambda _: TaggerRecognizer()),
    "SpecialCategoryRecognizer": Case(
        lambda _: SpecialCategoryRecognizer(table()), "She is a Muslim and a baker.", "Muslim"
    ),
    "ChineseTagger": Case(lambda _: ChineseTagger(), "昨天医生又见了患者王小明。", "王小明"),
    "ChainRecognizer": Case(lambda _: ChainRecognizer([default_recognizer(), table()])),
    "ClinicalRecognizer": Case(lambda _: ClinicalRecognizer(table())),
    "DisguiseRecognizer": Case(lambda _: DisguiseRecognizer(table())),
    "ScriptRecognizer": Case(lambda _: ScriptRecognizer(), "Then Mrs สมศรี came in.", "สมศรี"),
    "ChineseRecognizer": Case(lambda _: ChineseRecognizer(), "昨天医生又见了患者王小明。", "王小明"),
    "PresidioRecognizer": Case(
        lambda _: PresidioRecognizer(), "My US passport number is 340020013 .", "340020013",
    ),
    "TokenClassifierRecognizer": Case(
        lambda models: _made(f"{_BACKENDS}.token_classifier", "TokenClassifierRecognizer")(
            str(models / "tagger")
        ),
        model="tagger",
    ),
    "SpacyRecognizer": Case(
        lambda models: _made(f"{_BACKENDS}.spacy", "SpacyRecognizer")(str(models / "spacy")),
        model="spacy", library="spacy",
    ),
    "GlinerRecognizer": Case(
        lambda models: _made(f"{_BACKENDS}.gliner", "GlinerRecognizer")(
            str(models / "gliner"), labels=LABELS
        ),
        model="gliner", library="gliner",
    ),
    "NuExtractRecognizer": Case(
        lambda _: _made(f"{_BACKENDS}.nuextract", "NuExtractRecognizer")(
            CopyingModel(), labels=LABELS
        ),
    ),
    "LlmRecognizer": Case(
        lambda _: _made("sage_rag.agents.model.recognizer", "LlmRecognizer")(CopyingChatModel()),
    ),
}  # fmt: skip


def main() -> None:
    folder = Path(sys.argv[1])
    prints = {name: CASES[name].build(folder).fingerprint for name in sys.argv[2:]}
    sys.stdout.write(json.dumps(prints))


if __name__ == "__main__":
    main()
