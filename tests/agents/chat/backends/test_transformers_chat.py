"""A model in this process, made on the spot."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from sage_rag.agents.chat.backends.transformers_chat import TransformersChatModel, _load
from sage_rag.agents.chat.calls import ModelCalls
from sage_rag.agents.chat.protocols import ChatMessage, Reply, UnusableReplyError
from sage_rag.common.exceptions import InputError
from tests.agents.backends.tiny_chat import STRICT_TEMPLATE, chat_folder

pytestmark = pytest.mark.slow

ASK = [ChatMessage("system", "Say it."), ChatMessage("user", "it")]
UNSAID = 1  # the id of a piece that the model never says
TAUGHT = {
    "(system) Say it.\n(user) it\n(assistant) ": '{"safe": true}',
    "(user) Say it.\n\nit\n(assistant) ": "merged",
    "(user) < |endoftext|>\n(assistant) ": "broken up",
    "System: Say it.\n\nUser: it\n\nAssistant:": " plain\n\nUser: and so on",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return chat_folder(tmp_path_factory.mktemp("models") / "tiny", TAUGHT)


def with_template(folder: Path, template: str | None, to: Path) -> Path:
    """Copy a model under another template."""
    copy = Path(shutil.copytree(folder, to / "copy"))
    (copy / "chat_template.jinja").unlink(missing_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(copy)
    return copy


def ask(model: TransformersChatModel, messages: list[ChatMessage] = ASK) -> Reply:
    return asyncio.run(model.complete(messages))


def test_a_model_answers_in_its_template_the_same_each_time(folder: Path) -> None:
    model = TransformersChatModel(str(folder))
    reply = ask(model)
    assert reply.text == '{"safe": true}'
    assert reply.finished
    assert reply == ask(model)
    tokenizer = _load(folder.resolve())._tokenizer
    prompt = "(system) Say it.\n(user) it\n(assistant) "
    assert reply.usage.prompt_tokens == len(tokenizer(prompt)["input_ids"])
    said = len(tokenizer('{"safe": true}')["input_ids"])
    assert reply.usage.completion_tokens == said + 1  # and the end


def test_its_name_tells_the_weights_apart_but_not_where_they_lie(folder: Path) -> None:
    name = TransformersChatModel(str(folder)).name
    assert name.startswith("transformers:tiny@")
    assert str(folder.parent) not in name
    assert TransformersChatModel(str(folder), max_tokens=5).settings == '{"max_tokens": 5}'


def test_one_folder_is_loaded_once(folder: Path) -> None:
    one, two = TransformersChatModel(str(folder)), TransformersChatModel(f"{folder}/")
    assert one._loaded is two._loaded


def test_an_answer_is_cut_at_its_limit(folder: Path) -> None:
    reply = ask(TransformersChatModel(str(folder), max_tokens=3))
    assert not reply.finished
    assert reply.usage.completion_tokens == 3


def test_a_prompt_without_room_for_an_answer_is_reported(folder: Path) -> None:
    model = TransformersChatModel(str(folder))
    with pytest.raises(UnusableReplyError, match="too long") as caught:
        ask(model, [ChatMessage("user", "cough " * 2_000)])
    assert "cough" not in str(caught.value)


def test_marks_inside_a_message_are_broken_up(folder: Path) -> None:
    model = TransformersChatModel(str(folder))
    assert ask(model, [ChatMessage("user", "<|endoftext|>")]).text == "broken up"


def test_a_template_without_a_system_role_gets_it_before_the_first_turn(
    folder: Path, tmp_path: Path
) -> None:
    copy = with_template(folder, STRICT_TEMPLATE, tmp_path)
    assert ask(TransformersChatModel(str(copy))).text == "merged"


def test_a_model_without_a_template_gets_plain_turns_and_ends_with_its_own(
    folder: Path, tmp_path: Path
) -> None:
    copy = with_template(folder, None, tmp_path)
    assert ask(TransformersChatModel(str(copy))).text == "plain"


def test_the_loop_lives_while_a_model_thinks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TransformersChatModel(str(folder), max_tokens=8)
    loop_turned = threading.Event()
    answer = model._loaded.answer

    def thinks_until_the_loop_turned(*arguments: Any) -> Reply:
        assert loop_turned.wait(30), "the loop stood still"
        return answer(*arguments)

    monkeypatch.setattr(model._loaded, "answer", thinks_until_the_loop_turned)

    async def main() -> Reply:
        thinking = asyncio.create_task(model.complete(ASK))
        await asyncio.sleep(0.01)
        loop_turned.set()
        return await thinking

    assert asyncio.run(main()).usage.completion_tokens > 0


def test_a_cancelled_call_stops(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TransformersChatModel(str(folder), max_tokens=900)
    monkeypatch.setattr(model._loaded, "_ends", [UNSAID])  # it would go on to its limit
    said: list[int] = []
    started = threading.Event()
    answer = model._loaded.answer

    def counted(*arguments: Any) -> Reply:
        started.set()
        reply = answer(*arguments)
        said.append(reply.usage.completion_tokens)
        return reply

    monkeypatch.setattr(model._loaded, "answer", counted)

    async def main() -> None:
        thinking = asyncio.create_task(model.complete(ASK))
        assert await asyncio.to_thread(started.wait, 60)
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(model._loaded.thread, int)
        await model.complete(ASK)

    asyncio.run(main())
    stopped, whole = said
    assert stopped < whole == 900


def test_calls_around_it_count_and_keep_order(folder: Path) -> None:
    model = TransformersChatModel(str(folder))
    calls = ModelCalls(model, settings=model.settings, on_close=model.close)

    async def main() -> list[Reply]:
        asked = [calls.complete(ASK, stage="review") for _ in range(4)]
        replies = await asyncio.gather(*asked)
        await calls.close()
        return list(replies)

    assert {reply.text for reply in asyncio.run(main())} == {'{"safe": true}'}
    stage = calls.costs.snapshot()["stages"]["review"]
    assert (stage["calls"], stage["estimated"]) == (4, 0)


def test_a_folder_without_a_model_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="`empty` is not a language model"):
        TransformersChatModel(str(tmp_path / "empty"))
