"""The demo's report: one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from sage_rag.eval.demo.comparison import Row
from sage_rag.eval.demo.conversation import Scene
from sage_rag.eval.demo.screen import shorten_tokens
from sage_rag.privacy.tokens import TOKEN


def render(scenes: Sequence[Scene], rows: Sequence[Row], facts: Mapping[str, object]) -> str:
    """Return the page; everything in it is escaped, nothing in it is fetched."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["tokens"] = _mark_tokens
    source = resources.files("sage_rag.eval").joinpath("demo", "report.html.j2").read_text("utf-8")
    return environment.from_string(source).render(scenes=scenes, rows=rows, facts=facts)


def _mark_tokens(text: str) -> Markup:
    """Return escaped text with each token set off, its full form on hovering."""
    parts, position = [], 0
    for match in TOKEN.finditer(text):
        parts.append(escape(text[position : match.start()]))
        short = shorten_tokens(match.group())
        parts.append(Markup('<code title="{}">{}</code>').format(match.group(), short))
        position = match.end()
    return Markup("").join([*parts, escape(text[position:])])
