"""What a policy replaces, counted by entity."""

import re
from pathlib import Path

from sage_rag.eval.studies.policies import RememberedSpans, changed, replaced
from sage_rag.privacy.ciphers.siv import SivCipher
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.keyset.keyset import Keyset
from sage_rag.privacy.policy import preset, preset_names
from sage_rag.privacy.protect import Protector
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue
from sage_rag.privacy.testing import TableRecognizer

TEXT = "Ada Novak, a nurse, sued in 1999. Novak was a nurse."
CIPHER = SivCipher(Keyset.generate(), "clinic")


def gold(*values: tuple[str, int, str, str, str]) -> GoldText:
    found = []
    for value, nth, label, risk, entity in values:
        start = -1
        for _ in range(nth):
            start = TEXT.index(value, start + 1)
        found.append(GoldValue(start, start + len(value), label, frozenset(), risk, entity))
    return GoldText(TEXT, tuple(found))


GOLD = gold(
    ("Ada Novak", 1, "PERSON", "DIRECT", "p1"),
    ("Novak", 2, "PERSON", "QUASI", "p1"),
    ("nurse", 1, "DEM", "QUASI", "d1"),
    ("nurse", 2, "DEM", "QUASI", "d1"),
    ("1999", 1, "DATETIME", "QUASI", "t1"),
    ("sued", 1, "MISC", "NO_MASK", "m1"),
)


def protector(name: str) -> Protector:
    table = {"Ada Novak": T.PERSON, "nurse": T.DEMOGRAPHIC, "1999": T.DATE_TIME}
    return Protector(TableRecognizer(table), preset(name), CIPHER)


def counts(name: str) -> dict[str, str]:
    shares = replaced([GOLD], protector(name))
    return {key: f"{share.successes}/{share.trials}" for key, share in shares.items()}


def test_an_entity_has_the_highest_risk_of_its_mentions_and_needs_all_of_them():
    assert counts("soe-all") == {
        "DIRECT": "1/1", "QUASI": "2/2", "PERSON": "1/1", "DEM": "1/1", "DATETIME": "1/1"
    }  # fmt: skip


def test_a_kept_job_and_a_year_that_stays_are_not_replaced():
    assert counts("hipaa-safe-harbor") | {"DIRECT": "1/1"} == {
        "DIRECT": "1/1", "QUASI": "0/2", "PERSON": "1/1", "DEM": "0/1", "DATETIME": "0/1"
    }  # fmt: skip


def test_a_court_encrypts_jobs_and_a_hospital_too():
    assert counts("court")["DEM"] == counts("hospital")["DEM"] == "1/1"
    assert counts("sage")["DEM"] == "0/1"


def test_changed_letters_are_those_of_replaced_values():
    share = changed([TEXT], protector("redact-all"))
    assert share.successes == len("AdaNovaknurse1999Novaknurse")
    assert share.trials == sum(map(str.isalnum, TEXT))


def test_a_text_is_recognised_once():
    read: list[str] = []

    class Counting(TableRecognizer):
        def recognize(self, text):
            read.append(text)
            return super().recognize(text)

    recognizer = RememberedSpans(Counting({"Ada Novak": T.PERSON}))
    assert recognizer.recognize(TEXT) == recognizer.recognize(TEXT)
    assert read == [TEXT]


def test_the_guide_states_the_figures_of_the_results():
    docs = Path(__file__).parents[3] / "docs"
    results = (docs / "results" / "policies.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `[\w-]+` \|(?: \d+ of \d+ \|)+$", (docs / "privacy.md").read_text(), re.M
    )
    assert len(rows) == 2 * len(preset_names())
    assert [row for row in rows if row not in results] == []
