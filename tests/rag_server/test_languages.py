import pytest

from sage_rag.rag_server.languages import is_not_read


@pytest.mark.parametrize(
    "question",
    [
        "Was hat PERSON_[x] bezahlt?",
        "Wo wohnt PERSON_[x]?",
        "Wie hoch war die Rechnung der Schule?",
        "¿Cuánto pagó PERSON_[x]?",
        "Combien a payé le club de cricket?",
        "Bitte nennen Sie mir die Rechnung der Schule und die Adresse des Kunden",
    ],
)
def test_short_and_long_questions_in_other_languages_are_recognised(question):
    assert is_not_read(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was PERSON_[x] paid?",
        "was the door mended",
        "what oil for old safe levers",
        "gout allopurinol colchicine",
        "Comment on the invoice",
        "come back when?",
        "PERSON_[x]",
        "他的血压是多少?",
        "",
    ],
)
def test_questions_in_english_and_chinese_are_read(question):
    assert not is_not_read(question)
