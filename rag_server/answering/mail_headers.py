"""The header lines of mails, which a mail that is answered or passed on repeats in its text.

They answer nothing. A date and a subject are quoted, a list of recipients is not. English.
"""

from __future__ import annotations

import re

_RECIPIENTS = re.compile(
    r"[>\s]*(?:to|b?cc|sent by|reply[ -]to|please respond to)\s*:(?:\s|\Z)",
    re.IGNORECASE,
)
_RULE = re.compile(r"[>\s]*[-_=]{5}|[-_=]{5,}\s*\Z")
"""A line before a mail that is passed on: "----- Forwarded by ... -----"."""
_NAMES = frozenset("to cc bcc from sent date subject re".split()) | {"sent by"}


def is_mail_header(sentence: str) -> bool:
    """Return whether a sentence is a list of recipients, or the line before a mail passed on."""
    return bool(_RECIPIENTS.match(sentence) or _RULE.search(sentence))


def names_mail_header(heading: str) -> bool:
    """Return whether a heading is the name of a header that has no value: "Cc:"."""
    return heading.casefold() in _NAMES
