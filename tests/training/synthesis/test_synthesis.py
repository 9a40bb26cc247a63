"""From documents to samples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.common.exceptions import InputError, ProtectionError
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.restore import Restorer
from sage_rag.privacy.testing import FailingRecognizer
from sage_rag.privacy.tokens import TOKEN
from sage_rag.training.synthesis.recipes import Recipe
from sage_rag.training.synthesis.samples import Kind, Sample, SourceDocument
from sage_rag.training.synthesis.synthesis import synthesize
from tests.training.synthesis.texts import CHINESE, TEXT, VALUES, documents, recognizer

CIPHER = SivCipher(Keyset.generate(), "invented")


def made(**options: object) -> list[Sample]:
    chosen = {"cipher": CIPHER, "recognizer": recognizer(), "tokens_per_document": 4_000}
    return list(synthesize(**{"documents": documents(), **chosen, **options}))  # type: ignore[arg-type]


def test_no_sample_contains_a_value_when_entities_are_encrypted_before() -> None:
    samples = made()
    assert len(samples) > 20
    assert {sample.kind for sample in samples} == set(Kind)
    for sample in samples:
        shown = sample.text + " ".join(sample.members)
        assert not any(value in shown for value in VALUES)
        assert TOKEN.search(sample.text)
        assert all(TOKEN.fullmatch(member) for member in sample.members)


def test_plain_samples_are_the_encrypted_ones_with_their_values() -> None:
    size = {"samples_per_document": 30, "tokens_per_document": 100_000}
    encrypted, plain = made(**size), made(cipher=None, **size)
    restorer = Restorer(CIPHER)
    assert [restorer.restore(sample.text) for sample in encrypted] == [s.text for s in plain]


def test_under_policy_pl_only_names_and_places_are_tokens() -> None:
    texts = " ".join(sample.text for sample in made(policy="soe-pl"))
    for value, entity_type in VALUES.items():
        hidden = entity_type in (EntityType.PERSON, EntityType.LOCATION)
        assert (value in texts) is not hidden
    members = {m for sample in made(policy="soe-pl") for m in sample.members}
    assert "Tarnhold Foundry" in members


def test_what_the_policy_hides_stays_hidden_where_it_is_also_found_as_a_kept_type() -> None:
    class Doubtful:
        fingerprint = "doubtful"

        def recognize(self, text):  # type: ignore[no-untyped-def]
            found = recognizer().recognize(text)
            kept = [type(s)(s.start, s.end + 2, EntityType.MISC, 1.0) for s in found]
            return [*found, *(span for span in kept if span.end <= len(text))]

    texts = " ".join(sample.text for sample in made(policy="soe-pl", recognizer=Doubtful()))
    assert "Zora Quillfeather" not in texts
    assert "Port Dunmarrow" not in texts


def test_encrypting_afterwards_hides_what_the_recognizer_finds() -> None:
    samples = made(when="after")
    assert not any(value in sample.text for sample in samples for value in VALUES)
    assert all(TOKEN.fullmatch(member) for sample in samples for member in sample.members)


@settings(max_examples=20)
@given(st.sampled_from(Recipe), st.integers(2, 10), st.integers(1, 2_000), st.integers(0, 99))
def test_the_budget_is_kept_and_the_seed_decides(
    recipe: Recipe, k: int, tokens: int, seed: int
) -> None:
    options = {"recipe": recipe, "k": k, "tokens_per_document": tokens, "seed": seed}
    samples = made(cipher=None, **options)
    assert sum(sample.tokens for sample in samples) <= tokens
    assert len({sample.text for sample in samples}) == len(samples)
    assert all(1 <= len(sample.members) <= k for sample in samples)
    assert samples == made(cipher=None, **options)


def test_a_document_is_exhausted_before_a_large_budget_is_spent() -> None:
    samples = made(documents=[SourceDocument("1", TEXT[:60])], tokens_per_document=10**7, k=2)
    assert 40 < len(samples) < 1_000


def test_other_seeds_and_recipes_give_other_texts() -> None:
    first = {sample.text for sample in made(samples_per_document=10)}
    assert first != {sample.text for sample in made(samples_per_document=10, seed=1)}
    assert first != {sample.text for sample in made(samples_per_document=10, recipe="entigraph")}


def test_chinese_documents_get_chinese_templates() -> None:
    samples = made(documents=[SourceDocument("zh", CHINESE)])
    assert samples
    assert all(":zh/" in sample.writer for sample in samples)


def test_a_document_without_entities_gives_no_sample() -> None:
    assert made(documents=[SourceDocument("1", "It rained all day and the road was closed.")]) == []


def test_it_fails_closed() -> None:
    with pytest.raises(ProtectionError) as caught:
        made(recognizer=FailingRecognizer())
    assert "Zora" not in str(caught.value)


def test_a_language_that_is_not_covered_is_refused() -> None:
    german = "Der Zeuge hat gestern vor dem Gericht ausgesagt, dass er nichts davon gewusst habe."
    with pytest.raises(ProtectionError, match="`doc`, `de`"):
        made(documents=[SourceDocument("doc", german)])


@pytest.mark.parametrize(
    "options",
    [{"k": 1}, {"recipe": "other"}, {"kinds": ()}, {"when": "never"}, {"policy": "hospital"}],
)
def test_unusable_arguments_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        made(**options)


def test_repr_hides_texts() -> None:
    assert "Zora" not in repr(made(cipher=None)) + repr(documents())
