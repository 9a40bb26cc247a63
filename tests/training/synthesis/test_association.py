"""Association by rules, against values computed by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.training.synthesis.association import (
    RuleAssociation,
    association_matrix,
    context_vectors,
    dependence,
    information,
    similarity,
    terms,
    tf_idf,
)
from sage_rag.training.synthesis.entities import Entity, EntityDocument
from sage_rag.training.synthesis.graph import THRESHOLD

ANN, BOB, CITY = "[PERSON_1]", "[PERSON_2]", "[LOCATION_1]"


def document(text: str) -> EntityDocument:
    """Return a document whose entities are the placeholders of a text."""
    types = {ANN: EntityType.PERSON, BOB: EntityType.PERSON, CITY: EntityType.LOCATION}
    entities = {n: Entity(t, f"value of {n}", True) for n, t in types.items() if n in text}
    return EntityDocument("doc", text, entities)


def mentions(*rows: str) -> np.ndarray:
    """Return an incidence matrix: a row of `x` and `.` for each entity."""
    return np.array([[float(c == "x") for c in row] for row in rows])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("xx.", "x.."), 1.0),  # of (1 + 0.5) / 2 and 1 / 1 the larger
        (("xx.", "..x"), 0.5),  # of (0 + 0.5) / 2 and 0.5 / 1
        (("x..", "..x"), 0.0),
        (("xx..", "xxxx"), 1.0),
        (("x..x", ".x.."), 0.5),  # of (0.5 + 0) / 2 and 0.5 / 1
    ],
)
def test_dependence(rows: tuple[str, str], expected: float) -> None:
    assert dependence(mentions(*rows))[0, 1] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("x...", "x..."), 1.0),  # ln((1/3) / (1/9)) / ln 3
        (("x...", "x..x"), math.log(1.5) / math.log(3)),  # ln((1/3) / (1/3 · 2/3)) / ln 3
        (("x...", "...x"), 0.0),
        (("xxxx", "x..."), 0.0),  # one is everywhere: its mention says nothing of the other
        (("xx", "x."), 1.0),  # one window with both: the limit
        (("x", "x"), 1.0),
    ],
)
def test_information(rows: tuple[str, str], expected: float) -> None:
    assert information(mentions(*rows))[0, 1] == pytest.approx(expected)


def test_similarity_is_the_cosine_of_tf_idf() -> None:
    text = f"{ANN} sold bread. {BOB} sold milk. {CITY} slept."
    found = context_vectors(document(text), tf_idf)
    sold, other = 1 + math.log(4 / 3), 1 + math.log(4 / 2)
    expected = sold**2 / (sold**2 + other**2)
    assert similarity(found)[0, 1] == pytest.approx(expected)
    assert similarity(found)[0, 2] == 0


def test_two_entities_that_are_only_mentioned_together_have_score_1() -> None:
    scores = RuleAssociation().scores(document(f"{ANN} met {BOB}. It rained. It snowed."))
    assert scores == {(ANN, BOB): pytest.approx(1)}


def test_a_score_is_the_weighted_sum_of_its_parts() -> None:
    # B only with A, which has a sentence more; in 3 sentences both are in every window.
    text = f"{ANN} met {BOB}. {ANN} slept. {CITY} burnt."
    met, slept = 1 + math.log(4 / 2), 1 + math.log(4 / 2)
    cosine = met / math.hypot(met, slept)
    scores = RuleAssociation().scores(document(text))
    assert scores[ANN, BOB] == pytest.approx(0.6 * 1 + 0.2 * 0 + 0.2 * cosine)
    assert scores[ANN, CITY] == pytest.approx(0.6 * 0.5)
    indirect = 0.75 * math.sqrt(scores[ANN, BOB] * scores[ANN, CITY])
    assert scores[BOB, CITY] == pytest.approx(indirect, abs=1e-6)


@given(
    st.integers(1, 7).flatmap(
        lambda size: st.lists(
            st.lists(st.booleans(), min_size=size, max_size=size).filter(any), min_size=1
        )
    )
)
def test_scores_are_symmetric_and_in_the_unit_interval(rows: list[list[bool]]) -> None:
    incidence = np.array(rows, dtype=float)
    found = association_matrix(incidence, incidence)
    assert np.all((found >= 0) & (found <= 1))
    assert np.allclose(found, found.T)
    assert not np.diag(found).any()


FORMS = {
    CITY: ["{p} was born in {v}.", "The birth place of {p} is {v}.", "She grew up in {v}."],
    "[ORGANIZATION_1]": ["{p} works for {v}.", "{v} hired {p}.", "She is employed by {v}."],
    "[MISC_1]": ["{p} went to {v}.", "The school of {p} was {v}.", "She studied at {v}."],
}


def two_persons(draw: Random) -> EntityDocument:
    """Return a document on two persons in turns: a sentence with a name, then one without."""
    pairs = []
    for number in "12":
        for value, forms in FORMS.items():
            chosen = (draw.choice(forms[:2]), forms[2])
            of = {"p": f"[PERSON_{number}]", "v": value.replace("1", number)}
            pairs.append(" ".join(form.format(**of) for form in chosen))
    draw.shuffle(pairs)
    text = " ".join(pairs)
    names = dict.fromkeys(re.findall(r"\[\w+_\d\]", text))
    return EntityDocument("d", text, {n: Entity(EntityType(n[1:-3]), n, True) for n in names})


def test_the_threshold_keeps_what_belongs_to_a_person_and_drops_what_does_not() -> None:
    draw = Random(0)  # noqa: S311 - not a secret
    own, other = [], []
    for _ in range(20):
        found = two_persons(draw)
        scores = RuleAssociation().scores(found)
        for value in found.mentions:
            if "PERSON" not in value:
                for person in (ANN, BOB):
                    score = max(scores.get((person, value), 0), scores.get((value, person), 0))
                    (own if person[-2] == value[-2] else other).append(score >= THRESHOLD)
    assert len(own) == len(other) == 120
    assert sum(own) >= 114
    assert sum(other) <= 6


def test_other_vectors_of_sentences_change_the_context_alone() -> None:
    def same(sentences: Sequence[str]) -> np.ndarray:
        return np.ones((len(sentences), 3))

    text = f"{ANN} met {BOB}. {ANN} slept. {CITY} burnt."
    words, other = RuleAssociation(), RuleAssociation(same, "same")
    assert words.fingerprint != other.fingerprint
    assert other.scores(document(text))[ANN, BOB] == pytest.approx(0.6 + 0.2)


def test_chinese_words_are_pairs_of_characters() -> None:
    assert list(terms("被告 paid 10 元")) == ["paid", "被告", "元"]
