"""Ordinary words that the tagger takes for names are left alone; words that are names stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.tagging.ordinary_words import without_ordinary_words
from sage_rag.privacy.recognizers.tagging.tagger import TaggerRecognizer
from sage_rag.privacy.spans import Span

PERSON, LOCATION = EntityType.PERSON, EntityType.LOCATION
ORGANIZATION, DATE_TIME = EntityType.ORGANIZATION, EntityType.DATE_TIME
GOLD = Path(__file__).parents[4] / "eval" / "gold"


def is_left(marked: str, entity_type: EntityType, score: float) -> bool:
    """Return whether the value between guillemets is no name."""
    text = marked.replace("«", "").replace("»", "")
    span = Span(marked.index("«"), marked.index("»") - 1, entity_type, score)
    return not without_ordinary_words(text, [span])


@pytest.mark.parametrize(
    ("marked", "entity_type", "score"),
    [
        ("Do not go near it. The «sow» comes back.", PERSON, 0.6),
        ("Ms Oyelaran: the «mare» was thin.", PERSON, 0.5),
        ("It came for each «carpenter» of Hill Road.", PERSON, 0.2),
        ("On 3 May the «tax office» agreed.", ORGANIZATION, 0.6),
        ("Ilse signs a «works council» paper.", ORGANIZATION, 0.8),
        ("Ask at our «scout hut», Ms Sato.", LOCATION, 0.7),
        ("Seen on the same day, by «tram», with his sister.", PERSON, 0.34),
        ("Site diary, «block C», day 47", PERSON, 0.37),
        ("Please note: «silo 6» is blocked.", PERSON, 0.3),
        ("Fault at 9. «Lift A» stopped.", PERSON, 0.1),
        ("«Sample C», changed bank. Sample D is the same.", PERSON, 0.12),
        ("«Almond Croissant». Almond croissants sell well.", PERSON, 0.13),
        ("A. Held here\n«B.» Destroyed", PERSON, 0.36),
        ("B. Shoes\n\n«C. Supply» planned", PERSON, 0.05),
        ("«Silo» is shut. Nobody opens the silo.", PERSON, 0.13),
        ("What helps?\n\n«AI»:", PERSON, 0.95),
        ("What helps?\n**«Bot»:**\n", PERSON, 0.95),
        ("Human: What helps?\n«Chatbot»: Rest.\nHuman: And then?\nChatbot:", PERSON, 0.95),
    ],
)
def test_an_ordinary_word_is_no_name(marked: str, entity_type: EntityType, score: float) -> None:
    assert is_left(marked, entity_type, score)


@pytest.mark.parametrize(
    ("marked", "entity_type", "score"),
    [
        ("On Monday I asked for the «baker».", PERSON, 0.95),  # the network is sure
        ("«AI»: I slept badly.\nKM: Since when?", PERSON, 0.95),  # initials
        ("User: Who is ill? AI: «AI» is.", PERSON, 0.95),
        ("What helps?\n«Ada»:", PERSON, 0.95),
        ("Hello. My «rose» told me about the rash.", PERSON, 0.2),
        ("Yesterday «grace» called, Dr Okafor.", PERSON, 0.2),
        ("hi doc, the «rose» i told you about fell", PERSON, 0.2),  # a text without capitals
        ("Doctor, i think the «hill» is what i told", PERSON, 0.2),
        ("Ask «Will» whether the will is signed.", PERSON, 0.1),
        ("«Grace» is late. A grace period ends.", PERSON, 0.1),
        ("«Baker» left. He will baker no more.", PERSON, 0.1),
        ("«Baker» called. The baker is ill.", PERSON, 0.5),
        ("«Nurse» Okafor and a nurse.", PERSON, 0.1),  # a title
        ("Hunt B, «Baker A», Sato C.", PERSON, 0.3),
        ("Signed: «Grace A» and grace.", PERSON, 0.3),
        ("Seen by «parlour», Piers Morgan's friend.", PERSON, 0.6),
        ("RT Piers «parlour» or Neville!", PERSON, 0.15),  # after a name
        ("Ask «A»: it is a mistake.", PERSON, 0.1),  # an initial
        ("Seen by «vineyard» on Friday, Ms Sato.", LOCATION, 0.2),
        ("Sad: a «Dzeko penalty» miss", PERSON, 0.2),
        ("A. Held here. «B.» is a witness.", PERSON, 0.3),
        ("Applicant\n«B.» Held here\nD. Destroyed", PERSON, 0.3),
        ("A.: Where?\n«B.»: Here.\nA.: When?", PERSON, 0.3),
        ("A. Cole\n«B. Baker» signed", PERSON, 0.3),
        ("A. Held here\n«B.» R. Sato", PERSON, 0.3),
        ("She moved to «reading» in May.", LOCATION, 0.3),
        ("She lives at «Flat 6», Hill Road.", LOCATION, 0.3),
        ("We met on «Lime Walk». A lime walk is long.", LOCATION, 0.2),
        ("We met on the «fifth», in May.", DATE_TIME, 0.2),
    ],
)
def test_a_word_that_can_be_a_name_stays(
    marked: str, entity_type: EntityType, score: float
) -> None:
    assert not is_left(marked, entity_type, score)


def test_a_word_of_a_longer_value_stays() -> None:
    text = "Flown by carriers between Asia & northern Europe."
    start = text.index("northern")
    spans = [Span(start, start + 8, LOCATION, 0.4), Span(start + 9, start + 15, LOCATION, 0.9)]
    assert without_ordinary_words(text, spans) == spans


@pytest.mark.parametrize(
    ("file", "record", "thing"),
    [("lifts", "lifts-07", "Lift A"), ("bakery", "bakery-08", "Almond Croissant")],
)
def test_a_thing_of_a_record_is_no_person(file: str, record: str, thing: str) -> None:
    lines = (GOLD / f"{file}.jsonl").read_text("utf-8").splitlines()
    [text] = [row["text"] for row in map(json.loads, lines) if row["id"] == record]
    spans = TaggerRecognizer().recognize(text)
    people = {text[s.start : s.end] for s in spans if s.entity_type is PERSON}
    assert thing in text
    assert thing not in people


def test_a_thing_is_looked_for_only_near_its_name() -> None:
    far = "Silo, today. " + "Nothing else. " * 200 + "The silo is shut."
    assert without_ordinary_words(far, [Span(0, 4, PERSON, 0.1)])


@given(st.text("Aa .i\n@é-", max_size=40), st.integers(0, 39), st.integers(1, 40))
def test_any_text_is_read_and_no_span_changes(text: str, start: int, length: int) -> None:
    if start < len(text):
        spans = [Span(start, min(len(text), start + length), PERSON, 0.1)]
        assert without_ordinary_words(text, spans) in ([], spans)
