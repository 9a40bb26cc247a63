"""The header lines of mails, which a mail that is answered or passed on repeats in its text.

They answer nothing. A date and a subject are quoted, a list of recipients is not. English.
"""

from __future__ import annotations

import re

from sage_rag.privacy.tokens import TOKEN

_RECIPIENTS = re.compile(
    r"[>\s]*(?i:to|b?cc|sent by|reply[ -]to|please respond to)\s*:"
    rf"\s*(?:[\"'<]?(?:{TOKEN.pattern}|[^\s@]+@)|\Z)"
)
"""With an address or a name: "CC: low back pain" is the chief complaint of a patient."""
_RULE = re.compile(r"[>\s]*[-_=]{5}|[-_=]{5,}\s*\Z")
"""A line before a mail that is passed on: "----- Forwarded by ... -----"."""
_NAMES = frozenset(("To", "Cc", "Bcc", "Sent by"))


def is_mail_header(sentence: str) -> bool:
    """Return whether a sentence is a list of recipients, or the line before a mail passed on."""
    return bool(_RECIPIENTS.match(sentence) or _RULE.search(sentence))


def names_mail_header(heading: str) -> bool:
    """Return whether a heading is the name of a header that has no value: "Cc:"."""
    return heading in _NAMES
