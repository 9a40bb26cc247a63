"""The detectors of an attack, in the order of the report."""

from __future__ import annotations

from collections.abc import Iterable

from sage_rag.eval.detectors.canaries import CanaryDetector
from sage_rag.eval.detectors.compat import (
    CompatContactDetector,
    CompatRunFinder,
    recall_or_precision_over_threshold,
    rouge_tokens,
    run_holds_any_word,
)
from sage_rag.eval.detectors.contacts import ContactDetector
from sage_rag.eval.detectors.disease import DiseaseDetector
from sage_rag.eval.detectors.repeat import RepeatDetector
from sage_rag.eval.detectors.rouge import RougeDetector
from sage_rag.eval.detectors.runs import SharedRunFinder
from sage_rag.eval.originals import Originals
from sage_rag.eval.protocols import Detector
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.forms.network import NETWORK
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.phones import PHONES


def detectors(
    originals: Originals, contacts: Recognizer, canaries: Iterable[str] | None = None
) -> list[Detector]:
    """Return the paper's measures, and one for canaries if there are any.

    `contacts` recognises e-mail addresses, phone numbers and URLs in the originals.

    Raises:
        InputError: when every canary is too short to search for.
    """
    finder = SharedRunFinder(originals)
    found: list[Detector] = [
        RepeatDetector(finder, len(originals)),
        RougeDetector(originals),
        ContactDetector(originals, contacts),
        DiseaseDetector(finder),
    ]
    return found if canaries is None else [*found, CanaryDetector(canaries)]


def compat_detectors(originals: Originals, contacts: Recognizer) -> list[Detector]:
    """Return the same measures by the definitions of the authors' code."""
    finder = CompatRunFinder(originals)
    return [
        RepeatDetector(finder, len(originals), name="repeat-compat"),
        RougeDetector(
            originals,
            name="rouge-compat",
            tokens=rouge_tokens,
            similar=recall_or_precision_over_threshold,
        ),
        CompatContactDetector(originals, contacts),
        DiseaseDetector(finder, name="disease-compat", names=run_holds_any_word),
    ]


def contact_recognizer() -> Recognizer:
    """Return the pattern recognizer of e-mail addresses, phone numbers and URLs."""
    return PatternRecognizer((*NETWORK, *PHONES))
