"""Answers kept in a file of the owner's."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sage_rag.agents.chat.protocols import ChatMessage, Reply, TokenUsage
from sage_rag.agents.chat.reply_cache import ReplyCache, reply_key
from sage_rag.common.exceptions import InputError
from tests.agents.endpoint import ASK

SHAPE = {"type": "object", "required": ["safe"]}


def test_a_reply_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "owner" / "replies.sqlite"
    cache = ReplyCache(path)
    cache.put("k", Reply("é \U0001f600 \x00", TokenUsage(3, 4)))
    cache.close()
    again = ReplyCache(path)
    assert again.get("k") == Reply("é \U0001f600 \x00", TokenUsage(3, 4))
    assert again.get("other") is None
    again.put("k", Reply("new"))
    assert again.get("k") == Reply("new")
    again.close()


def test_only_the_owner_reads_the_file_and_its_side_files(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.touch(0o644)
    cache = ReplyCache(path)
    cache.put("k", Reply("text"))
    files = list(tmp_path.iterdir())
    assert len(files) > 1
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    cache.close()


def test_prompts_are_not_in_the_file(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    cache.put(reply_key("tiny", "", [ChatMessage("user", "quelchwood")], None), Reply("x"))
    cache.close()
    assert all(b"quelchwood" not in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    "other",
    [
        ("large", "s", ASK, SHAPE),
        ("tiny", "t", ASK, SHAPE),
        ("tiny", "s", ASK[:1], SHAPE),
        ("tiny", "s", [ASK[0], ChatMessage("assistant", ASK[1].content)], SHAPE),
        ("tiny", "s", ASK, None),
        ("tiny", "s", ASK, {}),
        ("tiny", "s", [ChatMessage("system", ASK[0].content + "\ud800"), ASK[1]], SHAPE),
    ],
)
def test_each_thing_that_decides_an_answer_changes_the_key(other: Any) -> None:
    assert reply_key(*other) != reply_key("tiny", "s", ASK, SHAPE)


def test_the_order_of_a_shape_does_not_change_the_key() -> None:
    shape = dict(reversed(SHAPE.items()))
    assert reply_key("tiny", "s", ASK, shape) == reply_key("tiny", "s", ASK, SHAPE)


@pytest.mark.parametrize("content", [b"not a database, but long enough for one" * 40])
def test_something_else_in_its_place_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cache of replies") as caught:
        ReplyCache(path)
    assert "model.cache=false" in (caught.value.hint or "")
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cache of replies"):
        ReplyCache(tmp_path / "file" / "replies.sqlite")


def test_threads_and_processes_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    code = (
        "import sys; from pathlib import Path; from sage_rag.agents.chat.protocols import Reply\n"
        "from sage_rag.agents.chat.reply_cache import ReplyCache\n"
        "cache = ReplyCache(Path(sys.argv[1]))\n"
        "for n in range(200): cache.put(f'{sys.argv[2]}-{n}', Reply(str(n)))\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), who]) for who in "ab"]
    cache = ReplyCache(path)

    def write(who: str) -> None:
        for n in range(200):
            cache.put(f"{who}-{n}", Reply(str(n)))

    threads = [threading.Thread(target=write, args=(who,)) for who in "cd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [writer.wait(60) for writer in writers] == [0, 0]
    for who in "abcd":
        assert [cache.get(f"{who}-{n}") for n in range(200)] == [Reply(str(n)) for n in range(200)]
    cache.close()
