import itertools
import json
import random

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from sage_rag.common.proportions import Proportion
from sage_rag.eval.studies.corpora import Corpus
from sage_rag.eval.studies.frequency.inference import (
    AttackerKnowledge,
    ObservedValue,
    by_parts,
    by_rank,
    by_structure,
    match_ranks,
)
from sage_rag.eval.studies.frequency.observer import CIPHERS, ObservedIndex, parts_of
from sage_rag.eval.studies.frequency.page import blocks
from sage_rag.eval.studies.frequency.people import patients
from sage_rag.eval.studies.frequency.search import (
    SearchScore,
    Words,
    measure,
    questions_about_examples,
    questions_about_patients,
)
from sage_rag.eval.studies.frequency.study import (
    RecoveryScore,
    attack,
    census,
    elsewhere,
    people_in,
)
from sage_rag.eval.studies.study_home import StudyHome
from sage_rag.indexer.corpus import read_corpus
from sage_rag.indexer.testing import HashEmbedder
from sage_rag.privacy.blind_index import PartWords
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.testing import TableRecognizer

CHANCE = random.Random(0)  # noqa: S311 - order of ties
GIVEN = {f"given{i}": 2.0**-i for i in range(6)}
FAMILY = {f"family{i}": 3.0**-i for i in range(6)}


def test_ranks_are_the_most_likely_assignment():
    counts = {"a": 7, "b": 1, "c": 4, "d": 2}
    weights = {"w": 0.1, "x": 0.4, "y": 0.2, "z": 0.3}
    cost = [[-n * np.log(w) for w in weights.values()] for n in counts.values()]
    rows, columns = linear_sum_assignment(np.array(cost))
    names, ciphertexts = list(weights), list(counts)
    best = {ciphertexts[r]: names[c] for r, c in zip(rows, columns, strict=True)}
    assert match_ranks(counts, weights, CHANCE) == best


def test_ranks_are_matched_within_one_shape():
    long, short = ObservedValue("c1", 2), ObservedValue("c2", 1)
    shape = {"Ann": 1, "Annabelle": 2}.__getitem__
    guesses = by_rank([[long], [long], [short]], {"Ann": 0.9, "Annabelle": 0.1}, shape, 0)
    assert guesses == {"c1": "Annabelle", "c2": "Ann"}


def test_parts_are_told_by_how_many_people_share_them():
    chance = random.Random(1)  # noqa: S311 - not for secrets
    firsts = chance.choices(list(GIVEN), list(GIVEN.values()), k=4000)
    lasts = chance.choices(list(FAMILY), list(FAMILY.values()), k=4000)
    # A third part that no other value has makes every person a value of its own.
    people = [
        ObservedValue(f"c{i}", 1, frozenset({f"~{a}", f"~{b}"}))
        for i, (a, b) in enumerate(zip(firsts, lasts, strict=True))
    ]
    known = AttackerKnowledge({}, GIVEN, FAMILY, FAMILY)
    guesses = by_parts([[p] for p in people], known, 0)
    right = [word for word, guess in guesses.items() if word == f"~{guess}"]
    assert len(right) >= 8


def test_a_list_and_the_pattern_of_shared_parts_tell_names_apart():
    # As a graph of parts, the smallest tree that looks the same in one way only.
    names = ["Ann Ash", "Ann Birch", "Cleo Birch", "Ann Cedar", "Dora Cedar", "Dora Elm"]
    for parts, least in ((PartWords.ALL, 6), (PartWords.NONE, 0)):
        theirs, own = ObservedIndex("siv", parts), ObservedIndex("siv", parts)
        guesses = by_structure(
            {theirs.value(n): 0 for n in names}, {n: (own.value(n), 0) for n in names}, 0
        )
        assert sum(guesses[theirs.value(n).ciphertext] == n for n in names) >= least
        assert sorted(guesses.values()) == sorted(names)


@pytest.mark.parametrize("cipher", CIPHERS)
def test_sights_under_two_keys_differ_but_for_their_pattern(cipher):
    one, two = ObservedIndex(cipher, PartWords.ALL), ObservedIndex(cipher, PartWords.ALL)
    names = ["Ann Ash", "Ann Birch", "Wilhelmina Featherstonehaugh"]
    for a, b in itertools.combinations(names, 2):
        assert len(one.value(a).marks & one.value(b).marks) == len(
            two.value(a).marks & two.value(b).marks
        )
    assert one.value("Ann Ash").ciphertext != two.value("Ann Ash").ciphertext
    assert [one.value(n).shape for n in names] == [two.value(n).shape for n in names]
    assert set(one.truth.values()) == {p for n in names for p in parts_of(n)}


