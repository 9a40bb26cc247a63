"""The demo's final screen."""

from __future__ import annotations

import re

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from sage_rag.eval.demo.comparison import ComparisonRow
from sage_rag.eval.demo.conversation import QuestionTrace
from sage_rag.privacy.tokens import TOKEN

_SHOWN_PAYLOAD = 10
NOT_COUNTED = "Not counted: a person who holds a record can find its passage in either index."


def published_share(published: int, documents: int) -> str:
    """Return one line that says how much of the corpus our index holds."""
    return (
        f"Ours is recipe sage, with {published} of the {documents} dialogues: without a model,"
        " rules refuse what they cannot reword. `sage-rag index --recipe encrypted` publishes"
        " nearly all."
    )


def shorten_tokens(text: str) -> str:
    """Return the text with each token's ciphertext shortened for display."""
    return TOKEN.sub(lambda m: f"{m.group(1)}_[{m.group(2)[:_SHOWN_PAYLOAD]}…]", text)


def show(
    console: Console, trace: QuestionTrace, rows: list[ComparisonRow], share: str, report: str
) -> None:
    """Print one question at each step, and the comparison. `share`: of `published_share`."""
    console.print(_conversation(trace))
    console.print(_comparison(rows))
    console.print(share)
    console.print(NOT_COUNTED)
    console.print(f"All questions and a plot: [bold]{report}[/]")


def _conversation(trace: QuestionTrace) -> Panel:
    steps = Table.grid(padding=(0, 2))
    steps.add_column(style="bold", width=16)
    steps.add_column()
    steps.add_row("you typed", trace.typed)
    steps.add_row("left your machine", _marked(shorten_tokens(trace.sent)))
    if trace.blind_words:
        steps.add_row("", f"and {trace.blind_words} blind words, for other forms of the names")
    steps.add_row("server's answer", _marked(shorten_tokens(trace.server_answer)))
    steps.add_row("you read", trace.restored_answer)
    steps.add_row("sources", ", ".join(f"[{s.index}] {s.document}" for s in trace.sources))
    return Panel(Group(steps), title="one question, step by step", title_align="left")


def _marked(text: str) -> Text:
    """Return the text with coloured tokens; their form identifies them without colour, too."""
    shown = Text(text)
    shown.highlight_regex(re.compile(r"[A-Z_]+_\[[^\]]*\]"), "magenta")
    return shown


def _comparison(rows: list[ComparisonRow]) -> Table:
    table = Table(title="the same attack on both indexes", title_justify="left")
    table.add_column("leaked")
    table.add_column("original index", justify="right")
    table.add_column("ours", justify="right")
    for row in rows:
        table.add_row(row.label, f"{row.original} of {row.of}", str(row.ours_bound))
    return table
