import json

import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.labels import labels
from sage_rag.training.recognition import documents
from sage_rag.training.recognition.annotations import tagged_type
from sage_rag.training.recognition.datasets import examples, joined_documents, load, merged
from sage_rag.training.recognition.documents import Split, calibration, held_out, split_of
from sage_rag.training.recognition.sets import ENGLISH, SETS


def marked(text, *values, **more):
    spans = [
        {"start": text.index(value), "end": text.index(value) + len(value), "label": label}
        for value, label in values
    ]
    return {"text": text, "spans": spans, **more}


def write(folder, name, rows):
    path = folder / SETS[name].path
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines), "utf-8")
    return path


def only(folder, name, *rows):
    write(folder, name, rows)
    return load(name, folder)[0]


def learnt(example):
    return [(example.text[s.start : s.end], s.entity_type) for s in example.spans]


def left_out(example):
    return [example.text[start:end] for start, end in example.unsure]


def document_on(side, number=0):
    """Return a document's name on a side of the split."""
    names = (name for i in range(10_000) if split_of(name := f"case-{i}") is side)
    return [next(names) for _ in range(number + 1)][-1]


@pytest.mark.parametrize(
    ("kind", "learnt_as"),
    [
        (T.PERSON, T.PERSON),
        (T.QUANTITY, T.QUANTITY),
        (T.US_SSN, T.ID),
        (T.CASE_NUMBER, T.ID),
        (T.VEHICLE, T.ID),
        (T.EMAIL_ADDRESS, None),
        (T.PHONE_NUMBER, None),
        (T.SECRET, None),
        (T.SOURCE, None),
        (T.LITERAL, None),
    ],
)
def test_structured_identifiers_are_one_type_and_forms_are_left_to_patterns(kind, learnt_as):
    assert tagged_type(kind) is learnt_as


@pytest.mark.parametrize("name", SETS)
def test_every_set_says_what_it_marks_and_under_which_licence(name):
    chosen = SETS[name]
    assert chosen.annotated
    assert chosen.annotated <= set(TAGGED)
    assert chosen.licence
    assert labels(chosen.scheme)
    assert chosen.may_train == (chosen.licence != "none stated")


def test_sets_of_other_languages_are_not_measured_with_the_english_tagger():
    assert "tab" in ENGLISH
    assert not {"cluener", "pii_anon_eval_zh"} & set(ENGLISH)


def test_sets_without_a_licence_never_train(tmp_path):
    write(tmp_path, "cluener", [marked("张三在家", ("张三", "name"), id="1")])
    assert load("cluener", tmp_path)[0].split is Split.HELD_OUT
    assert examples(tmp_path, Split.HELD_OUT, ["cluener"]) == []


def test_labels_become_types_and_codes_one_type(tmp_path):
    row = marked(
        "Mr. Falk, a Dane of 41, paid with 4444-1 from a@b.example",
        ("Mr.", "TITLE"),
        ("Falk", "PERSON"),
        ("Dane", "NRP"),
        ("41", "AGE"),
        ("4444-1", "CREDIT_CARD"),
        ("a@b.example", "EMAIL_ADDRESS"),
    )
    text = only(tmp_path, "presidio_research", row)
    assert learnt(text.example) == [
        ("Falk", T.PERSON),
        ("Dane", T.DEMOGRAPHIC),
        ("41", T.AGE),
        ("4444-1", T.ID),
    ]
    assert left_out(text.example) == ["a@b.example"]


def test_gold_keeps_what_patterns_find_and_names_it_as_the_set_does(tmp_path):
    row = marked("Falk, a@b.example", ("Falk", "PERSON"), ("a@b.example", "EMAIL_ADDRESS"))
    gold = only(tmp_path, "presidio_research", row).gold
    assert [v.label for v in gold.values] == ["PERSON", "EMAIL_ADDRESS"]
    assert gold.annotated is None
    assert gold.unsure == ()


def test_an_occupation_is_told_from_a_courtesy_title(tmp_path):
    row = marked("Mrs. Falk is a plumber", ("Mrs.", "TITLE"), ("plumber", "TITLE"))
    text = only(tmp_path, "presidio_research", row)
    assert learnt(text.example) == [("plumber", T.DEMOGRAPHIC)]
    assert [v.accepted for v in text.gold.values] == [{T.DEMOGRAPHIC}]


def test_types_that_a_set_marks_in_part_are_not_learnt(tmp_path):
    row = marked(
        "Falk reads the Gazette",
        ("Falk", "PER"),
        ("Gazette", "MISC"),
        doc_id="w",
    )
    text = only(tmp_path, "uner", row)
    assert learnt(text.example) == [("Falk", T.PERSON)]
    assert text.example.annotated == {T.PERSON, T.LOCATION, T.ORGANIZATION}
    assert text.gold.annotated == text.example.annotated


