import random
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.rag_server.answering.aliases import Aliases

WORDS = ["PERSON_[aaa]", "PERSON_[bbb]", "LOCATION_[ccc]", "[PERSON_1]", "[PERSON_2]", "rest", " "]
TOKENS = [f"PERSON_[p{n}]" for n in range(1, 13)] + [
    "EMAIL_ADDRESS_[e1]",
    "LOCATION_[l1]",
    "ORGANIZATION_[o1]",
    "ID_[i1]",
    "AGE_[a1]",
    "URL_[u1]",
    "SOURCE_[s1]",
]
SPELLINGS = {
    "as it is": lambda kind, n: f"[{kind}_{n}]",
    "in lower case": lambda kind, n: f"[{kind.lower()}_{n}]",
    "in title case": lambda kind, n: f"[{kind.title()}_{n}]",
    "without brackets": lambda kind, n: f"{kind}_{n}",
    "a gap before the number": lambda kind, n: f"[{kind} _{n}]",
    "a gap for the underscore": lambda kind, n: f"[{kind} {n}]",
    "gaps inside the brackets": lambda kind, n: f"[ {kind}_{n} ]",
    "a hyphen": lambda kind, n: f"[{kind}-{n}]",
    "no separator": lambda kind, n: f"[{kind}{n}]",
    "escaped for Markdown": lambda kind, n: f"\\[{kind}\\_{n}\\]",
    "in bold type": lambda kind, n: f"**[{kind}_{n}]**",
    "in braces": lambda kind, n: f"{{{kind}_{n}}}",
    "in angle brackets": lambda kind, n: f"<{kind}_{n}>",
    "in full-width brackets": lambda kind, n: f"【{kind}_{n}】",
    "as a possessive": lambda kind, n: f"[{kind}_{n}]'s",
    "a hyphen that does not break": lambda kind, n: f"[{kind}\u2011{n}]",
    "a dash": lambda kind, n: f"[{kind}\u2013{n}]",
    "a colon": lambda kind, n: f"[{kind}:{n}]",
    "a full-width underscore": lambda kind, n: f"[{kind}\uff3f{n}]",
    "as emphasis": lambda kind, n: f"_{kind}_{n}_",
    "as strong emphasis": lambda kind, n: f"__{kind}_{n}__",
    "no underscore in the type": lambda kind, n: f"[{kind.replace('_', '')}_{n}]",
}


def known() -> Aliases:
    aliases = Aliases()
    aliases.hide(" ".join(TOKENS))
    return aliases


def expanded(written: str, aliases: Aliases | None = None, *, withhold: bool = False) -> str:
    expander = (aliases or known()).expander(withhold=withhold)
    return expander.feed(written) + expander.flush()


def test_equal_tokens_share_an_alias_across_texts():
    aliases = Aliases()
    assert aliases.hide("is PERSON_[aaa] in LOCATION_[x]?") == "is [PERSON_1] in [LOCATION_1]?"
    assert aliases.hide("PERSON_[bbb] met PERSON_[aaa]") == "[PERSON_2] met [PERSON_1]"


def test_aliases_are_expanded_wherever_the_stream_is_cut():
    written = "[1] [PERSON_1][EMAIL_ADDRESS_1], [person _12] and PERSON_2 \\[PERSON\\_3\\] [PERS"
    whole = expanded(written)
    assert "PERSON_[p1]EMAIL_ADDRESS_[e1], PERSON_[p12] and PERSON_[p2] PERSON_[p3]" in whole
    for cut in range(len(written) + 1):
        expander = known().expander()
        read = expander.feed(written[:cut]) + expander.feed(written[cut:]) + expander.flush()
        assert read == whole


