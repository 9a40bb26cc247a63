from sage_rag.indexer.passages import Passage
from sage_rag.rag_server.answering.aliases import Aliases
from sage_rag.rag_server.answering.budget import TokenEstimate, fitting_passages, fitting_turns
from sage_rag.rag_server.answering.prompt import build_prompt
from sage_rag.rag_server.answering.protocols import AnswerContext, ConversationTurn


def test_the_estimate_learns_from_the_counts_of_the_model():
    estimate = TokenEstimate()
    careful = estimate.characters(1000)
    estimate.learn(characters=4000, tokens=1000)
    assert careful < estimate.characters(1000) < 4000
    estimate.learn(characters=1000, tokens=700)
    assert estimate.characters(1000) < careful


def test_the_best_passages_stay_and_the_last_one_ends_at_a_word():
    texts = ["first " * 50, "second " * 100, "third " * 100]
    kept = fitting_passages(texts, 700)
    assert kept[0] == texts[0]
    assert len(kept) == 2
    assert kept[1].endswith("second")
    assert sum(map(len, kept)) <= 700


def test_the_last_turns_stay_in_order():
    turns = [ConversationTurn("user", str(n) * 100) for n in range(5)]
    assert fitting_turns(turns, 300) == turns[3:]


def test_a_prompt_fits_its_room_and_keeps_question_and_instructions():
    history = [ConversationTurn("user", "old " * 200), ConversationTurn("assistant", "new")]
    passages = [Passage(f"p{n}", "s", {"text": f"text {n} " * 100}) for n in range(6)]
    turns = build_prompt(AnswerContext("why?", passages, history), Aliases(), room=3000).turns
    assert sum(len(turn.text) for turn in turns) <= 3000
    assert turns[-1].text.endswith("Question: why?")
    assert "[1] text 0" in turns[-1].text
    assert "[6]" not in turns[-1].text