def test_how_a_value_identifies_is_kept_for_measuring(tmp_path):
    row = marked("Falk sued", ("Falk", "PERSON"), doc_id="1")
    row["spans"][0]["identifier_type"] = "DIRECT"
    assert [v.risk for v in only(tmp_path, "tab", row).gold.values] == ["DIRECT"]


def test_overlapping_values_are_resolved_and_all_covered(tmp_path):
    row = marked(
        "County Court of Ulm sat", ("County Court of Ulm", "ORG"), ("Ulm", "LOC"), doc_id="1"
    )
    text = only(tmp_path, "tab", row)
    assert learnt(text.example) == [("County Court of Ulm", T.ORGANIZATION)]
    assert len(text.gold.values) == 2


def test_parties_of_an_agreement_are_no_persons(tmp_path):
    row = marked(
        "Borrower owes Gudrun Falk",
        ("Borrower", "PER"),
        ("Gudrun Falk", "PER"),
        dataset="s",
    )
    text = only(tmp_path, "sec_filings_test", row)
    assert learnt(text.example) == [("Gudrun Falk", T.PERSON)]
    assert len(text.gold.values) == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Gudrun Falk came. FALK left", ["FALK"]),
        ("Gudrun Falk, seen 2031-05-04", ["2031-05-04"]),
        ("Gudrun Falk in May 2031", ["May 2031"]),
        ("Gudrun Falk, claim CLM-2031-77", ["CLM-2031-77"]),
        ("Gudrun Falk took 20 mg, room 31", []),
        ("Gudrun Falk, Grey Harbour Hospital", ["Grey Harbour Hospital"]),
        ("Gudrun Falk of New York", ["New York"]),
        ("Gudrun Falk, Discharge Summary", []),
    ],
)
def test_what_a_template_forgot_to_mark_is_left_out(tmp_path, text, left):
    row = marked(text, ("Gudrun Falk", "PERSON_NAME"), language="en")
    assert left_out(only(tmp_path, "pii_anon_eval", row).example) == left


def test_a_template_s_own_proper_names_are_left_out(tmp_path):
    row = marked("Falk saw the Grey Harbour Band in spring", ("Falk", "PERSON"))
    assert left_out(only(tmp_path, "presidio_research", row).example) == ["Grey Harbour Band"]


def test_one_file_can_hold_two_sets(tmp_path):
    rows = [
        marked("Falk here", ("Falk", "PERSON_NAME"), language="en"),
        marked("姓名 张三", ("张三", "PERSON_NAME"), language="zh"),
    ]
    write(tmp_path, "pii_anon_eval", rows)
    assert [t.example.text for t in load("pii_anon_eval", tmp_path)] == ["Falk here"]
    assert [t.example.text for t in load("pii_anon_eval_zh", tmp_path)] == ["姓名 张三"]


ENCOUNTER = {
    "id": "V1",
    "patient_firstname": "gudrun",
    "patient_familyname": "Brown",
    "dialogue": "[doctor] hi gudrun , doctor ramirez here , doctor white left . brown spots ? i asked dr. young , ms. brown",
    "note": "Gudrun Brown feels well. Referred to Patricia.",
}


def test_a_patient_is_found_by_the_record_s_names_and_others_by_their_titles(tmp_path):
    write(tmp_path, "aci_bench", [ENCOUNTER])
    spoken, note = load("aci_bench", tmp_path)
    found = [value for value, kind in learnt(spoken.example)]
    assert found == ["gudrun", "ramirez", "young", "brown"]
    assert left_out(spoken.example) == ["white", "brown"]
    assert learnt(note.example) == [("Gudrun Brown", T.PERSON)]
    assert left_out(note.example) == ["Patricia"]
    assert spoken.example.document == note.example.document == "V1"


def test_one_document_in_five_measures_and_one_in_ten_of_the_rest_calibrates():
    names = [f"document {i}" for i in range(5000)]
    measured = sum(map(held_out, names))
    calibrated = sum(map(calibration, names))
    assert 900 < measured < 1100
    assert 320 < calibrated < 480
    assert not any(held_out(name) and calibration(name) for name in names)


def test_a_split_is_the_same_everywhere():
    assert [i for i in range(20) if held_out(f"case-{i}")] == [2, 6, 8, 12, 17, 18]


def test_copies_of_a_held_out_text_train_nowhere(tmp_path):
    kept, free = document_on(Split.HELD_OUT), document_on(Split.TRAIN)
    rows = [
        marked("Thanks , Falk", ("Falk", "PER"), doc_id=kept),
        marked("THANKS , Falk", ("Falk", "PER"), doc_id=free),
        marked("Regards , Falk", ("Falk", "PER"), doc_id=free),
    ]
    write(tmp_path, "uner", rows)
    trained = examples(tmp_path, Split.TRAIN, ["uner"])
    assert [e.text for e in trained] == ["Regards , Falk"]
    assert [e.text for e in examples(tmp_path, Split.HELD_OUT, ["uner"])] == ["Thanks , Falk"]


