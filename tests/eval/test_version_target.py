import json
from contextlib import closing

import numpy as np
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.eval.attack import Attack
from sage_rag.eval.detectors.suite import contact_recognizer, detectors
from sage_rag.eval.probes.composite import builtin_probes
from sage_rag.eval.report import AttackReport, table
from sage_rag.eval.targets.version import VersionTarget
from sage_rag.indexer.passages import Passage
from sage_rag.indexer.publishing import publish
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.indexer.versions import current_path, version_path
from sage_rag.privacy.keyset.keyset import Keyset
from tests.indexer.layered import PEOPLE, SHARED, consensus, publish_layers, records, token


def publish_texts(home, texts):
    passages = [Passage(f"p-{i}", i, {"text": text}) for i, text in texts.items()]
    embedder = HashEmbedder()
    manifest = {
        "corpus": "clinic",
        "recipe": "origin",
        "protection": "none",
        "policy": None,
        "agents": None,
        "embedder": embedder.name,
        "key_ids": (),
        "counts": {"documents": len(texts), "passages": len(texts), "quarantined": 0},
    }
    vectors = np.asarray(embedder.embed([p.text for p in passages]))
    return publish(
        home,
        "clinic",
        passages,
        vectors,
        lexical=[p.text for p in passages],
        manifest=manifest,
        report={},
    )


@pytest.fixture
def target(tmp_path, texts):
    path = publish_texts(tmp_path, texts)
    target = VersionTarget(path, HashEmbedder(), top_k=2)
    yield target
    target.close()


def test_every_retrieved_passage_is_an_output(target, texts):
    shown = target.ask("knee hurts, swelling, gout")
    assert len(shown) == 2
    assert shown[0] == texts["a"]
    assert target.name == "clinic 000001 (origin)"


def test_a_plain_index_leaks_to_every_prompt_and_as_a_whole(target, originals):
    judges = detectors(originals, contact_recognizer())
    report = Attack(builtin_probes(), judges, originals=3).run(target, top_k=2)
    targeted, untargeted, whole = report.groups
    assert report.worst_case
    assert report.leaked
    for group in (targeted, untargeted):
        assert group.find("repeat").prompts.successes == group.attempts == 40
    assert [(m.detector, m.pieces, m.of) for m in whole.measures] == [
        ("repeat", 3, 3),
        ("rouge", 3, 3),
        ("contacts", 3, 3),
    ]
    assert str(whole.find("repeat").prompts) == "3 of 3"  # all passages, so no interval
    assert str(untargeted.find("repeat").prompts) == "40 of 40 (95 %: at least 92.8 %)"


def test_the_json_has_no_interval_for_all_passages_and_reads_back(target, originals):
    judges = detectors(originals, contact_recognizer())
    report = Attack(builtin_probes()[:2], judges, originals=3).run(target, top_k=2)
    asked, whole = json.loads(report.model_dump_json())["groups"]
    assert whole["measures"][0]["prompts"] == {"successes": 3, "trials": 3}
    assert asked["measures"][0]["prompts"].keys() == {"successes", "trials", "low", "high"}
    assert AttackReport.model_validate_json(report.model_dump_json()) == report


def test_the_table_has_compat_rows_on_request_alone(target, originals, tmp_path):
    judges = detectors(originals, contact_recognizer())
    report = Attack(builtin_probes()[:2], judges, originals=3).run(target, top_k=2)
    renamed = report.model_copy(
        update={
            "groups": tuple(
                group.model_copy(
                    update={
                        "measures": (
                            *group.measures,
                            group.measures[0].model_copy(update={"detector": "repeat-compat"}),
                        )
                    }
                )
                for group in report.groups
            )
        }
    )
    rows = table(renamed, compat=False).row_count, table(renamed, compat=True).row_count
    assert rows[1] == rows[0] + 2


def test_a_rewritten_index_leaks_nothing(tmp_path, originals):
    path = publish_texts(tmp_path, {"x": "A patient has a sore joint.", "y": "Rest and cool it."})
    target = VersionTarget(path, HashEmbedder(), top_k=2)
    judges = detectors(originals, contact_recognizer())
    assert not Attack(builtin_probes(), judges, originals=3).run(target, top_k=2).leaked
    target.close()


KEYSET = Keyset.generate()


@pytest.fixture
def layered(tmp_path):
    return publish_layers(tmp_path, KEYSET, consensus(KEYSET) + records(KEYSET))


def test_a_prompt_without_a_name_searches_every_layer_of_an_index(layered):
    with closing(VersionTarget(layered, HashEmbedder(), top_k=3)) as target:
        shown = target.ask("a cold and a cough")
        assert set(shown) == {text for _, text in target.passages()}
        assert len(shown) == len(SHARED) + len(PEOPLE)
        assert target.name == "clinic 000001 (sage)"


def test_an_attack_on_the_consensus_is_that_of_a_client_without_a_key(layered):
    with closing(VersionTarget(layered, HashEmbedder(), top_k=9, layer="consensus")) as target:
        named = f"{token(KEYSET, 'Maria Keller')} and the piano factory"
        for prompt in ("a cold and a cough", named):
            assert set(target.ask(prompt)) == set(SHARED)
        assert {text for _, text in target.passages()} == set(SHARED)
        assert target.name == "clinic 000001 (sage, layer consensus)"


def test_the_records_alone_are_attacked_as_a_whole(layered):
    with closing(VersionTarget(layered, HashEmbedder(), top_k=9, layer="records")) as target:
        assert len(target.ask("the piano factory")) == len(PEOPLE)
        assert not set(target.ask("coffee")) & set(SHARED)


def test_a_layer_that_the_version_has_not_is_refused(tmp_path, texts):
    path = publish_texts(tmp_path, texts)
    with pytest.raises(InputError, match="no layer `consensus`"):
        VersionTarget(path, HashEmbedder(), top_k=2, layer="consensus")


def test_a_corpus_folder_means_its_current_version(tmp_path, texts):
    publish_texts(tmp_path, texts)
    second = publish_texts(tmp_path, texts)
    assert version_path(tmp_path / "corpora" / "clinic") == second
    assert version_path(second) == second == current_path(tmp_path, "clinic")


def test_other_folders_are_refused(tmp_path):
    (tmp_path / "file.json").write_text(json.dumps({}))
    for path in (tmp_path, tmp_path / "absent", tmp_path / "file.json"):
        with pytest.raises(InputError, match="neither an index version nor"):
            version_path(path)
