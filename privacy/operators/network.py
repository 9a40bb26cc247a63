"""Surrogate network addresses, all from ranges that are reserved for examples."""

from __future__ import annotations

import re
from ipaddress import ip_address

from sage_rag.privacy.operators.keyed import KeyedChoice, Ring, like
from sage_rag.privacy.operators.numbers import draw_digits
from sage_rag.privacy.operators.people import pick_family, pick_given
from sage_rag.privacy.words import normalize

_DOMAINS = Ring(("example.com", "example.net", "example.org"))
"""Source: RFC 2606, §3: domains reserved for examples."""
_DOCUMENTATION_V4 = ("192.0.2", "198.51.100", "203.0.113")
"""Source: RFC 5737."""
_DOCUMENTATION_V6 = "2001:db8"
"""Source: RFC 3849."""
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*://)?(?P<www>www\.)?(?P<host>[^/?#]*)(?P<path>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESS = re.compile(r"\[?([0-9a-fA-F:.]+)\]?")
_HEX = re.compile(r"[0-9a-fA-F]")
_LOCALLY_ADMINISTERED = "02"
"""First octet of a MAC address that belongs to no maker. Source: IEEE 802, §8.2."""
_AFTER_NAME = re.compile(r"\d+$")


def surrogate_email(value: str, choice: KeyedChoice) -> str:
    """Return an e-mail address under a domain reserved for examples."""
    address = normalize(value)
    given, family = pick_given(choice, address), pick_family(choice, address)
    domain = _DOMAINS.pick(choice.digest("domain", address), "")
    return like(value, f"{given}.{family}@{domain}".lower())


def surrogate_url(value: str, choice: KeyedChoice) -> str:
    """Return a web address under a domain reserved for examples, with a path if there was one."""
    match = _URL.match(value)
    if match is None:
        raise AssertionError("every text matches")
    host = normalize(match["host"])
    name = pick_family(choice, host).lower()
    domain = _DOMAINS.pick(choice.digest("domain", host), "")
    path = ""
    if len(match["path"]) > 1:
        path = "/" + choice.digest("path", normalize(match["path"])).hex()[:10]
    return f"{match['scheme'] or ''}{match['www'] or ''}{name}.{domain}{path or match['path']}"


def surrogate_ip(value: str, choice: KeyedChoice) -> str:
    """Return an address of a range for documentation; a port or prefix length stays.

    The ranges for IPv4 have 762 addresses, so in a large corpus different values share one.
    """
    match = _ADDRESS.search(value)
    text = match[1] if match else value
    if text.count(":") == 1:  # an IPv4 address and its port
        text = text.split(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        address = None
    shown = address.compressed if address else normalize(value)
    if address is not None and address.version == 6:
        groups = choice.digest("v6", shown).hex()
        new = f"{_DOCUMENTATION_V6}:" + ":".join(groups[i : i + 4] for i in range(0, 24, 4))
    else:
        number = choice.number(len(_DOCUMENTATION_V4) * 254, "v4", shown)
        new = f"{_DOCUMENTATION_V4[number // 254]}.{number % 254 + 1}"
        if new == shown:
            new = f"{_DOCUMENTATION_V4[number // 254 - 1]}.{number % 254 + 1}"
    return value.replace(text, new) if address else new


def surrogate_mac(value: str, choice: KeyedChoice) -> str:
    """Return a locally administered hardware address in the same notation."""
    compact = "".join(_HEX.findall(value)).lower()
    new = iter(_LOCALLY_ADMINISTERED + choice.digest("mac", compact).hex()[: len(compact)])
    drawn = _HEX.sub(lambda _: next(new), value)
    return drawn.upper() if value.upper() == value else drawn


def surrogate_username(value: str, choice: KeyedChoice) -> str:
    """Return another user name: a word, and the same number of digits at the end."""
    name = normalize(value).lstrip("@")
    digits = _AFTER_NAME.search(name)
    number = draw_digits(len(digits.group()), choice, "digits", name) if digits else ""
    at = "@" if value.startswith("@") else ""
    new = f"{pick_given(choice, name)[:1]}{pick_family(choice, name)}{number}".lower()
    return at + like(value, new)
