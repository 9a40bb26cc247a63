from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.recognizers.scores import GoldText, GoldValue, RecognitionCounts, decidable
from sage_rag.privacy.spans import Span

TEXT = "Mr. Gudrun Falk of Ulm, a Dane"
NAME = GoldValue(4, 15, "name", frozenset({T.PERSON}), "DIRECT")
PLACE = GoldValue(19, 22, "place", frozenset({T.LOCATION}), "QUASI")


def count(spans, gold=None):
    counts = RecognitionCounts()
    counts.add(gold or GoldText(TEXT, (NAME, PLACE)), spans)
    return counts


def test_a_value_is_found_whole_or_not_at_all():
    assert count([Span(4, 15, T.PERSON)]).found == {"name": 1, "place": 0}
    assert count([Span(4, 14, T.PERSON)]).found == {"name": 0, "place": 0}
    assert count([]).marked == {"name": 1, "place": 1}


def test_a_wrong_type_covers_but_does_not_name():
    counts = count([Span(4, 10, T.PERSON), Span(11, 15, T.LOCATION), Span(19, 22, T.LOCATION)])
    assert counts.found == {"name": 1, "place": 1}
    assert counts.named == {"name": 0, "place": 1}


def test_values_are_counted_by_risk_where_the_annotators_said_it():
    unsaid = GoldValue(26, 30, "origin", frozenset({T.DEMOGRAPHIC}))
    counts = count([Span(4, 15, T.PERSON)], GoldText(TEXT, (NAME, PLACE, unsaid)))
    assert counts.found_by_risk == {"DIRECT": 1, "QUASI": 0}
    assert counts.marked_by_risk == {"DIRECT": 1, "QUASI": 1}


def test_precision_counts_letters_and_digits_without_titles():
    counts = count([Span(0, 18, T.PERSON)])
    assert (counts.characters_right, counts.characters) == (10, 12)


def test_types_that_nobody_marked_do_not_cost_precision():
    gold = GoldText(TEXT, (NAME, PLACE), annotated=frozenset({T.PERSON, T.LOCATION}))
    counts = count([Span(4, 15, T.PERSON), Span(26, 30, T.DEMOGRAPHIC)], gold)
    assert (counts.characters_right, counts.characters) == (10, 10)
    assert counts.flagged == {T.PERSON: 1}


def test_a_type_that_nobody_marked_still_covers():
    gold = GoldText(TEXT, (NAME,), annotated=frozenset({T.LOCATION}))
    assert count([Span(4, 15, T.PERSON)], gold).found == {"name": 1}


def test_doubtful_ranges_count_neither_way():
    gold = GoldText(TEXT, (NAME,), unsure=((19, 22),))
    counts = count([Span(4, 15, T.PERSON), Span(19, 22, T.LOCATION)], gold)
    assert (counts.characters_right, counts.characters) == (10, 10)
    assert counts.flagged == {T.PERSON: 1}


def test_a_right_span_is_judged_though_it_reaches_into_doubt():
    gold = GoldText(TEXT, (NAME,), unsure=((19, 22),))
    reaching, doubtful = Span(4, 22, T.PERSON), Span(16, 22, T.LOCATION)
    assert decidable(gold, [reaching, doubtful]) == [reaching]


def test_a_span_is_right_where_it_touches_a_value_of_its_type():
    spans = [Span(11, 18, T.PERSON), Span(19, 22, T.PERSON), Span(26, 30, T.AGE)]
    counts = count(spans)
    assert counts.right == {T.PERSON: 1, T.AGE: 0}
    assert counts.flagged == {T.PERSON: 2, T.AGE: 1}
