"""A question by part of a name, from the edge to the server's search and back."""

import httpx
import pytest

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.blind_index import BLIND_WORD, BlindIndex
from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.policy import parse_policy
from sage_rag.privacy.testing import TableRecognizer
from sage_rag.rag_server.chat_request import MAX_SEARCH_WORDS
from sage_rag.rag_server.edge.keyring import Keyring
from sage_rag.rag_server.edge.pseudonymize import pseudonymize_request
from tests.rag_server.conftest import World, ask
from tests.rag_server.fakes import ScriptedServer, completion

CHAT = "/v1/chat/completions"
RECOGNIZER = TableRecognizer({"Maria Keller": EntityType.PERSON, "Keller": EntityType.PERSON})
WORD = "PERSON~mfrggzdfmztwq2lk"


def sent_for(world: World, *turns: tuple[str, object]) -> dict:
    server = ScriptedServer(lambda seen: completion("ok"))
    url = world.edge(world.run(server), RECOGNIZER)
    messages = [{"role": role, "content": content} for role, content in turns]
    httpx.post(url + CHAT, json={"model": "clinic", "messages": messages}).raise_for_status()
    return server.seen[0].body


def words(world: World, name: str) -> set[str]:
    return set(BlindIndex(world.keyset, "clinic").words(name, EntityType.PERSON))


def test_a_question_about_a_family_name_finds_the_record_of_the_full_name(world: World):
    token = world.keys().pseudonymize("Maria Keller")
    index = " ".join(BlindIndex(world.keyset, "clinic").words("Maria Keller", EntityType.PERSON))
    others = [f"what does PERSON_[a{i}] take against a cold?" for i in range(6)]
    world.catalog.publish("clinic", [*others, f"{token} has gout {index}"])
    url = world.edge(world.serve(), RECOGNIZER)
    answer = httpx.post(url + CHAT, json=ask("What does Ms Keller take against a cold?")).json()
    assert answer["citations"][0]["text"].startswith("Maria Keller has gout")


@pytest.mark.parametrize(
    "content",
    ["How is Ms Keller?", [{"type": "text", "text": "How is"}, {"type": "text", "text": "Keller"}]],
    ids=["string", "parts"],
)
def test_the_words_are_those_of_the_last_user_message(world: World, content):
    turns = [("user", "Maria Keller?"), ("assistant", "Yes."), ("user", content), ("system", "!")]
    assert set(sent_for(world, *turns)["search_words"]) == words(world, "Keller")


def test_a_question_that_names_nobody_travels_without_the_field(world: World):
    question = ("user", "what helps against a bad cough?")
    assert "search_words" not in sent_for(world, ("user", "Maria Keller?"), question)


def test_yes_to_a_suggested_name_travels_with_its_words(world: World):
    suggestion = "I found no record of Maria Kellner. Did you mean Maria Keller?"
    turns = [("user", "How is Maria Kellner?"), ("assistant", suggestion), ("user", "yes please")]
    assert set(sent_for(world, *turns)["search_words"]) == words(world, "Maria Keller")


def test_a_remark_about_the_answer_travels_with_the_words_of_its_question(world: World):
    first = sent_for(world, ("user", "How is Maria Keller?"))
    answer = ("assistant", "Maria Keller has gout. [1]")
    later = sent_for(world, ("user", "How is Maria Keller?"), answer, ("user", "are you sure?"))
    assert later["search_words"] == first["search_words"]


def test_a_follow_up_travels_with_the_words_of_the_name_that_it_takes_over(world: World):
    first = sent_for(world, ("user", "Maria Keller?"))
    later = sent_for(world, ("user", "Maria Keller?"), ("assistant", "ill"), ("user", "and now?"))
    assert later["search_words"] == first["search_words"]


def test_the_edge_computes_the_words_itself_and_takes_none_from_a_client(world: World):
    body = ask(search_words=[WORD])
    assert "search_words" not in pseudonymize_request(body, world.keys())
    response = httpx.post(world.edge(world.serve(), RECOGNIZER) + CHAT, json=body)
    assert (response.status_code, response.headers["x-sage-rag-ignored"]) == (200, "search_words")


def test_a_word_that_a_user_types_is_no_search_word(world: World):
    sent = pseudonymize_request(ask(f"what of {WORD}?"), world.keys())
    assert "search_words" not in sent


def test_a_redacted_type_has_no_words(world: World):
    policy = parse_policy("p", 'default = "redact"')
    keys = Keyring(world.keyset, RECOGNIZER, policy).for_model("clinic")
    assert "search_words" not in pseudonymize_request(ask("Ms Keller?"), keys)


def test_a_policy_decides_on_part_words(world: World):
    def sent(part_words: str) -> set[str]:
        policy = parse_policy("p", f'part_words = "{part_words}"')
        keys = Keyring(world.keyset, RECOGNIZER, policy).for_model("clinic")
        return set(pseudonymize_request(ask("Maria Keller?"), keys)["search_words"])

    assert [len(sent(choice)) for choice in ("none", "family-names", "all")] == [1, 2, 3]
    assert sent("none") < sent("family-names") < sent("all")


@pytest.mark.parametrize("choice", ['"some"', "true", "1", '["all"]'])
def test_a_policy_with_any_other_choice_is_refused(choice):
    with pytest.raises(InputError, match="part_words"):
        parse_policy("p", f"part_words = {choice}")


@pytest.mark.parametrize(
    "refused",
    ["Keller", f"{WORD}a", f" {WORD}", WORD.upper(), "PERSON_[mfrggzdfmztwq2lk]", "", 7, None],
)
def test_the_server_takes_blind_words_alone_and_quotes_no_other(world: World, refused):
    response = httpx.post(world.serve() + CHAT, json=ask(search_words=[WORD, refused]))
    assert response.status_code == 400
    assert "search_words" in response.json()["error"]["param"]
    assert "Keller" not in response.text


def test_the_server_takes_only_so_many(world: World):
    url = world.serve()
    for count, status in ((MAX_SEARCH_WORDS, 200), (MAX_SEARCH_WORDS + 1, 400)):
        response = httpx.post(url + CHAT, json=ask(search_words=[WORD] * count))
        assert response.status_code == status


def test_words_show_nothing_of_the_value(world: World):
    sent = sent_for(world, ("user", "Maria Keller?"))
    assert all(BLIND_WORD.fullmatch(word) for word in sent["search_words"])
    assert "eller" not in str(sent)


@pytest.mark.parametrize("refused", ["Keller", WORD, "PERSON_[]x", 7, None])
def test_the_server_takes_groups_of_tokens_alone(world: World, refused):
    body = ask(search_tokens=[["PERSON_[mfrggzdfmztwq2lk]", refused]])
    response = httpx.post(world.serve() + CHAT, json=body)
    assert response.status_code == 400
    assert "search_tokens" in response.json()["error"]["param"]
    assert "Keller" not in response.text


def test_a_group_of_tokens_finds_the_passages_with_one_of_them(world: World):
    world.catalog.publish("clinic", ["a cold PERSON_[bb]", "a cold PERSON_[aa]", "a cold"])
    body = ask("cold?", search_tokens=[["PERSON_[aa]"]])
    answer = httpx.post(world.serve() + CHAT, json=body).json()
    assert answer["citations"][0]["text"] == "a cold PERSON_[aa]"
