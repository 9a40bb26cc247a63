"""Patterns of API keys, access tokens, private keys, passwords and user names.

Vendors give their keys a prefix so that leaks can be found. Values without a prefix are found by
the word before them, as in a configuration file: `db_password = "..."`.
"""

from __future__ import annotations

import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import pattern

_VENDORS = (
    r"sk-(?:proj-|ant-|or-|live-|test-|svcacct-)?[\w-]{16,200}"  # OpenAI, Anthropic, OpenRouter
    r"|(?:sk|pk|rk|whsec)[-_](?:live|test)?[-_]?[A-Za-z0-9]{12,200}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{12,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}"  # GitHub, GitLab
    r"|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,20}"  # Amazon
    r"|AIza[\w-]{35}|ya29\.[\w-]{20,400}|GOCSPX-[\w-]{20,40}"  # Google
    r"|xox[abeoprs]-[\w-]{10,250}|xapp-[\w-]{10,250}"  # Slack
    r"|hf_[A-Za-z0-9]{20,64}|npm_[A-Za-z0-9]{20,64}|pypi-[\w-]{16,300}|dop_v1_[a-f0-9]{64}"
    r"|SG\.[\w-]{16,32}\.[\w-]{16,64}|key-[a-f0-9]{32}|sq0[a-z]{3}-[\w-]{20,60}|EAA[A-Za-z0-9]{60,300}"
    r"|(?:AC|SK)[a-f0-9]{32}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|lin_api_\w{20,64}|r8_[A-Za-z0-9]{30,50}"
)
"""Prefixes as the vendors document them for secret scanning."""

_OPENS = (
    r"(?:passw(?:or)?d|passwort|passphrase|passcode|pwd|pw|pass|pin|secret|api[ _-]?key|apikey"
    r"|token|access[ _-]?key|auth(?:orization)?[ _-]?(?:key|token)|client[ _-]?secret"
    r"|private[ _-]?key|otp|mot de passe|contraseña|senha|kennwort)"
)
_USER_WORD = (
    r"(?:user[ _-]?(?:name|id)?|login|log[ _-]in|handle|screen[ _-]?name|nick(?:name)?"
    r"|skype|instagram|insta|telegram|snapchat|wechat|discord|tiktok|twitter)"
)
_SHARED = r"(?:public|default|all[ ]users|shared|user|guest|root|runner)"
"""Folders that no person has."""
_PREFIX = r"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9]{0,20}[_-]){0,3}(?:db|my|admin|app)?"
_QUOTED = r"[\"'`](?P<value>[^\n\"'`]{3,200})[\"'`]"
_BARE = r"(?P<bare>[^\s\"'`,;<>&|]{4,200})"
_NO_SENTENCE = (
    r"(?!(?:what|when|where|which|whose|does|could|should|would|have|there|this|that|they|please)"
    r"(?:['’]s)?[ ]{1,3}[^\W\d_]|(?:give|show|tell)[ ]{1,3}me\b)"
)
"""Where "User:" is the label of a speaker, what comes after it is a sentence."""
_ASSIGNED = r"[\"']?\s{0,3}(?::=|=>|[:=])\s{0,3}"