def test_equal_blocks_show_under_ecb_alone():
    long = ["Maria Magdalena Keller", "Maria Magdalena Kellner"]
    for cipher in CIPHERS:
        seen = [ObservedIndex(cipher, PartWords.NONE)] * 2
        shared = seen[0].value(long[0]).blocks & seen[1].value(long[1]).blocks
        assert bool(shared) is (cipher == "ecb")


def test_an_attack_reports_every_cipher_choice_and_attacker():
    names = [list(patient.names) for patient in patients(30, 0)]
    found = attack("invented", names, {"elsewhere": elsewhere(names)})
    assert {(r.cipher, r.part_words) for r in found[1:]} == set(
        itertools.product(CIPHERS, PartWords)
    )
    distinct = len({name for record in names for name in record})
    assert {r.values.trials for r in found} == {distinct}
    assert {r.occurrences.trials for r in found} == {60}
    by_frequency = [r for r in found if r.attacker == "elsewhere"]
    assert all((r.parts is None) == (r.part_words is PartWords.NONE) for r in by_frequency)


@pytest.mark.slow
def test_census_weights_are_shares_of_parts():
    known = census(alone=0.5)
    assert sum(known.given.values()) == pytest.approx(1)
    assert sum(known.family.values()) == pytest.approx(1)
    assert known.names["Michael"] > known.names["Michael Smith"]


def test_people_are_those_recognised_once_per_text():
    recognizer = TableRecognizer({"Ann Ash": EntityType.PERSON, "Ulm": EntityType.LOCATION})
    assert people_in(["Ann Ash met Ann Ash in Ulm", "Ulm"], recognizer) == [["Ann Ash"]]


def test_questions_name_the_person_in_every_form_and_all_records_of_that_person():
    entity = {"text": "Maria Keller", "type": "PERSON"}
    gold = [{"id": "a", "entities": [entity]}, {"id": "b", "entities": [entity]}]
    asked = [one for one in questions_about_examples(gold) if one.records == {"a", "b"}]
    assert {"Keller" in one.question or "Maria" in one.question for one in asked} == {True}
    assert "What was Ms Keller told?" in [one.question for one in asked]
    patient = patients(1, 0)[0]
    [full, *_] = questions_about_patients([patient])
    assert " ".join(patient.name) in full.question
    assert full.records == {"case-0"}


def test_the_report_names_shares_and_no_person():
    share = Proportion.of(1, 4)
    recovery = RecoveryScore(
        corpus="mails",
        cipher="siv",
        part_words=PartWords.ALL,
        attacker="census",
        values=share,
        occurrences=share,
        parts=None,
    )
    found = SearchScore(
        corpus="x", asked="full name", words=Words.ALL, first=share, among_five=share
    )
    shown = "\n\n".join(blocks([recovery], [found]))
    assert "| census | siv | all | 1 of 4" in shown
    assert "| full name | and of all parts | 1 of 4" in shown


def test_part_words_find_records_by_family_name(tmp_path):
    invented = patients(8, 0)
    names = {" ".join(patient.name): EntityType.PERSON for patient in invented}
    names |= {patient.name[1]: EntityType.PERSON for patient in invented}
    home = StudyHome(tmp_path, TableRecognizer(names), HashEmbedder())
    path = tmp_path / "records.jsonl"
    rows = [{"id": f"case-{i}", "text": patient.text} for i, patient in enumerate(invented)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    corpus = Corpus("invented", path, ("text",), tuple(read_corpus(path, ("text",))), probes=())
    asked = questions_about_patients(invented)
    scores = {(s.asked, s.words): s for s in measure(home, corpus, "encrypted", asked)}
    assert len(scores) == 4 * len(Words)
    assert {s.first.trials for s in scores.values()} == {8}
    by_family = [scores["title and family name", words].first.successes for words in Words]
    assert by_family[list(Words).index(Words.FAMILY)] > by_family[0]
