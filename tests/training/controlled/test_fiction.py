from sage_rag.training.controlled.codes import CodeType, ControlCode, Identifiers
from sage_rag.training.controlled.fiction import Fiction
from sage_rag.training.controlled.spellings import spellings
from sage_rag.training.controlled.value_trie import ValueTrie
from tests.training.controlled.corpus import cases, choice

EACH = dict.fromkeys(CodeType, 3)


def test_the_key_and_the_name_decide_the_code() -> None:
    assert Fiction(choice()).code("1", EACH) == Fiction(choice()).code("1", EACH)
    assert Fiction(choice()).code("1", EACH) != Fiction(choice()).code("2", EACH)


def test_a_code_has_the_wanted_types() -> None:
    code = Fiction(choice()).code("1", {CodeType.LOC: 2, CodeType.PERSON: 1})
    assert code.counts == {CodeType.PERSON: 1, CodeType.LOC: 2}
    assert len(Fiction(choice()).code("1", EACH).lines) == len(CodeType)


def test_no_drawn_value_is_a_private_value() -> None:
    real = Fiction(choice()).code("1", EACH)
    drawn_before = ValueTrie(text for _, texts in real.lines for text in texts)
    code = Fiction(choice(), drawn_before.found_in).code("1", EACH)
    assert not any(drawn_before.found_in(text) for _, texts in code.lines for text in texts)
    assert code.counts == real.counts


def test_parts_of_real_names_are_not_drawn() -> None:
    document = cases(1)[0]
    assert str(ControlCode.of_document(document, Identifiers.DIRECT))
    values = ValueTrie(spellings(document.values))
    assert values.found_in("Mrs Eva O'Neil")
