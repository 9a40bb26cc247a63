"""The demo's last screenful."""

from __future__ import annotations

import re

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sage_rag.eval.demo.comparison import Row
from sage_rag.eval.demo.conversation import Scene
from sage_rag.privacy.tokens import TOKEN

_SHOWN_PAYLOAD = 10


def shorten_tokens(text: str) -> str:
    """Return the text with each token's ciphertext cut, for people to read."""
    return TOKEN.sub(lambda m: f"{m.group(1)}_[{m.group(2)[:_SHOWN_PAYLOAD]}…]", text)


def show(console: Console, scene: Scene, rows: list[Row], report: str) -> None:
    """Print one conversation in its four faces, and the comparison."""
    console.print(_conversation(scene))
    console.print(_comparison(rows))
    console.print(f"The same with all questions and a plot: [bold]{report}[/]")


def _conversation(scene: Scene) -> Panel:
    faces = Table.grid(padding=(0, 2))
    faces.add_column(style="bold", width=16)
    faces.add_column()
    faces.add_row("you typed", scene.typed)
    faces.add_row("left your machine", _marked(shorten_tokens(scene.sent)))
    faces.add_row("server's answer", _marked(shorten_tokens(scene.server_answer)))
    faces.add_row("you read", scene.restored_answer)
    faces.add_row("sources", ", ".join(f"[{s.index}] {s.document}" for s in scene.sources))
    return Panel(Group(faces), title="one question, all the way", title_align="left")


def _marked(text: str) -> Text:
    """Return the text with its tokens coloured; their form tells them apart without colour."""
    shown = Text(text)
    shown.highlight_regex(re.compile(r"[A-Z_]+_\[[^\]]*\]"), "magenta")
    return shown


def _comparison(rows: list[Row]) -> Table:
    table = Table(title="the same attack on both indexes", title_justify="left")
    table.add_column("leaked")
    table.add_column("original index", justify="right")
    table.add_column("ours", justify="right")
    for row in rows:
        table.add_row(row.label, f"{row.original} of {row.of}", str(row.ours_bound))
    return table
