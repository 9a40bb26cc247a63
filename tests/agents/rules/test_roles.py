"""The rule agents together, as `synthesize` runs them."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.agents.lexicon import content_stems
from sage_rag.agents.rules.dependence import restricts
from sage_rag.agents.rules.roles import rules_roles
from sage_rag.agents.rules.sentences import separate
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.testing import TableRecognizer
from tests.agents.rules.conftest import NAMES

EXAMPLES = Path(__file__).parents[3] / "examples" / "clinic.jsonl"

DIALOGUE = {
    "question": (
        "Hello doctor, my name is Ines Varga and i live in Norrvik. For the last two weeks I have "
        "had a burning pain under my left ribs that gets worse after coffee and at night.It wakes "
        "me up and i cant sleep. I took an antacid tablet 3 times a day but it only helps for an "
        "hour. My husband Tobias says it is just stress. Should I be worried? Thanks in advance"
    ),
    "answer": (
        "Hello and welcome. I understand your concern. This may be due to gastritis, which is "
        "common with a lot of coffee. I would suggest you to take pantoprazole 40 mg before "
        "breakfast for 14 days and avoid coffee and spicy food. If you vomit blood or your stools "
        "turn black, you should go to the emergency room immediately. You need to get an "
        "endoscopy done if there is no relief. Ask for Dr. Hallberg. Hope I have answered your "
        "query. Take care."
    ),
}
SHORT = {
    "question": (
        "my cat left. i have had itchy red spots on both arms for 2 weeks, what could this be?"
    ),
    "answer": (
        "Hi. It could be scabies or an allergy. Wash the sheets. I would advise you to see a "
        "dermatologist because of the long time."
    ),
}
TEXT = {
    "text": (
        "Norrvik has an old mill. Tourists pay five crowns at the gate. The mill was shut for two "
        "years because of the damp. Two bakers buy flour on Mondays. During the war a cellar was a "
        "school. Old men play cards on Sundays. Children swim in summer. Tobias keeps "
        "bees. Stones came by boat from distant northern valleys that carry thin green moss."
    )
}
FIRM = {
    "text": (
        "The mill at Norrvik served the farms along the upper river with flour from rye and "
        "barley. Wide flat stones from distant northern valleys lined the floor of its lower "
        "storage cellar."
    )
}


KEYSET = Keyset.generate()


def written(record):
    """What the extractor and the generator make of a record, before any gate."""
    protector = Protector(TableRecognizer(NAMES), preset("sage"), SivCipher(KEYSET, "test"))
    protected = protector.protect(record).protected
    roles = rules_roles()

    async def draft():
        attributes = await roles.identifier.identify([protected])
        return await roles.generator.generate(
            await roles.extractor.extract(protected, attributes), attributes
        )

    return asyncio.run(draft())


@pytest.mark.parametrize("record", [DIALOGUE, TEXT], ids=["dialogue", "text"])
def test_a_record_becomes_a_safe_draft_of_the_same_form(run, record):
    outcome = run(record)
    assert outcome.safe, outcome.reasons
    assert list(outcome.draft.fields) == list(record)
    assert all(outcome.draft.fields.values())
    assert outcome.verdict.longest_run < 10
    assert outcome.verdict.rouge_l <= 0.5


def test_a_record_that_cannot_be_reworded_is_refused(run):
    outcome = run(FIRM)
    assert not outcome.safe
    assert "empty" in outcome.reasons


def test_a_record_of_few_sentences_is_too_like_them_to_be_published(run):
    outcome = run(SHORT)
    assert not outcome.safe
    assert "similarity" in outcome.reasons


def test_a_warning_goes_last_and_whole():
    answer = written(DIALOGUE).fields["answer"]
    assert "If you vomit blood or your stools turn black," in answer
    assert "go to the emergency room" in answer
    assert "welcome" not in answer


def test_the_question_stays():
    assert "Should I be worried?" in written(DIALOGUE).fields["question"]


def test_no_number_is_made_up(run):
    told = set(re.findall(r"\d+", run(DIALOGUE).draft.text))
    assert told <= set(re.findall(r"\d+", "1 2 3 40 14 two"))  # placeholders count as 1 to 3


def test_the_same_record_gives_the_same_draft(run):
    assert run(DIALOGUE) == run(DIALOGUE)


def test_a_record_that_says_nothing_is_not_published(run):
    assert not run({"question": "Hello.", "answer": "Thanks, take care."}).safe


def test_the_fingerprint_says_whose_rules_they_are():
    assert rules_roles().fingerprint.startswith("rules/")


def test_a_part_of_the_example_clinic_is_published(run):
    records = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()][::6]
    outcomes = [run({"question": r["question"], "answer": r["answer"]}) for r in records]
    assert sum(outcome.safe for outcome in outcomes) > len(outcomes) / 6
    assert all(outcome.verdict.longest_run < 10 for outcome in outcomes if outcome.safe)


SENTENCES = [
    "Take the 40 mg tablet twice a day.",
    "Do not take the syrup with milk or tea because of the iron in it.",
    "If the wound bleeds or swells, you should go to the emergency room immediately.",
    "However, never stop the drops without a word to the nurse.",
    "My left knee hurts when I climb the stairs at work for a few minutes.",
    "It is not gout unless the toe is red.",
    "They did not start the course until the swab had come back.",
    "My aunt has diabetes and takes two tablets every morning before breakfast.",
    "Otherwise, rest the right arm for three weeks.",
    "Is it safe to swim in the sea with this?",
    "The old mill near the river sells good rye flour.",
]
GOVERNING = re.compile(
    r"(?:do not|don't|never|not|n't|unless|until|till|if|twice|two|2|three|3|left|right(?! away)|40 mg|without)"
    r"(?![a-z])",
    re.IGNORECASE,
)


@given(st.lists(st.sampled_from(SENTENCES), unique=True, min_size=1, max_size=8))
def test_a_draft_has_whole_sentences_of_its_record_but_for_edits(sentences):
    draft = written({"text": " ".join(sentences)}).fields["text"]
    sources = [(set(content_stems(s)), s) for s in sentences]
    for sentence in separate(draft):
        stems = set(content_stems(sentence)) - set(content_stems("I would like to know whether"))
        own, source = max(sources, key=lambda pair: len(stems & pair[0]))
        assert len(stems ^ own) <= 4, (sentence, source)
        counts = len(GOVERNING.findall(sentence)), len(GOVERNING.findall(source))
        assert counts[0] == counts[1], (sentence, source)
        if restricts(sentence) and sentences.index(source):
            before = set(content_stems(sentences[sentences.index(source) - 1]))
            assert len(before & set(content_stems(draft))) > len(before) / 2


def test_the_extractor_waits_for_nothing(protect, attributes):
    coroutine = rules_roles().extractor.extract(protect(DIALOGUE).protected, attributes)
    with pytest.raises(StopIteration):
        coroutine.send(None)