def test_a_test_part_is_held_out_whole(tmp_path):
    rows = [marked(f"number {'x' * i} Falk", ("Falk", "person")) for i in range(30)]
    write(tmp_path, "wnut17_test", rows)
    assert {t.split for t in load("wnut17_test", tmp_path)} == {Split.HELD_OUT}


def test_tweets_that_differ_in_links_and_mentions_are_one_document():
    rows = [
        {"text": "RT @falk : Rain in Ulm http://t.example/a1"},
        {"text": "rain in ulm !!"},
        {"text": "Rain in Bonn"},
    ]
    first, second, third = documents.by_wording(rows)
    assert first == second != third


def test_texts_of_one_template_are_one_document():
    rows = [
        marked("My name is Falk", ("Falk", "PERSON")),
        marked("My name is Gudrun Ode", ("Gudrun Ode", "PERSON")),
        marked("My town is Ulm", ("Ulm", "GPE")),
    ]
    first, second, third = documents.by_template(rows)
    assert first == second != third


def test_sentences_beside_a_cut_are_used_on_one_side_only():
    rows = [{"dataset": "d"}] * 3000
    names = documents.by_block(rows)
    splits = [split_of(f"d-block-{i // 100}") for i in range(3000)]
    for place, name in enumerate(names):
        if name and splits[place] is Split.TRAIN:
            near = names[max(0, place - 15) : place + 16]
            assert all(n is None or split_of(n) is Split.TRAIN for n in near)
    assert {split_of(n) for n in names if n} == set(Split)
    assert names.count(None) < 600


def test_a_file_of_agreements_is_cut_where_one_begins():
    texts = [
        "Preamble",
        'THIS LOAN AGREEMENT ("Agreement")',
        "Falk owes",
        "7 THIS LOAN AGREEMENT is",
    ]
    rows = [{"text": text, "dataset": "s"} for text in texts]
    assert [name[-1] for name in documents.by_agreement(rows)] == ["0", "1", "1", "2"]


def test_ranges_that_touch_are_joined():
    assert merged([(5, 7), (0, 2), (2, 4), (6, 6 + 3)]) == [(0, 4), (5, 9)]


def test_a_missing_file_is_named_with_the_way_out(tmp_path):
    with pytest.raises(InputError, match=r"tab\.jsonl` is missing") as raised:
        load("tab", tmp_path)
    assert "--data" in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[1]", "line 2 is not a JSON object"),
        ('{"spans": []}', "line 2 has no `text`"),
        ('{"text": "Gudrun"}', "line 2 has no list `spans`"),
        ('{"text": "Gudrun", "spans": [{"start": 0, "end": 1}]}', "span 1 has no `label`"),
        (
            '{"text": "Gudrun", "spans": [{"start": 0, "end": 9, "label": "PER"}]}',
            "span 1 is not a range",
        ),
        (
            '{"text": "Gudrun", "spans": [{"start": 0, "end": 6, "label": "NAME"}], "doc_id": "1"}',
            "line 2 has a label that uner does not contain",
        ),
        ('{"text": "Gudrun", "spans": []}', "line 2 has no `doc_id`"),
    ],
)
def test_a_damaged_line_is_named_without_its_text(tmp_path, line, message):
    write(tmp_path, "uner", [marked("Falk", ("Falk", "PER"), doc_id="1"), line])
    with pytest.raises(InputError, match=message) as raised:
        load("uner", tmp_path)
    assert "Gudrun" not in f"{raised.value} {raised.value.hint}"


def test_sentences_are_put_back_into_their_document(tmp_path):
    rows = [
        marked("Maria Keller came .", ("Maria Keller", "PER"), doc_id="mail-0"),
        marked("Tom went to Ulm .", ("Tom", "PER"), ("Ulm", "LOC"), doc_id="mail-0"),
        marked("Nobody stayed .", doc_id="mail-1"),
    ]
    write(tmp_path, "uner", rows)
    texts = load("uner", tmp_path)
    whole = joined_documents("uner", texts)
    assert [text.example.text for text in whole] == [
        "Maria Keller came . Tom went to Ulm .",
        "Nobody stayed .",
    ]
    found = whole[0].example
    assert [found.text[s.start : s.end] for s in found.spans] == ["Maria Keller", "Tom", "Ulm"]
    assert [(v.start, v.end) for v in whole[0].gold.values] == [
        (s.start, s.end) for s in found.spans
    ]
    assert joined_documents("tab", texts) == []


def test_what_is_unsure_stays_in_its_place_in_the_document(tmp_path):
    rows = [marked("One .", doc_id="m"), marked("Two three .", doc_id="m")]
    write(tmp_path, "uner", [{**row, "unsure": [[0, 3]]} for row in rows])
    (whole,) = joined_documents("uner", load("uner", tmp_path))
    assert [whole.gold.text[start:end] for start, end in whole.gold.unsure] == ["One", "Two"]
    assert whole.example.unsure == whole.gold.unsure
