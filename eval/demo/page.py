"""The demo's report: one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from sage_rag.eval.demo.comparison import ComparisonRow
from sage_rag.eval.demo.conversation import QuestionTrace
from sage_rag.eval.demo.screen import NOT_COUNTED, shorten_tokens
from sage_rag.privacy.tokens import TOKEN


def render(
    traces: Sequence[QuestionTrace], rows: Sequence[ComparisonRow], facts: Mapping[str, object]
) -> str:
    """Return the page; all its text is escaped, and it loads nothing."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["tokens"] = _mark_tokens
    source = resources.files("sage_rag.eval").joinpath("demo", "report.html.j2").read_text("utf-8")
    template = environment.from_string(source)
    return template.render(traces=traces, rows=rows, facts=facts, not_counted=NOT_COUNTED)


def _mark_tokens(text: str) -> Markup:
    """Return escaped text with each token marked up; hovering shows its full form."""
    parts, position = [], 0
    for match in TOKEN.finditer(text):
        parts.append(escape(text[position : match.start()]))
        short = shorten_tokens(match.group())
        parts.append(Markup('<code title="{}">{}</code>').format(match.group(), short))
        position = match.end()
    return Markup("").join([*parts, escape(text[position:])])