def test_999_of_1000_aliases_of_a_careless_model_are_restored_exactly():
    chance = random.Random(7)  # noqa: S311 - a sample, no secret
    restored = 0
    trials = 3000
    for _ in range(trials):
        n = chance.randrange(1, 13)
        spelling = chance.choice(list(SPELLINGS.values()))
        before, after = chance.choice([("see ", " today"), ("(", ")"), ("", "."), ("Ask ", ", or")])
        written = before + spelling("PERSON", n) + after
        pieces = [written[i : i + 3] for i in range(0, len(written), 3)]
        expander = known().expander()
        read = "".join(map(expander.feed, pieces)) + expander.flush()
        rest = (spelling("PERSON", n).replace("[", "").endswith("'s") and "'s") or ""
        wanted = f"{before}PERSON_[p{n}]{rest}{after}"
        restored += re.sub(r"\*\*|\b__?(?=PERSON_\[)|(?<=\])__?", "", read) == wanted
    assert restored >= 0.999 * trials


@pytest.mark.parametrize("name", SPELLINGS)
def test_each_spelling_of_a_type_of_two_words_is_restored(name):
    assert "EMAIL_ADDRESS_[e1]" in expanded(SPELLINGS[name]("EMAIL_ADDRESS", 1))


@pytest.mark.parametrize(
    "written",
    [
        *(
            "[PERSONNE_2]",
            "[PERSN_2]",
            "[PERSONS_2]",
            "[Personne_2]",
            "[personne_2]",
            "[Persona_2]",
        ),
        *("[Osoba_2]", "[OSOBA_2]", "[Персона_2]", "[ПЕРСОНА_2]", "[Pessoa_2]", "[Personen_2]"),
    ],
)
def test_a_type_that_is_nearly_right_or_translated_is_restored(written):
    assert expanded(f"see {written} now") == "see PERSON_[p2] now"


def test_places_and_organisations_are_restored_in_other_languages_too():
    assert expanded("[Ort_1] [lieu_1] [LUGAR_1] [Organisation_1] [organizacja_1]") == (
        "LOCATION_[l1] LOCATION_[l1] LOCATION_[l1] ORGANIZATION_[o1] ORGANIZATION_[o1]"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("PERSON 2 met PERSON2.", "PERSON_[p2] met PERSON_[p2]."),
        ("the PERSON_2s and [PERSON_2s]", "the PERSON_[p2]s and PERSON_[p2]s"),
        ("person_2 and person_2's dog", "PERSON_[p2] and PERSON_[p2]'s dog"),
        ('{"who": "PERSON_2", "id": ID_1}', '{"who": "PERSON_[p2]", "id": ID_[i1]}'),
    ],
)
def test_an_alias_without_brackets_is_restored(written, shown):
    assert expanded(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[PERSON_99]", "[PERSON: unreadable]"),
        ("PERSON_99", "[PERSON: unreadable]"),
        ("[PASSPORT_1]", "[PASSPORT: unreadable]"),
        ("[人物_1]", "[人物: unreadable]"),
        ("[COSA_1]", "[COSA: unreadable]"),
        ("[Lieu_9]", "[LOCATION: unreadable]"),
        ("[Patient_1]", "[PERSON: unreadable]"),
        ("[PERSON_999999999]", "[PERSON: unreadable]"),
        ("LOCATION_9", "[LOCATION: unreadable]"),
    ],
)
def test_an_alias_of_no_token_is_shown_as_damage(written, shown):
    assert expanded(f"see {written} now") == f"see {shown} now"


@pytest.mark.parametrize(
    "text",
    [
        "[1] and [2, 3]",
        "person 1 in location 1",
        "[age 40] (ID 5) [table_1] [Figure_2] [page_1] [resource_1]",
        "a[0] and PERSONAL_1 and MAX_PERSON_1",
        "[see the note of 2024]",
        "PERSON 40 and PERSON40",
        '{"person_1": "a", "id_1": "c"}',
        "Set id_1 and url_2 in the table, location_3, age_65 and ID_9.",
        "call `person_1`, 'person_1' or “person_1” with {id_1} or <url_1>",
        "[see",
        "[per",
        "in the [PE",
        "x < 3 and y > 2",
    ],
)
def test_other_text_is_unchanged(text):
    assert expanded(text) == text


