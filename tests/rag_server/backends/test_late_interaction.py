from sage_rag.rag_server.backends.late_interaction import LateInteractionReranker

QUESTION = "How often should the blood pressure be measured?"
PASSAGES = [
    "The library opens at nine and closes at five.",
    "Take your blood pressure every morning, sitting down, and write it in a diary.",
    "",
]


def test_a_passage_about_the_question_scores_best():
    library, pressure, empty = LateInteractionReranker().scores(QUESTION, PASSAGES)
    assert pressure > library > empty == 0


def test_a_passage_beyond_the_models_limit_is_read_to_its_end():
    filler = "The library opens at nine and closes at five. " * 40
    short, long = LateInteractionReranker().scores(QUESTION, [filler, filler + PASSAGES[1]])
    assert long > short + 0.1


def test_a_question_without_words_prefers_nothing():
    assert LateInteractionReranker().scores("", PASSAGES) == [0.0, 0.0, 0.0]
