"""Questions in languages that neither the recognizer nor the rules read."""

from __future__ import annotations

import re

from sage_rag.privacy.languages import uncovered_language
from sage_rag.privacy.recognizers.catalog import DEFAULT_LANGUAGES
from sage_rag.privacy.tokens import TOKEN

_OPENING = re.compile(
    r"\W*(?:we[rmn]|wessen|wo|wohin|woher|wie|wann|warum|wieso|weshalb|welche[mnrs]?|wieviele?"
    r"|was (?:hat|haben|ist|sind|war|waren|kostet|macht|wurde|wird|soll|sagt)"
    r"|qui|quand|combien|pourquoi|quel(?:le)?s?|qu['’]est|où|comment (?:est|a|ont|va|faire)"
    r"|cu[aá]nt[oa]s?|cu[aá]ndo|qui[eé]n(?:es)?|qu[eé]|d[oó]nde|c[oó]mo|cu[aá]l(?:es)?"
    r"|quant[oaie]|quando|dove|chi|perch[eé]|cosa|come (?:si|sta|è)"
    r"|wat|waar|wanneer|hoeveel|waarom|kto|kiedy|gdzie|ile|dlaczego)\b",
    re.IGNORECASE,
)
"""The first words of short questions in German, French, Spanish, Italian, Portuguese, Dutch and
Polish: too few words for a detector, and words that begin no English question."""


def is_not_read(question: str) -> bool:
    """Return whether a question is in a language in which nothing can be found reliably."""
    plain = TOKEN.sub(" ", question)
    return bool(_OPENING.match(plain)) or uncovered_language([plain], DEFAULT_LANGUAGES) is not None
