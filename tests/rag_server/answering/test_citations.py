import pytest

from sage_rag.rag_server.answering.citations import citation_filter


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Rest [1]. Tea [2][3].", "Rest [1]. Tea [2][3]."),
        ("Rest [42].", "Rest."),
        ("Between [4, 16] mg, days [1, 15, 29].", "Between [4, 16] mg, days [1, 15, 29]."),
        ("Rest [0] and [4] now", "Rest and now"),
        ("In [2024] it rained [3]", "In [2024] it rained [3]"),
        ("[PERSON_1] [7", "[PERSON_1] [7"),
    ],
)
def test_citations_of_nothing_are_removed_wherever_the_stream_is_cut(written, read):
    for cut in range(len(written) + 1):
        stream = citation_filter((1, 2, 3))
        assert stream.feed(written[:cut]) + stream.feed(written[cut:]) + stream.flush() == read


def test_json_is_unchanged():
    stream = citation_filter(None)
    assert stream.feed('{"doses":[40]}') + stream.flush() == '{"doses":[40]}'


def test_without_passages_no_citation_stays():
    stream = citation_filter(())
    assert stream.feed("I do not know [1].") + stream.flush() == "I do not know."