def _value(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the quoted value, or the bare one without the sentence's punctuation."""
    if match.group("value"):
        return match.span("value")
    value = match.group("bare").rstrip(".)]}")
    return (match.start("bare"), match.start("bare") + len(value)) if len(value) >= 4 else None


def _spoken(match: re.Match[str]) -> tuple[int, int] | None:
    """Accept a value that is not a word: with a digit, a sign or a capital inside."""
    value = match.group("value").rstrip(".,;:!?)]}'\"")
    capital_within = value[1:] != value[1:].lower() and not value.isupper()
    odd = any(c.isdigit() or not c.isalnum() for c in value) or capital_within
    start = match.start("value")
    return (start, start + len(value)) if odd and len(value) >= 4 else None


SECRETS = (
    pattern(EntityType.SECRET, rf"(?<![\w-])(?:{_VENDORS})(?![\w-])", 0.97, needs="-_AEGS"),
    pattern(
        EntityType.SECRET,
        r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,4000})?",
        0.97,
        needs=".",
    ),
    pattern(
        EntityType.SECRET,
        r"-----BEGIN[ ](?:[A-Z0-9]{1,12}[ ]){0,3}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----"
        r"[A-Za-z0-9+/=\s:,.-]{0,20000}?"
        r"-----END[ ](?:[A-Z0-9]{1,12}[ ]){0,3}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----",
        0.99,
        needs="-",
    ),
    pattern(
        EntityType.SECRET,
        rf"{_PREFIX}{_OPENS}{_ASSIGNED}(?:{_QUOTED}|{_BARE})",
        0.92,
        _value,
        ignore_case=True,
        needs=":=",
    ),
    pattern(
        EntityType.SECRET,
        r"\b(?:password|passwort|passcode|passphrase|pin[ ](?:code|number|is|was)"
        r"|identified by)\b"
        r"(?:[ ](?:is|was|now|code|to|:)){0,3}[ ]{1,2}[\"'`]?(?P<value>[^\s\"'`]{4,100})",
        0.8,
        _spoken,
        ignore_case=True,
        needs=(
            "assw",
            "assc",
            "assp",
            "ASSW",
            "ASSC",
            "ASSP",
            "in code",
            "in number",
            "in is",
            "in was",
            "IN code",
            "IN number",
            "IN is",
            "IN was",
            "dentified by",
            "DENTIFIED BY",
        ),
    ),
    pattern(
        EntityType.SECRET,
        r"\bBearer[ ](?P<value>[A-Za-z0-9._~+/-]{16,4000}={0,2})",
        0.95,
        needs="B",
    ),
    pattern(
        EntityType.SECRET,
        r"(?<=://)(?P<user>[^\s:/@]{1,64}):(?P<value>[^\s:/@]{1,100})(?=@)",
        0.9,
        needs="@",
    ),
    pattern(
        EntityType.USERNAME,
        rf"{_PREFIX}{_USER_WORD}{_ASSIGNED}(?:{_QUOTED}|{_NO_SENTENCE}{_BARE})",
        0.85,
        _value,
        ignore_case=True,
        needs=":=",
    ),
    pattern(
        EntityType.USERNAME,
        r"\b(?:user[ ]?name|screen[ ]name|login|handle|create user|on \*\.\* to|user)\b"
        r"(?:[ ](?:is|was|name|id)){0,2}[ ]{1,2}[\"'`@]?(?P<value>[\w.-]{3,64})",
        0.75,
        _spoken,
        ignore_case=True,
        needs=("ser", "SER", "creen", "ogin", "OGIN", "andle", "ANDLE", "ON *.*", "on *.*"),
    ),
    pattern(
        EntityType.USERNAME,
        r"(?<![\w.@/=+-])@(?P<value>[A-Za-z_][\w.]{1,30}\w)(?![\w@]|\.\w)",
        0.8,
        needs="@",
    ),
    # The folder of a person in a path: `/home/NAME`, `C:\\Users\\NAME`; not "work/home/school".
    pattern(
        EntityType.USERNAME,
        r"(?:(?<!\w)(?:/(?:mnt|nfs|export|var|data))?/(?:home|users)/"
        r"|\\(?:home|users|documents[ ]and[ ]settings)\\{1,2})"
        rf"(?!{_SHARED}(?![\w.-]))(?P<value>\w[\w.-]{{0,62}}\w)",
        0.85,
        ignore_case=True,
        needs=tuple(
            f"{word}{sign}"
            for end in ("ome", "sers", "ettings")
            for word in (end, end.upper())
            for sign in "/\\"
        ),
    ),
    pattern(EntityType.USERNAME, r"(?<![\w/])/?u/(?P<value>[\w-]{3,20})(?![\w/-])", 0.85),
)
