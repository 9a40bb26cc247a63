"""What a draft keeps of its record is counted by kind."""

from sage_rag.privacy.gate.kept import add_kept, kept

RECORD = {
    "text": "Take ibuprofen 400 mg twice a day. Do not drive. My left knee hurts."
    " Go to the emergency room if you bleed."
}


def test_the_whole_record_keeps_all() -> None:
    assert all(left == whole for left, whole in kept(RECORD, RECORD).values())


def test_left_out_facts_are_counted() -> None:
    counted = kept(RECORD, {"text": "Do not drive. Take ibuprofen 400 mg twice daily."})
    assert counted["sentences"] == (2, 4)
    assert counted["doses"] == counted["frequencies"] == counted["negations"] == (1, 1)
    assert counted["sides"] == counted["conditions"] == (0, 1)
    assert counted["warnings"] == (0, 1)


def test_counts_of_records_are_summed() -> None:
    one = kept(RECORD, RECORD)
    none = kept(RECORD, {"text": ""})
    assert add_kept([one, none])["sentences"] == (4, 8)
