"""Recipe `consensus` in the pipeline: what is published, resumed, forgotten and refused."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.chat.protocols import ChatMessage
from sage_rag.agents.model.consensus import ConsensusWriter
from sage_rag.agents.testing import ScriptedChatModel, reversing_roles
from sage_rag.agents.testing.model import answer_to
from sage_rag.common.exceptions import InputError, ProtectionError, UpstreamError
from sage_rag.indexer.consensus import layer
from sage_rag.indexer.consensus.figures import (
    ConsensusFigures,
    consensus_lines,
    states_something,
)
from sage_rag.indexer.consensus.protection import protected_record
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.job import treatment_of
from sage_rag.indexer.ledger import Ledger
from sage_rag.indexer.pipeline import index_corpus
from sage_rag.indexer.recipes import recipe_called
from sage_rag.indexer.rekey import rekey
from sage_rag.indexer.review import ReviewSession
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import LOOKUP, current_path, open_version
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.spans import Span
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.privacy.tokens import PLACEHOLDER, TOKEN
from tests.indexer.conftest import KEYSET, NAMES, clinic_job
from tests.indexer.consensus.conftest import (
    DETAILS,
    MATTERS,
    ConsensusRun,
    Record,
    consensus_job,
    dialogue,
    own_words,
    write,
)
from tests.indexer.test_row_order import content

CANARY = "Chew turmeric root."
"""Three words: from four words on, twice k subjects must say a statement."""


class CountingRecognizer(TableRecognizer):
    """Count the texts that it reads; fail after `most` of them."""

    def __init__(self, most: int = 10**6) -> None:
        super().__init__(NAMES)
        self.read = 0
        self._most = most

    def recognize(self, text: str) -> list[Span]:
        if self.read == self._most:
            raise UpstreamError("it ends here")
        self.read += 1
        return list(super().recognize(text))


def published(home: Path) -> str:
    version = open_version(current_path(home, "clinic"), verify=True)
    return "\n".join(version.passage(row).text for row in range(len(version)))


def everything_under(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


def with_canary(holders: int, **fields: str) -> list[Record]:
    """Return the corpus with the canary in the first records of one matter."""
    step = len(MATTERS)
    chosen = {step * i for i in range(holders)}
    return [
        {**dialogue(i, extra=CANARY), **fields} if i in chosen else dialogue(i) for i in range(24)
    ]


def test_what_several_say_is_published_and_what_one_says_is_not(
    consensus: ConsensusRun, tmp_path: Path
) -> None:
    summary = consensus()
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert (version.manifest.recipe, version.manifest.k) == ("consensus", 3)
    assert version.manifest.layer_sizes == {"consensus": summary.published}
    text = published(tmp_path / "home")
    for question, answer in MATTERS.values():
        assert question in text
        assert answer in text
    assert not any(detail in text for detail in DETAILS)


def test_no_subject_name_or_document_id_is_stored_in_clear(
    consensus: ConsensusRun, tmp_path: Path
) -> None:
    consensus(subject="patient")
    stored = everything_under(tmp_path / "home")
    assert not any(name.encode() in stored for name in NAMES)
    assert b"Ada Novak" not in stored
    assert b"doc-1" not in stored


def test_the_report_states_k_and_what_became_of_the_records(
    consensus: ConsensusRun, tmp_path: Path
) -> None:
    consensus()
    path = current_path(tmp_path / "home", "clinic") / "report.json"
    figures = json.loads(path.read_text())["consensus"]
    assert {name: figures[name] for name in ("k", "records", "subjects", "represented")} == {
        "k": 3, "records": 24, "subjects": 24, "represented": 24,
    }  # fmt: skip
    assert figures["topics"] == figures["passages"] + sum(figures["refused"].values())
    assert figures["stating"] == figures["passages"]


@pytest.mark.parametrize(
    ("answer", "states"),
    [
        ("Topics: gout, fever.", False),
        ("", False),
        ("Topics: gout.\nDrink water.", True),
        ("Possible: gout.\nTopics: fever.", True),
        ("You may have, notably: gout.", True),
    ],
)
def test_topics_alone_state_nothing(answer: str, states: bool) -> None:
    assert states_something({"question": "Topics: fever.", "answer": answer}) == states


def test_the_owner_learns_how_many_passages_name_topics_alone() -> None:
    figures = ConsensusFigures(3, 9, 9, 4, passages=4, stating=1, represented=9, refused={})
    assert list(consensus_lines(figures))[1].startswith("1 of 4 passages state something")
    assert len(list(consensus_lines(replace(figures, stating=4)))) == 1


def test_a_model_writes_the_passages_if_there_is_one(
    consensus: ConsensusRun, tmp_path: Path
) -> None:
    asked: list[str] = []

    def answer(messages: Sequence[ChatMessage]) -> str:
        asked.append(messages[1].content)
        return json.dumps(answer_to(messages[0].content, messages[1].content))

    writer = ConsensusWriter(ScriptedChatModel(answer))
    summary = consensus(consensus_writer=writer)
    version = open_version(current_path(tmp_path / "home", "clinic"))
    assert version.manifest.agents == writer.fingerprint
    assert len(asked) == summary.published > 0
    assert not any(detail in text for detail in DETAILS for text in asked)
    assert not any(detail in published(tmp_path / "home") for detail in DETAILS)


def test_a_language_that_the_rules_do_not_read_is_refused(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    question = "医生您好，我母亲最近两周晚上总是咳嗽，白天还好，没有发烧。"
    chinese = {"id": "doc-zh", "question": question, "answer": "先观察体温，多喝水，请到医院就诊。"}
    write(dialogues, [*map(dialogue, range(24)), {**dialogue(24), **chinese}])
    summary = consensus()
    assert summary.reasons == {"language-not-covered:zh": 1}
    assert "咳" not in published(tmp_path / "home")


def test_the_owner_sees_which_documents_a_passage_was_made_of(
    consensus: ConsensusRun, tmp_path: Path
) -> None:
    consensus()
    version = open_version(current_path(tmp_path / "home", "clinic"))
    lines = (tmp_path / "home/owner/clinic/topics.jsonl").read_text().splitlines()
    topics = [json.loads(line) for line in lines]
    names = [version.passage(row).id for row in range(len(version))]
    assert [topic["id"] for topic in topics] == names
    assert all(len(set(topic["documents"])) >= 3 for topic in topics)


@pytest.mark.parametrize(("holders", "said"), [(1, False), (2, False), (3, True), (5, True)])
def test_a_canary_is_published_from_the_third_subject_on(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path, holders: int, said: bool
) -> None:
    write(dialogues, with_canary(holders))
    consensus()
    assert ("turmeric" in published(tmp_path / "home")) is said


def test_many_records_of_one_subject_are_one_subject(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    write(dialogues, with_canary(5, patient="the same"))
    consensus(subject="patient")
    assert "turmeric" not in published(tmp_path / "home")
    consensus()
    assert "turmeric" in published(tmp_path / "home")


def test_a_changed_subject_changes_the_counts_and_no_record_is_read_again(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    write(dialogues, with_canary(5))
    consensus(subject="patient")
    assert "turmeric" in published(tmp_path / "home")
    write(dialogues, with_canary(5, patient="the same"))
    recognizer = CountingRecognizer()
    consensus(subject="patient", recognizer=recognizer)
    assert "turmeric" not in published(tmp_path / "home")
    assert recognizer.read <= 5  # passages of the second version, not records


def test_a_value_that_all_subjects_share_is_in_no_passage(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    name = next(iter(NAMES))
    records = map(dialogue, range(24))
    write(dialogues, [{**r, "answer": f"Ask {name} for tea. {r['answer']}"} for r in records])
    consensus()
    text = published(tmp_path / "home")
    assert "rash" in text
    assert name not in text
    assert TOKEN.search(text) is PLACEHOLDER.search(text) is None


def test_a_repeated_text_is_not_two_subjects(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    copies = [{**dialogue(0, extra=CANARY), "id": f"copy-{i}"} for i in range(5)]
    write(dialogues, [*copies, *map(dialogue, range(1, 24))])
    consensus()
    assert "turmeric" not in published(tmp_path / "home")


def test_a_larger_k_says_less(consensus: ConsensusRun, dialogues: Path, tmp_path: Path) -> None:
    write(dialogues, with_canary(4))
    consensus(k=4)
    assert "turmeric" in published(tmp_path / "home")
    consensus(k=5)
    assert "turmeric" not in published(tmp_path / "home")
    assert open_version(current_path(tmp_path / "home", "clinic")).manifest.k == 5


def test_a_second_run_repeats_nothing_and_publishes_the_same_bytes(
    consensus: ConsensusRun,
) -> None:
    first = consensus()
    recognizer, embedder = CountingRecognizer(), HashEmbedder()
    second = consensus(recognizer=recognizer, embedder=embedder)
    assert (second.resumed, embedder.embedded) == (24, 0)
    assert recognizer.read == second.published  # the gate reads the passages again
    assert first.path
    assert second.path
    before, after = content(first.path), content(second.path)
    assert before.pop(LOOKUP) != after.pop(LOOKUP), "it says the number of its version"
    assert before == after


def test_a_permuted_corpus_gives_the_same_bytes(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    versions = []
    for seed in range(3):
        records = random.Random(seed).sample([dialogue(i) for i in range(24)], 24)  # noqa: S311
        write(dialogues, records)
        path = consensus(home=tmp_path / f"home-{seed}").path
        assert path is not None
        versions.append(content(path))
    assert versions[0] == versions[1] == versions[2]


def test_a_run_that_ends_early_recognises_no_record_twice(
    consensus: ConsensusRun,
) -> None:
    with pytest.raises(UpstreamError):
        consensus(recognizer=CountingRecognizer(most=20))  # two fields a record
    recognizer = CountingRecognizer()
    summary = consensus(recognizer=recognizer)
    assert summary.resumed == 10
    assert recognizer.read == 2 * 14 + summary.published


def test_a_failure_between_the_stages_leaves_all_protected_and_nothing_published(
    consensus: ConsensusRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise UpstreamError("it ends here")

    with monkeypatch.context() as patched:
        patched.setattr("sage_rag.indexer.consensus.layer.Composition", killed)
        with pytest.raises(UpstreamError):
            consensus()
    with pytest.raises(InputError):
        current_path(tmp_path / "home", "clinic")
    assert consensus().resumed == 24


def test_a_statement_vanishes_with_a_subject_and_the_ledger_forgets_the_record(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    write(dialogues, with_canary(3))
    consensus()
    assert "turmeric" in published(tmp_path / "home")
    write(dialogues, with_canary(3)[1:])
    summary = consensus()
    assert (summary.changes.removed, summary.resumed) == (1, 23)
    assert "turmeric" not in published(tmp_path / "home")
    write(dialogues, with_canary(0))
    assert consensus().changes.changed == 2
    ledger = b"".join(p.read_bytes() for p in tmp_path.glob("home/owner/clinic/ledger.sqlite*"))
    assert b"turmeric" not in ledger


def test_after_a_removal_no_remaining_text_is_embedded_again(
    consensus: ConsensusRun, dialogues: Path
) -> None:
    consensus()
    write(dialogues, [dialogue(i) for i in range(23)])
    consensus()
    embedder = HashEmbedder()
    consensus(embedder=embedder)
    assert embedder.embedded == 0


def test_records_that_have_nothing_in_common_are_not_published(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    write(
        dialogues,
        [
            {"id": str(i), "question": f"{d}?", "answer": f"{d[::-1]}."}
            for i, d in enumerate(DETAILS)
        ],
    )
    with pytest.raises(ProtectionError, match=r"would represent 0 of 8 records") as error:
        consensus()
    assert "\n" not in error.value.message
    assert error.value.hint
    with pytest.raises(InputError):
        current_path(tmp_path / "home", "clinic")


def test_passages_that_name_topics_alone_are_not_published(
    consensus: ConsensusRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layer, "states_something", lambda fields: False)
    with pytest.raises(ProtectionError, match=r"would name topics alone: of 24 records") as error:
        consensus()
    assert "--recipe encrypted" in (error.value.hint or "")
    with pytest.raises(InputError):
        current_path(tmp_path / "home", "clinic")


def test_other_languages_are_refused_as_in_other_recipes(
    consensus: ConsensusRun, dialogues: Path
) -> None:
    spanish = "Me duele mucho la rodilla desde que corro todos los días por la montaña con mi perro"
    records = [{"id": f"es-{i}", "question": spanish, "answer": spanish} for i in range(4)]
    write(dialogues, [*records, *map(dialogue, range(24))])
    summary = consensus()
    assert summary.reasons == {"language-not-covered:es": 4}
    assert summary.consensus
    assert summary.consensus.subjects == 24


def test_a_consensus_of_nothing_says_which_records_were_refused_before(
    consensus: ConsensusRun, dialogues: Path
) -> None:
    spanish = "Me duele mucho la rodilla desde que corro todos los días por la montaña con mi perro"
    records = [{"id": f"es-{i}", "question": spanish, "answer": spanish} for i in range(4)]
    write(dialogues, [*records, dialogue(0), dialogue(1)])
    with pytest.raises(ProtectionError, match="refused before: language-not-covered:es 4"):
        consensus()


class SeesPassages(TableRecognizer):
    """Take `knee` for a name, but only in a passage."""

    def recognize(self, text: str) -> list[Span]:
        spans = list(super().recognize(text))
        place = text.find("knee pain")
        if place >= 0 and text.startswith(("Often", "Sometimes")):
            spans.append(Span(place, place + 4, EntityType.PERSON, 1.0))
        return spans


def test_a_passage_that_seems_to_name_someone_is_refused(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    write(dialogues, (dialogue(i, extra=own_words(i)) for i in range(120)))
    allowed = consensus().consensus
    summary = consensus(recognizer=SeesPassages(NAMES))
    assert allowed
    assert summary.consensus
    assert summary.consensus.refused["unprotected"] > 0
    assert 0 < summary.consensus.passages < allowed.passages
    assert "knee pain" not in published(tmp_path / "home")


def test_an_identifier_of_one_record_is_in_no_passage(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    """The recognizer finds the name of a physician in one record alone; five others say it."""

    class Forgetful(TableRecognizer):
        def recognize(self, text: str) -> list[Span]:
            known = {**NAMES, "Horace Winterbottom": EntityType.PERSON}
            return list(TableRecognizer(known if "number 3." in text else NAMES).recognize(text))

    extra = "Ask Horace Winterbottom in the morning."
    records = [
        dialogue(i, extra=f"{extra if i % 3 == 0 else ''} {own_words(i)}") for i in range(120)
    ]
    records[3]["question"] = f"{extra} {records[3]['question']} It is number 3."
    write(dialogues, records)
    summary = consensus(recognizer=Forgetful(NAMES))
    assert summary.consensus
    assert summary.consensus.refused["known-identifier"] > 0
    assert "Winterbottom" not in published(tmp_path / "home")


def test_a_version_can_have_both_layers(dialogues: Path, tmp_path: Path) -> None:
    job = consensus_job(
        dialogues, tmp_path / "home", recipe="sage", layers=("consensus", "records")
    )
    recipe = replace(job.recipe, own_limits={"meaning": False})
    job = replace(job, recipe=recipe, roles=reversing_roles())
    summary = asyncio.run(index_corpus(job, lambda *_: None))
    version = open_version(current_path(tmp_path / "home", "clinic"), verify=True)
    sizes = version.manifest.layer_sizes
    assert summary.consensus
    assert sizes["consensus"] == summary.consensus.passages
    assert sizes["consensus"] + sizes["records"] == summary.published
    assert (version.manifest.recipe, version.manifest.k) == ("sage", 3)
    report = json.loads((version.path / "report.json").read_text())
    assert report["consensus"]["k"] == 3
    assert report["rounds"]


def test_an_owner_can_drop_a_record_and_accept_none(
    consensus: ConsensusRun, dialogues: Path, tmp_path: Path
) -> None:
    write(dialogues, with_canary(3))
    consensus()
    job = consensus_job(dialogues, tmp_path / "home")
    ledger = Ledger(job.owner_folder / "ledger.sqlite")
    ReviewSession(job, ledger).drop("doc-0")
    ledger.close()
    summary = consensus()
    assert summary.reasons == {"dropped-in-review": 1}
    assert "turmeric" not in published(tmp_path / "home")
    ledger = Ledger(job.owner_folder / "ledger.sqlite")
    with pytest.raises(InputError, match="publishes no record"):
        ReviewSession(job, ledger).edit("doc-0", {"question": "a", "answer": "b"})
    ledger.close()


def test_the_recipe_never_publishes_records(dialogues: Path, tmp_path: Path) -> None:
    job = clinic_job(dialogues, tmp_path)
    with pytest.raises(ValueError, match="no passages of records"):
        replace(job, recipe=recipe_called("consensus"))


def test_a_stored_record_has_placeholders_and_tokens_alone(dialogues: Path, tmp_path: Path) -> None:
    treatment = treatment_of(consensus_job(dialogues, tmp_path / "home"))
    assert treatment is not None
    record = protected_record(treatment, next(read_corpus(dialogues)))
    assert record.fields
    assert "[PERSON_1]" in record.fields["question"]
    assert treatment.sealer.plain(record.identifiers) == ("Ada Novaka",)


def test_under_another_key_the_passages_are_the_same_and_their_ids_are_not(
    consensus: ConsensusRun, tmp_path: Path
) -> None:
    consensus()
    before = open_version(current_path(tmp_path / "home", "clinic"))
    rotated = KEYSET.rotate()
    renewed = rekey(tmp_path / "home", "clinic", rotated).path
    fresh = consensus(keyset=rotated, home=tmp_path / "fresh").path
    assert fresh is not None
    one, other = content(renewed), content(fresh)
    assert one.pop(LOOKUP) != other.pop(LOOKUP), "it says the number of its version"
    assert one == other
    after = open_version(fresh)
    assert before.passage(0).fields == after.passage(0).fields
    assert before.passage(0).id != after.passage(0).id


def test_a_passage_of_a_few_words_is_refused_as_empty(
    consensus: ConsensusRun, dialogues: Path
) -> None:
    few = [
        {"id": str(i), "question": f"{detail}. I have fever.", "answer": f"{own_words(i)}."}
        for i, detail in enumerate(DETAILS)
    ]
    write(dialogues, ({**r, "answer": f"Drink water. {r['answer']}"} for r in few))
    with pytest.raises(ProtectionError, match="would represent 0 of 8 records"):
        consensus()
    advice = "Drink warm water and rest in bed."
    write(dialogues, [{**r, "answer": f"{advice} {r['answer']}"} for r in few])
    assert consensus().published == 1


def test_a_passage_that_resembles_any_original_as_a_whole_is_refused(
    consensus: ConsensusRun, dialogues: Path
) -> None:
    """Without words of their own, forty records of a matter are alike, and so is their passage."""
    write(dialogues, map(dialogue, range(120)))
    with pytest.raises(ProtectionError, match="would represent 0 of 120 records"):
        consensus()
    write(dialogues, (dialogue(i, extra=own_words(i)) for i in range(120)))
    assert consensus().published > 1
