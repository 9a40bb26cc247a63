from hypothesis import given, settings
from hypothesis import strategies as st

from sage_rag.rag_server.answering.aliases import Aliases

WORDS = ["PERSON_[aaa]", "PERSON_[bbb]", "LOCATION_[ccc]", "[PERSON_1]", "[PERSON_2]", "rest", " "]


def test_equal_tokens_share_an_alias_across_texts():
    aliases = Aliases()
    assert aliases.hide("is PERSON_[aaa] in LOCATION_[x]?") == "is [PERSON_1] in [LOCATION_1]?"
    assert aliases.hide("PERSON_[bbb] met PERSON_[aaa]") == "[PERSON_2] met [PERSON_1]"


def test_aliases_are_expanded_wherever_the_stream_is_cut():
    aliases = Aliases()
    aliases.hide("PERSON_[aaa] EMAIL_ADDRESS_[bbb]")
    written = "[1] [PERSON_1][EMAIL_ADDRESS_1] and [PERSON_9] [PERS"
    for cut in range(len(written) + 1):
        expander = aliases.expander()
        read = expander.feed(written[:cut]) + expander.feed(written[cut:]) + expander.flush()
        assert read == "[1] PERSON_[aaa]EMAIL_ADDRESS_[bbb] and [PERSON_9] [PERS"


def test_a_literal_placeholder_does_not_become_somebodys_token():
    aliases = Aliases()
    hidden = aliases.hide("the form says [PERSON_1]; PERSON_[aaa] signed")
    assert hidden == "the form says [PERSON_1]; [PERSON_2] signed"
    assert aliases.expander().feed("[PERSON_1] ") == "[PERSON_1] "


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS)))
def test_hiding_and_expanding_gives_the_text_back(words):
    text, aliases = "".join(words), Aliases()
    expander = aliases.expander()
    assert expander.feed(aliases.hide(text)) + expander.flush() == text
    assert "_[" not in aliases.hide(text)
