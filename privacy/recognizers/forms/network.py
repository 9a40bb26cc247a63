"""Patterns of the network: e-mail addresses, URLs, IP and MAC addresses."""

from __future__ import annotations

import ipaddress
import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import Anchor, pattern, trimmed

_TLDS = (
    "com|org|net|edu|gov|mil|int|info|biz|name|pro|mobi|health|care|clinic|hospital|doctor|dental"
    "|app|dev|cloud|online|site|store|shop|blog|xyz|tech|io|ai|gl|ly|co|tv|uk|ie|ca|au|nz|de|fr"
    "|es|pt|ch|nl|se|dk|fi|pl|cz|sk|hu|ro|bg|gr|tr|ru|ua|jp|cn|kr|hk|tw|sg|pk|bd|lk|za|ng|ke|gh"
    "|eg|ma|il|ae|sa|ir|br|ar|cl|mx|pe|eu|su"
)
"""Endings that make a bare name a URL. Those that are English words (in, is, it, me, to, us, be,
at, so, no, my) are left out: where a space is missing they would match whole sentences."""

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"


def _ip_address(match: re.Match[str]) -> tuple[int, int] | None:
    value = match.group().rstrip(".")
    while value:
        try:
            ipaddress.IPv6Address(value)
        except ValueError:
            if not value.endswith(":"):
                return None
            value = value[:-1]
        else:
            # "1::" and "::" are valid addresses, but identify no machine.
            named = sum(1 for group in value.split(":") if group) >= 2 or value == "::1"
            return (match.start(), match.start() + len(value)) if named else None
    return None


NETWORK = (
    pattern(
        EntityType.EMAIL_ADDRESS,
        r"[\w.!#$%'*+~^-]{1,64}(?:@|%40)(?:[\w-]{1,63}\.){1,8}[^\W\d_](?:[\w-]{0,22}\w)?",
        0.99,
        needs="@%",
    ),
    pattern(
        EntityType.EMAIL_ADDRESS,
        r"\b[\w.+-]{1,64}(?:[ ]?[(\[{][ ]?at[ ]?[)\]}][ ]?|[ ]at[ ])[\w-]{1,63}"
        r"(?:(?:[ ]?[(\[{][ ]?dot[ ]?[)\]}][ ]?|[ ]dot[ ]|\.)[\w-]{1,63}){0,3}"
        r"(?:[ ]?[(\[{][ ]?dot[ ]?[)\]}][ ]?|[ ]dot[ ])[^\W\d_]{2,24}",
        0.9,
        ignore_case=True,
        needs=("dot", "DOT", "Dot"),
    ),
    pattern(
        EntityType.URL, r"\b[A-Za-z][A-Za-z0-9+.]{1,15}://[^\s<>\"']+", 0.95, trimmed, needs="/"
    ),
    pattern(
        EntityType.URL,
        r"\bwww\d?\.[\w-]{1,63}\.[^\s<>\"']+",
        0.95,
        trimmed,
        ignore_case=True,
        needs=".",
    ),
    pattern(
        EntityType.URL,
        rf"(?<![\w@.-])(?:[a-zA-Z0-9-]{{1,63}}\.){{1,6}}(?:{_TLDS}|COM|ORG|NET)(?![\w@-])"
        r"(?:(?::\d{2,5})?[/?#][^\s<>\"']*)?",
        0.8,
        trimmed,
        needs=".",
    ),
    pattern(
        EntityType.IP_ADDRESS,
        rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?![\w]|\.\d)",
        0.95,
        needs=".",
    ),
    pattern(
        EntityType.IP_ADDRESS,
        r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:|::)[0-9A-Fa-f:]{1,40}[0-9A-Fa-f:.]{0,16}",
        0.9,
        _ip_address,
        needs=":",
    ),
    pattern(
        EntityType.MAC_ADDRESS,
        r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])"
        r"|(?<![\w.])(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}(?![\w.])",
        0.96,
        needs=":-.",
        anchor=Anchor(re.compile(r"[0-9A-Fa-f]{2}[:.-][0-9A-Fa-f]{2}"), before=20, after=20),
    ),
    pattern(
        EntityType.MAC_ADDRESS,
        r"\bmac(?:[ ]address)?(?:[ ](?:is|was))?[ :=#]{1,3}(?P<value>[0-9A-F]{12})\b",
        0.9,
        ignore_case=True,
        needs=("MAC", "Mac", "mac"),
    ),
)
