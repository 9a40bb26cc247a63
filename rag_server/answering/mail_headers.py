"""The header lines of mails, which a mail that is answered or passed on repeats in its text.

They answer nothing. A date and a subject are quoted, a list of recipients is not. English.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sage_rag.privacy.tokens import TOKEN

_RECIPIENTS = re.compile(
    r"[>\s]*(?i:to|b?cc|sent by|reply[ -]to|please respond to)\s*:"
    rf"\s*(?:[\"'<]?(?:{TOKEN.pattern}|[^\s@]+@)|\Z)"
)
"""With an address or a name: "CC: low back pain" is the chief complaint of a patient."""
_RULE = re.compile(r"[>\s]*[-_=+]{5}|[-_=+]{5,}\s*\Z")
"""A line before a mail that is passed on: "----- Forwarded by ... -----"."""
_NOTES_ADDRESS = re.compile(r"/[^@/,;]{1,40}@")
"""Of Lotus Notes: "Ann Lee/HOU/Acme@Acme". A line with several is the rest of a list."""
_QUOTED = re.compile(r"^(?:[ \t]*>)++[ \t]*+(?!\d)", re.MULTILINE)
"""At the beginning of a line, and not before a number: "> 3 cm" is a size."""
_SENDER = re.compile(r"^[> \t]*+From[ \t]*:(?P<sender>.*)$", re.MULTILINE)
_NAMES = frozenset(("To", "Cc", "Bcc", "Sent by"))


def is_of_another_sender(mail: str, writers: Collection[str]) -> bool:
    """Return whether a mail has one of some tokens outside of its headers of senders alone.

    It is then written to, or about, these persons. A record without such a header is unknown.
    """
    senders = " ".join(match["sender"] for match in _SENDER.finditer(mail))
    if not TOKEN.search(senders) or any(writer in senders for writer in writers):
        return False
    return any(writer in mail for writer in writers)


def is_mail_header(sentence: str) -> bool:
    """Return whether a sentence is a list of recipients, or the line before a mail passed on."""
    if _RECIPIENTS.match(sentence) or _RULE.search(sentence):
        return True
    addresses = _NOTES_ADDRESS.finditer(TOKEN.sub("x", sentence))
    return sum(1 for _ in addresses) > 1


def names_mail_header(heading: str) -> bool:
    """Return whether a heading is the name of a header that has no value, or such a line: "Cc:"."""
    bare = without_quote_signs(heading)
    return bare in _NAMES or is_mail_header(bare)


def without_quote_signs(text: str) -> str:
    """Return a text without the signs that a mail puts before the lines it quotes: "> Yes."."""
    return _QUOTED.sub("", text) if ">" in text else text