@pytest.mark.parametrize("size", [1, 2, 3, 5, 50])
def test_a_withheld_name_takes_its_title_along(size: int) -> None:
    written = "[1] Dr. [PERSON_1] asked Mrs PERSON_1 and Sister Act; the Dr. said Dr. [LOCATION_1]."
    expander = known().expander(withhold=True)
    pieces = [written[n : n + size] for n in range(0, len(written), size)]
    shown = "".join([*map(expander.feed, pieces), expander.flush()])
    place = expanded("[LOCATION_1]")
    assert shown == (f"[1] the person asked the person and Sister Act; the Dr. said Dr. {place}.")


def test_withheld_aliases_show_no_name():
    assert expanded("[PERSON_1] or [EMAIL_ADDRESS_1] in [LOCATION_1]", withhold=True) == (
        "the person or [EMAIL_ADDRESS: withheld] in LOCATION_[l1]"
    )


def test_a_literal_placeholder_does_not_become_somebodys_token():
    aliases = Aliases()
    hidden = aliases.hide("the form says [PERSON_1]; PERSON_[aaa] signed")
    assert hidden == "the form says [PERSON_1]; [PERSON_2] signed"
    assert expanded("[PERSON_1] ", aliases) == "[PERSON_1] "


ENDS = {
    "[PERSON_1": "[PERSON: unreadable]",
    "[person_1": "[PERSON: unreadable]",
    "\\[PERSON\\_1": "[PERSON: unreadable]",
    "[Personne_1": "[PERSON: unreadable]",
    "PERSON_1": "[PERSON: unreadable]",
    "PERSON 1": "[PERSON: unreadable]",
    "[PERSON_99": "[PERSON: unreadable]",
    "[PERSON_": "[PERSON: unreadable]",
    "PERSON_": "[PERSON: unreadable]",
    "[PERSON": "[PERSON: unreadable]",
    "[PERS": "[PERSON: unreadable]",
    "[EMAIL_ADD": "[EMAIL_ADDRESS: unreadable]",
    "[PERSON_2": "PERSON_[p2]",
    "PERSON_2": "PERSON_[p2]",
    "[PERSON_12": "PERSON_[p12]",
    "[PERSON_1 ": "PERSON_[p1]",
    "[LOCATION_1": "LOCATION_[l1]",
    "<ID_1": "ID_[i1]",
}
"""What a reader sees of an alias that the end of the text cuts off. There are 12 persons."""


@pytest.mark.parametrize("end", ENDS)
def test_an_alias_that_is_cut_off_never_becomes_another_ones_value(end):
    assert expanded(f"Dr. {end}") == f"Dr. {ENDS[end]}"


@pytest.mark.parametrize("n", range(1, 13))
def test_no_cut_of_an_answer_shows_another_person(n):
    written = f"The letter is from Dr. [PERSON_{n}]"
    for end in range(len(written)):
        shown = expanded(written[:end])
        assert "PERSON_[" not in shown or shown.endswith(f"PERSON_[p{n}]")
        assert "[PERS" not in shown.replace("[PERSON: unreadable]", "").replace("PERSON_[", "")


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS)))
def test_hiding_and_expanding_gives_the_text_back(words):
    text, aliases = " ".join(words), Aliases()
    expander = aliases.expander()
    assert expander.feed(aliases.hide(text)) + expander.flush() == text
    assert "_[" not in aliases.hide(text)


PIECES = [
    *"[]<>{}_1 2\\-–:＿s'`\"\n【】xé",
    *(
        "PERSON",
        "person",
        "PERSON_1",
        "person_1",
        "PERSON 1",
        "LOCATION",
        "EMAIL_ADDRESS_1",
        "ID_1",
    ),
    *("Personne_1", "DATE TIME", "'s", "__", "PERS", "[PERSON_1", "[Osoba_1]"),
]


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.integers(0, 60)),
)
def test_the_result_does_not_depend_on_the_cuts(written, cuts):
    expander = known().expander()
    ends = [0, *sorted(cuts), len(written)]
    parts = [written[a:b] for a, b in pairwise(ends)]
    assert "".join(map(expander.feed, parts)) + expander.flush() == expanded(written)
