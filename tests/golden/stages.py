"""Every stage that needs no foreign model, run on fixed invented texts.

A stage's fingerprint holds its `VERSION` and the digests of its data; `stages.json` records it with
the digest of the output, so that no output can change under an old fingerprint.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from unittest.mock import patch

from sage_rag.agents.baselines import baseline_roles
from sage_rag.agents.model.adversary import ModelAdversary
from sage_rag.agents.model.consensus import ConsensusWriter, SharedStatement
from sage_rag.agents.model.recognizer import LlmRecognizer
from sage_rag.agents.model.roles import model_roles
from sage_rag.agents.protocols import CorpusAttributes, Draft, Roles
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.testing.fakes import ScriptedChatModel
from sage_rag.common.minilm import model as minilm_model
from sage_rag.common.minilm.precision import Precision
from sage_rag.indexer.consensus.compose import ConsensusRecord, compose
from sage_rag.indexer.consensus.options import ConsensusOptions
from sage_rag.indexer.embedding import embedder_called, vector_key
from sage_rag.indexer.likeness import EmbeddingLikeness
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.gate import support
from sage_rag.privacy.gate.gate import Gate
from sage_rag.privacy.gate.leakage import Original
from sage_rag.privacy.gate.limits import GateLimits
from sage_rag.privacy.gate.support import SupportCounts, SupportGate
from sage_rag.privacy.keyset.keyset import KEY_BYTES, Keyset, key_id_of
from sage_rag.privacy.languages import (
    language_of,
    languages_fingerprint,
    uncovered_language,
)
from sage_rag.privacy.operators.dates import Calendar
from sage_rag.privacy.operators.surrogate import SURROGATE_TYPES, Surrogates
from sage_rag.privacy.policy import preset, preset_names
from sage_rag.privacy.protect import Protection, Protector, join_fields
from sage_rag.privacy.protocols import Recognizer
from sage_rag.privacy.recognizers.chinese.recognizer import ChineseRecognizer
from sage_rag.privacy.recognizers.chinese.tagger import ChineseTagger
from sage_rag.privacy.recognizers.disguise.recognizer import DisguiseRecognizer
from sage_rag.privacy.recognizers.forms.patterns import PatternRecognizer
from sage_rag.privacy.recognizers.forms.structured import STRUCTURED
from sage_rag.privacy.recognizers.presidio.recognizer import PresidioRecognizer
from sage_rag.privacy.recognizers.scripts import ScriptRecognizer
from sage_rag.privacy.recognizers.special_categories import SpecialCategoryRecognizer
from sage_rag.privacy.recognizers.tagging.clinical import ClinicalRecognizer
from sage_rag.privacy.recognizers.tagging.network import load_model
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer
from sage_rag.privacy.testing import TableRecognizer
from tests.golden import texts

RECORDED = Path(__file__).with_name("stages.json")
_KEY = bytes(range(KEY_BYTES))
_KEYSET = Keyset({key_id_of(_KEY): _KEY}, key_id_of(_KEY))
_CORPUS = "golden"
_RECORDS = 12


@dataclass(frozen=True)
class StageOutput:
    """What a stage returned for the fixed texts, as JSON can hold it, and its fingerprint."""

    fingerprint: str
    output: object

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.output, ensure_ascii=False).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Stage:
    """`module`: where the `VERSION` is raised when the output changes."""

    module: str
    run: Callable[[], StageOutput]


def _spans(recognizer: Recognizer, read: Iterable[str]) -> StageOutput:
    """Scores are left out: their last digits differ between processors."""
    found = [
        sorted((s.start, s.end, s.entity_type.value) for s in recognizer.recognize(text))
        for text in read
    ]
    return StageOutput(recognizer.fingerprint, found)


def _english_tagger() -> StageOutput:
    """In single precision: in half, a word at a threshold differs between AMX and AVX-512."""
    load_model.cache_clear()
    with patch(f"{minilm_model.__name__}.fastest_precision", return_value=Precision.SINGLE):
        found = _spans(TaggerRecognizer(), [*_example_texts(), *texts.CLINICAL])
    load_model.cache_clear()
    return found


def _example_texts() -> list[str]:
    return [join_fields(record) for record in texts.records(_RECORDS)]


def _protections(policy: str, count: int = _RECORDS) -> Iterator[tuple[Protector, Protection]]:
    others = texts.other_forms()
    records = [*texts.records(count), texts.CHINESE_RECORD, *others]
    values = [*texts.known_values(count), texts.CHINESE_VALUES, *[texts.OTHER_VALUES] * len(others)]
    cipher, surrogates = SivCipher(_KEYSET, _CORPUS), Surrogates(_KEYSET, _CORPUS)
    for record, table in zip(records, values, strict=True):
        protector = Protector(TableRecognizer(table), preset(policy), cipher, surrogates)
        yield protector, protector.protect(record)


def _protect(policy: str) -> StageOutput:
    done = list(_protections(policy))
    output = [
        (
            dict(protection.protected.fields),
            dict(protection.tokens),
            [(i.value, i.entity_type) for i in protection.identifiers],
            sorted(protection.surrogates),
            [(i.value, i.entity_type) for i in protection.kept],
        )
        for _, protection in done
    ]
    return StageOutput(done[0][0].fingerprint, output)


_VALUES = (
    "Ada Novak",
    "14 Tanyard Lane, Kinsale",
    "ada@example.org",
    "4471902",
    "38",
    "3 May 1974",
)


def _surrogates() -> StageOutput:
    surrogates, calendar = Surrogates(_KEYSET, _CORPUS), Calendar.of("", ["3 May 1974"], 30)
    output = {
        entity_type.value: [surrogates.surrogate(v, entity_type, calendar) for v in _VALUES]
        for entity_type in sorted(SURROGATE_TYPES)
    }
    return StageOutput(surrogates.fingerprint, output)


def _drafts(record: dict[str, str], protection: Protection) -> Iterator[dict[str, str]]:
    """Yield drafts that fail the gate in different ways, and one close to passing."""
    hidden = dict(protection.protected.fields)
    yield record
    yield hidden
    yield {name: " ".join(text.split()[::-1]) for name, text in hidden.items()}
    yield {name: " ".join(text.split()[::2]) for name, text in hidden.items()}
    yield dict.fromkeys(hidden, "")
    yield {name: f"{text} [PERSON_99] wrote to eve@example.org." for name, text in hidden.items()}
    yield {next(iter(hidden)): "Das ist ein ganz anderer Satz, der von keinem Menschen erzählt."}


def _languages() -> StageOutput:
    rows = _gold_languages()
    found = [[uncovered_language(fields, {"en"}), language_of(" ".join(fields))] for fields in rows]
    return StageOutput(languages_fingerprint(), found)


def _gold_languages() -> list[list[str]]:
    file = resources.files("sage_rag.eval.gold") / "languages.jsonl"
    return [json.loads(line)["fields"] for line in file.read_text("utf-8").splitlines()]


def _gate() -> StageOutput:
    gate = Gate(GateLimits(), PatternRecognizer(STRUCTURED))
    output = []
    for record, (_, protection) in zip(texts.records(5), _protections("sage", 5), strict=False):
        original = Original(join_fields(record))
        for draft in _drafts(record, protection):
            verdict = gate.judge(original, protection, draft)
            findings = [(f.kind, f.message, f.start, f.end) for f in verdict.findings]
            likeness = (round(verdict.rouge_l, 6), round(verdict.order_free, 6))
            output.append((findings, verdict.longest_run, *likeness))
    return StageOutput(gate.fingerprint, output)


def _rules() -> StageOutput:
    return StageOutput(rules_roles().fingerprint, asyncio.run(_drafted(rules_roles())))


async def _drafted(roles: Roles) -> list[object]:
    """Return attributes, extraction, draft, reviews and revision of every record."""
    output: list[object] = []
    gate = Gate(GateLimits(), PatternRecognizer(STRUCTURED))
    for _, protection in _protections("sage", 36):
        record = protection.protected
        attributes = await roles.identifier.identify([record])
        output.append([(a.name, a.field, a.description) for a in attributes.entries])
        extraction = await roles.extractor.extract(record, attributes)
        draft = await roles.generator.generate(extraction, attributes)
        review = await roles.reviewer.review(record, draft)
        copied = Draft(record.fields)
        verdict = gate.judge(Original(record.text), protection, copied.fields)
        refused = await roles.reviewer.review(record, copied)
        revised = await roles.rewriter.rewrite(copied, refused, verdict)
        output += [
            sorted((name, list(phrases)) for name, phrases in extraction.phrases.items()),
            dict(draft.fields),
            (review.safe, review.suggestions),
            refused.suggestions,
            dict(revised.fields),
        ]
    return output


_INFORMATION = {"complaint": ["[PERSON_1] has migraine"], "advice": ["propranolol"]}
_WRITTEN = {"question": "[PERSON_1] has migraine.", "answer": "Try propranolol."}
_IDENTIFIED = {
    "form": "dialogue",
    "attributes": [
        {"name": "complaint", "field": "question", "description": "what hurts", "samples": [1]},
        {"name": "advice", "field": "answer", "description": "what to do", "samples": [1]},
    ],
}
_OBJECTION = {"suggestion": "leave out the place", "quote": "migraine"}
_REVIEWED = {
    **dict.fromkeys(("direct_identifiers", "sensitive_attributes", "linkage"), "ok"),
    **dict.fromkeys(("context", "consistency", "recovery"), _OBJECTION),
}
_GUESSED = {"guesses": [{"attribute": "age", "guess": "38", "evidence": "migraine"}]}
_PAIRS = {"pairs": [{"field": "question", "question": "Who?", "answer": "[PERSON_1]"}]}
_ATTRIBUTE_VALUES = {
    "attributes": [
        {"name": name, "field": field, "values": ["one", "two", "three"]}
        for name, field in (("complaint", "question"), ("advice", "answer"))
    ]
}
_NAMED = {"values": [{"type": "PERSON", "text": "Ada Novak"}]}


def _scripted(answers: Sequence[object]) -> ScriptedChatModel:
    """Return a model whose first answer is no JSON, so that the second question is recorded too."""
    return ScriptedChatModel(["I cannot.", *(json.dumps(answer) for answer in answers)])


def _messages(model: ScriptedChatModel) -> list[object]:
    return [[(m.role, m.content) for m in asked] for asked in model.asked]


async def _stage_1(roles: Roles) -> tuple[CorpusAttributes, list[object]]:
    _, protection = next(_protections("sage"))
    record = protection.protected
    attributes = await roles.identifier.identify([record])
    extraction = await roles.extractor.extract(record, attributes)
    draft = await roles.generator.generate(extraction, attributes)
    return attributes, [sorted(extraction.phrases), dict(draft.fields)]


def _synthesis() -> StageOutput:
    joined = _scripted([_IDENTIFIED, {"information": _INFORMATION, "record": _WRITTEN}] * 2)
    two = _scripted([_IDENTIFIED, *[{"information": _INFORMATION}, _WRITTEN] * 2, _WRITTEN])
    output = []
    for model, roles in (
        (joined, model_roles(joined)),
        (two, model_roles(two, joined=False, attributes_per_field=None)),
    ):
        output += [*asyncio.run(_stage_1(roles))[1], *_messages(model)]
    return StageOutput(model_roles(joined).drafting, output)


def _review() -> StageOutput:
    model = _scripted([_REVIEWED, _WRITTEN, _WRITTEN])
    roles = model_roles(model)
    _, protection = next(_protections("sage"))
    record, draft = protection.protected, Draft(_WRITTEN)
    gate = Gate(GateLimits(), PatternRecognizer(STRUCTURED))
    verdict = gate.judge(Original(record.text), protection, record.fields)

    async def both() -> list[object]:
        review = await roles.reviewer.review(record, draft)
        revised = await roles.rewriter.rewrite(draft, review, verdict)
        return [review.suggestions, dict(revised.fields)]

    return StageOutput(roles.fingerprint, [asyncio.run(both()), *_messages(model)])


def _adversary() -> StageOutput:
    model = _scripted([_GUESSED] * 2)
    adversary = ModelAdversary(model)
    _, protection = next(_protections("sage"))
    infer = adversary.against(protection, TableRecognizer({"tram": EntityType.DEMOGRAPHIC}))

    async def attack() -> list[object]:
        return [(r.safe, r.suggestions) for r in [await infer(Draft(_WRITTEN))]]

    return StageOutput(adversary.fingerprint, [asyncio.run(attack()), *_messages(model)])


def _llm_recognizer() -> StageOutput:
    model = _scripted([_NAMED])
    recognizer = LlmRecognizer(model)
    found = _spans(recognizer, ["I am Ada Novak; Novak is my name, Ada Novak."])
    recognizer.close()
    return StageOutput(found.fingerprint, [found.output, *_messages(model)])


def _baselines() -> StageOutput:
    roles = baseline_roles("paraphrase", None)
    fingerprints, output = [roles.fingerprint], asyncio.run(_drafted(roles))
    answers: dict[str, list[object]] = {
        "paraphrase": [_WRITTEN],
        "checklist": [_WRITTEN],
        "zerogen": [_PAIRS],
        "attrprompt": [_ATTRIBUTE_VALUES, _WRITTEN],
    }
    for method, said in answers.items():
        model = _scripted(said)
        roles = baseline_roles(method, model)
        output += [*asyncio.run(_stage_1(roles))[1], *_messages(model)]
        fingerprints.append(roles.fingerprint)
    return StageOutput(" ".join(fingerprints), output)


def _embedding() -> StageOutput:
    embedder = embedder_called()
    vectors = embedder.embed([*_example_texts(), texts.CHINESE[0]])
    # Two digits of every 64th value: processors differ in the sixth digit.
    values = [[round(float(value), 2) + 0.0 for value in vector[::64]] for vector in vectors]
    return StageOutput(vector_key(embedder), [vectors.shape, values])


def _likeness() -> StageOutput:
    likeness = EmbeddingLikeness(embedder_called())
    read = _example_texts()[:4]
    output = [round(likeness.compare(a, b), 2) for a in read for b in read]
    return StageOutput(likeness.fingerprint, output)


def _subjects() -> list[ConsensusRecord]:
    """Return the records of twelve subjects, each record said by four of them."""
    fields = [dict(p.protected.fields) for _, p in _protections("sage", 3)][:3]
    return [ConsensusRecord(f"subject-{n}", fields[n % 3]) for n in range(_RECORDS)]


def _support() -> StageOutput:
    records = _subjects()
    gate = SupportGate(SupportCounts((r.subject, r.fields.values()) for r in records), 3)
    fewer = SupportGate(SupportCounts((r.subject, r.fields.values()) for r in records[:6]), 3)
    found = [finding for g in (gate, fewer) for r in records[:3] for finding in g.judge(r.fields)]
    return StageOutput(str(support.VERSION), [(f.kind, f.message) for f in found])


def _consensus() -> StageOutput:
    options = ConsensusOptions(topic_records=4, topics_per_record=1)
    made = compose(_subjects(), HashEmbedder(), options)
    output = [(dict(p.fields), p.members, p.subjects) for p in made.passages]
    return StageOutput(options.fingerprint, [output, dict(made.refused)])


_SHARED = {"question": ["migraine"], "answer": ["try propranolol"]}


def _model_consensus() -> StageOutput:
    model = _scripted([{"question": "Migraine.", "answer": "Try propranolol. See Ada Novak."}])
    records = [(str(n), ["migraine", "try propranolol"]) for n in range(3)]
    gate = SupportGate(SupportCounts(records), 3)
    topic = {name: [SharedStatement(s, 3) for s in said] for name, said in _SHARED.items()}
    writer = ConsensusWriter(model)
    written = asyncio.run(writer.write(topic, gate, frozenset("012")))
    return StageOutput(writer.fingerprint, [written, *_messages(model)])


_RECOGNIZERS = "sage_rag.privacy.recognizers"
_MODEL = "sage_rag.agents.model"
STAGES: dict[str, Stage] = {
    "patterns": Stage(
        f"{_RECOGNIZERS}.forms.patterns",
        lambda: _spans(PatternRecognizer(STRUCTURED), [*texts.FORMS, *_example_texts()]),
    ),
    "presidio": Stage(
        f"{_RECOGNIZERS}.presidio.recognizer",
        lambda: _spans(PresidioRecognizer(), [*texts.NATIONAL_NUMBERS, *texts.FORMS]),
    ),
    "english-tagger": Stage(
        f"{_RECOGNIZERS}.tagging.tagger",
        _english_tagger,
    ),
    "clinical": Stage(
        f"{_RECOGNIZERS}.tagging.clinical",
        lambda: _spans(ClinicalRecognizer(_NumbersAndNames()), texts.CLINICAL),
    ),
    "special-categories": Stage(
        f"{_RECOGNIZERS}.special_categories",
        lambda: _spans(
            SpecialCategoryRecognizer(TableRecognizer({"German": EntityType.DEMOGRAPHIC})),
            texts.DESCRIPTIONS,
        ),
    ),
    "evasions": Stage(
        f"{_RECOGNIZERS}.disguise.recognizer",
        lambda: _spans(DisguiseRecognizer(PatternRecognizer(STRUCTURED)), texts.DISGUISES),
    ),
    "chinese-rules": Stage(
        f"{_RECOGNIZERS}.chinese.recognizer", lambda: _spans(ChineseRecognizer(), texts.CHINESE)
    ),
    "chinese-tagger": Stage(
        f"{_RECOGNIZERS}.chinese.tagger", lambda: _spans(ChineseTagger(), texts.CHINESE)
    ),
    "scripts": Stage(f"{_RECOGNIZERS}.scripts", lambda: _spans(ScriptRecognizer(), texts.SCRIPTS)),
    **{
        f"protect-{name}": Stage("sage_rag.privacy.protect", partial(_protect, name))
        for name in sorted(preset_names())
    },
    "surrogates": Stage("sage_rag.privacy.operators.surrogate", _surrogates),
    "languages": Stage("sage_rag.privacy.languages", _languages),
    "support": Stage("sage_rag.privacy.gate.support", _support),
    "consensus": Stage("sage_rag.indexer.consensus.options", _consensus),
    "model-consensus": Stage(f"{_MODEL}.consensus", _model_consensus),
    "gate": Stage("sage_rag.privacy.gate.gate", _gate),
    "rules": Stage("sage_rag.agents.rules.roles", _rules),
    "baselines": Stage("sage_rag.agents.baselines", _baselines),
    "model-synthesis": Stage(f"{_MODEL}.synthesis", _synthesis),
    "model-review": Stage(f"{_MODEL}.review", _review),
    "model-adversary": Stage(f"{_MODEL}.adversary", _adversary),
    "model-recognizer": Stage(f"{_MODEL}.recognizer", _llm_recognizer),
    "embedding": Stage("sage_rag.indexer.embedding", _embedding),
    "likeness": Stage("sage_rag.indexer.likeness", _likeness),
}


class _NumbersAndNames(TableRecognizer):
    """Takes measures, durations and abbreviations for private values, as a tagger may."""

    def __init__(self) -> None:
        ages = dict.fromkeys(("70", "52", "47 years old", "90"), EntityType.AGE)
        dates = dict.fromkeys(("38.9", "10 days", "6 months", "May 2021"), EntityType.DATE_TIME)
        super().__init__({**ages, **dates, "CK": EntityType.PERSON})


def read_recorded() -> dict[str, dict[str, str]]:
    recorded: dict[str, dict[str, str]] = json.loads(RECORDED.read_text("utf-8"))
    return recorded


def complaint(name: str, stage: Stage, recorded: Mapping[str, str]) -> str:
    """Return what to do about a stage that differs from its record; empty if it does not."""
    now = stage.run()
    record = "python -m tests.golden.record"
    if now.fingerprint != recorded.get("fingerprint"):
        return f"the fingerprint of stage {name} changed; run `{record}`"
    if now.digest != recorded.get("digest"):
        return (
            f"the output of stage {name} changed and its version did not: "
            f"raise VERSION in {stage.module}, then run `{record}`"
        )
    return ""
