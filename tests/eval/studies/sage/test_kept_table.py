"""The table of what rewording keeps."""

from types import SimpleNamespace

from sage_rag.eval.studies.sage.kept_table import kept_of_records
from sage_rag.eval.studies.sage.readings import parse_readings
from tests.eval.studies.sage.test_readings import written


def compared(kept, **reasons):
    row = SimpleNamespace(kept=kept, reasons=reasons, documents=500)
    return SimpleNamespace(row={"sage": row}.get)


def cells(text, title):
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {title} |")]
    return line.strip("| ").split(" | ")[1:]


def test_each_kind_has_its_share_and_each_reading_its_interval():
    sets = {
        "tab": compared({"sentences": (60, 80), "doses": (0, 0)}, **{"meaning-changed": 7}),
        "squality": compared({"sentences": (9, 90), "doses": (1, 3)}),
    }
    *_, text = kept_of_records(sets, parse_readings(written()))
    assert cells(text, "sentences kept") == ["60 of 80 (75 %)", "9 of 90 (10 %)"]
    assert cells(text, "doses kept") == ["–", "1 of 3 (33 %)"]
    assert cells(text, "warnings kept") == ["–", "–"]
    assert cells(text, "records refused for a change of meaning") == ["7 of 500", "0 of 500"]
    altered = cells(text, "compared by a reader: drafts with a change of meaning")
    assert altered == ["4 of 30 (3.8–30.7 %)", "not read"]
    assert cells(text, "commit of the drafts that were read") == ["abc", "not read"]


def test_where_nothing_was_counted_there_is_no_table():
    assert not list(kept_of_records({"tab": compared({})}, {}))
