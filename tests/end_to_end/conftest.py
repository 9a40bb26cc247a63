"""One corpus with planted canaries, indexed by the real command, served and edged by processes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.command import PASSPHRASE, Running, environment, sage_rag, service

CANARIES = {
    "Zebulon Quackenbush": ("knee", "rest the joint and cool it"),
    "Ottoline Vandersloot": ("migraine", "keep a diary and drink water"),
    "Thaddeus Brockwhistle": ("asthma", "use the steroid inhaler every morning"),
    "Ingeborg Fjeldstrand": ("reflux", "raise the head of the bed"),
}
MAIL = "{first}@canary-mail.example.org"


def records() -> list[dict[str, str]]:
    """Return one dialogue about each canary, in sentences that rules can keep whole."""
    found = []
    for number, (name, (complaint, advice)) in enumerate(CANARIES.items()):
        first, last = name.split()
        mail = MAIL.format(first=first.lower())
        found.append(
            {
                "id": f"canary-file-{last}",
                "question": f"Hello doctor, my name is {name}. The bakery where I stand all day is "
                f"cold from five in the morning until two in the afternoon on most days. I have had "
                f"{complaint} for {number + 2} weeks. In the evening after the long way home by bus "
                f"and on foot everything is far worse than at the beginning of a shift. You can write to "
                f"{mail} or ring +1-202-555-01{number}7. Two of the older colleagues who work next to "
                f"me at the oven had the very same thing during the whole of last winter. What can I "
                f"do about {complaint}?",
                "answer": f"Dear {name}, thank you for writing. Many people who stand for such a long "
                f"time in a cold room develop {complaint} sooner or later in their working life. You "
                f"should {advice}. A walk around the block before supper on every second day has "
                f"helped most of the bakers whom we have seen here so far. Come to the clinic at once "
                f"with a fever. On that occasion we would also measure the pressure and draw a little "
                f"blood for the usual tests of the laboratory. I will see {name} in spring.",
            }
        )
    return found


def secrets() -> list[str]:
    names = [part for name in CANARIES for part in (name, name.split()[1])]
    mails = [MAIL.format(first=name.split()[0].lower()) for name in CANARIES]
    return [*names, *mails, "canary-file-"]


@dataclass(frozen=True)
class Zones:
    """The three zones: the owner's home, the server's, and the two processes."""

    owner: Path
    server_home: Path
    keyset: Path
    server: Running
    edge: Running


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the owner's home, with corpus `clinic` in it, and the keyset."""
    root = tmp_path_factory.mktemp("owner")
    corpus, keyset = root / "corpus.jsonl", root / "keys" / "clinic.keyset"
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records()))
    env = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
    made = sage_rag("keys", "new", "--out", str(keyset), env=env)
    assert made.returncode == 0, made.stderr
    arguments = ["--name", "clinic", "--home", str(root / "home"), "--keyset", str(keyset)]
    done = sage_rag("index", str(corpus), "--recipe", "sage", *arguments, env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["quarantined"] == 0, done.stderr
    return root / "home", keyset


@pytest.fixture(scope="session")
def zones(indexed: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zones]:
    owner, keyset = indexed
    root = tmp_path_factory.mktemp("server")
    shutil.copytree(owner / "corpora", root / "home" / "corpora")
    logs = tmp_path_factory.mktemp("logs")
    serve = ("serve", "--home", str(root / "home"), "--port", "0", "--insecure-no-auth")
    with service(*serve, log=logs / "server.log") as server:
        edge = ("edge", "--server", server.url, "--keyset", str(keyset), "--port", "0")
        env = environment(SAGE_RAG_PASSPHRASE=PASSPHRASE)
        with service(*edge, log=logs / "edge.log", env=env) as protector:
            yield Zones(owner, root / "home", keyset, server, protector)
