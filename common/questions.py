"""Which sentences ask something: one definition for the gate and the rules. English."""

from __future__ import annotations

import re
from collections.abc import Iterator

_AUXILIARY = r"(?:is|are|am|can|could|should|would|will|does|did|has|may|might)"
_SUBJECT = r"(?:i|it|this|that|there|he|she|they|we|you|my|the|these|those|his|her|any\w*|one)"
_QUESTION_WORD = (
    r"(?:what|why|how|where|who|when|(?:what|which|how|whose)(?: \w+){1,3}?"
    r"|(?:to|for|in) (?:what|which|whom))"
)
_ORDER = (
    rf"(?:(?:{_QUESTION_WORD} )?{_AUXILIARY}(?:n['’]t)? {_SUBJECT}\b"
    rf"|{_QUESTION_WORD} (?:do|have)(?:n['’]t)? {_SUBJECT}\b"
    r"|(?:do|have)(?:n['’]t)? (?:i|you|we|they)\b"
    r"|(?:was|were)(?:n['’]t)? (?:i|you|we|they|he|she|it|this|that|there)\b)"
)
_INVERTED = re.compile(
    rf"\W*(?:(?:and|but|so|also|then|now|or) )?(?:please )?{_ORDER}", re.IGNORECASE
)
"""Not `Do it daily` and `Have the wound dressed`."""
_CONDITIONAL = re.compile(r"\W*(?:should (?!i\b)|were )[^?]*, ", re.IGNORECASE)
"""`Should it hurt, come back.`"""
_UNSURE = (
    r"(?:i (?:(?:just|really|also|still) )*(?:(?:do not|don['’ ]?t) (?:know|understand)"
    r"|(?:cannot|can['’ ]?t) (?:understand|figure out))"
    r"|(?:i ?['’]?a?m |^\W*)(?:(?:just|really|also|very|so) )*"
    r"(?:not sure|unsure|confused|curious|wondering))"
)
"""Who writes so asks it: `I do not know why`, `not sure if`."""
_ASKS = re.compile(
    r"\b(?:(?:want|wants|wanted|like|need) to (?:know|ask|find out|learn|understand)"
    r"|wonder(?:ing|ed)?"
    r"|(?:my|the) (?:main )?question is|i have (?:a|one|some|two|several|\d) questions?"
    r"|(?:please|pls|plz|kindly) (?:\w+ )?"
    r"(?:advi[sc]e|suggest|tell|guide|explain|help|reply|answer|inform"
    r"|let (?:me|us) know|recommend|give (?:me|your|an|some)|assist|clarify|confirm)"
    r"|advise (?:me|us|any|some|if|whether|what)|suggest (?:me|us|any|some|what)|help me\b"
    r"|any (?:ideas?|suggestions?|advi[sc]e|thoughts?|help|info|information|insight|guidance)\b"
    r"|need (?:your |some |an? )?(?:advi[sc]e|opinion|guidance|suggestion)"
    r"|(?:can|could) (?:you|u|anyone|someone|anybody|somebody) (?:please )?"
    r"(?:tell|advi[sc]e|suggest|explain|help|recommend|confirm|clarify)"
    rf"|{_UNSURE} (?:as to |about |of )?(?:if|whether|what|why|how|which)"
    r"|(?:obliged|grateful|appreciate|await\w*|waiting) (?:\w+ ){0,3}"
    r"(?:advi[sc]e|opinion|suggestions?|guidance|reply|response|answer)"
    r"|(?:advi[sc]e|opinion|suggestions?|guidance|reply|response|help) (?:\w+ ){0,4}appreciated)",
    re.IGNORECASE,
)
"""A question without a question mark, or a request for an answer."""
_OFFERS = re.compile(
    r"(?:hesitate|feel free|happy|glad|pleased|if you|any (?:more|other|further)|should you)\b"
    r"[^.?]*$",
    re.IGNORECASE,
)
"""`If you want to know more, feel free to ask` offers an answer, and asks nothing."""
_REPORTS = re.compile(
    r"\b(?:asks?|asked|asking|enquire[sd]?|inquire[sd]?|wonders|whether|requests?|requested"
    r"|requesting|seek(?:s|ing)? (?:advice|guidance|help|an? (?:second )?opinion)"
    r"|likes to know|to know)\b",
    re.IGNORECASE,
)


_ASKS_NOW = re.compile(
    r"\b(?:asks|wonders|wants to know|would like to know|wishes to know|enquires|inquires"
    r"|seeks advice on|(?:question|issue) (?:is|was|remains|remained|arises|arose))"
    r" (?:us )?(?:whether|if|how|what|when|why|who|which|where)\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"(?<![\s,.])[\s,.]+(?:and |but |so ){0,3}"
    r"(?=(?:i (?:just |also )*(?:want|wanted|would like|need) to know"
    r"|i (?:was|am) (?:just )?wondering|please (?:advise|suggest|tell|let me know|recommend)"
    r"|(?:what|how) (?:should|can|do|could) i|should i|can i|could (?:i|it|this|there) be"
    r"|(?:can|could) (?:you|u|anyone|someone) (?:please )?(?:tell|advise|suggest|explain|help)\b"
    r"|is (?:it|this|there) (?:\w+ )?(?:to|a|an|any|safe|normal|serious|because|possible|right)"
    r"|will (?:it|this|i) )\b)"
    r"|(?<!\s)\s*,\s*(?:and |but |so )?(?=(?:what|how|why)"
    r" (?:is|are|can|could|should|would|may|might) (?:i|it|this|that|these|there|be)\b)",
    re.IGNORECASE,
)
"""White space is read from its beginning alone: from each place in it, time would be square."""
_LEANS = re.compile(
    r"(?:^|\s)(?:if|when|whenever|while|because|since|although|that|which|who|what|where|why|how"
    r"|as|until|unless|after|before|once|whether|and|or|but|so|than|medicine|time|like|said|told"
    r"|says|know|think|feel|wonder\w*|ask\w*|day|thing|last|every|sure|hope|to|even|from|not|nor"
    r"|neither|only|is|are|was|were|be|(?:what|which|whose|how)(?: [\w-]+){1,3})$",
    re.IGNORECASE,
)
"""The end of a clause that the next words belong to."""
_LEANS_CHARS = 120
"""The reach of `_LEANS`: four words, so that the text before them is not searched each time."""
_GOVERNS = re.compile(
    r"\W*(?:if|when|whenever|while|because|since|although|though|as|until|unless|after|before|once"
    r"|in case|given|with|without|for|during|due to|every time|(?:at|in|under|on) no|only|never"
    r"|rarely|seldom|hardly|nor|not|so)\b",
    re.IGNORECASE,
)
"""The beginning of a clause that may govern the question after it: `If it hurts, should I go?`"""


def question_starts(sentence: str) -> Iterator[re.Match[str]]:
    """Yield the joints of a run-on sentence at which a question of its own begins.

    The text before a match is a statement, the text after it the question.
    """
    if _GOVERNS.match(sentence):
        return
    for match in _START.finditer(sentence):
        end = match.start()
        if end and not _LEANS.search(sentence, max(0, end - _LEANS_CHARS), end):
            yield match


def is_inverted(sentence: str) -> bool:
    """Return whether a sentence has the word order of a question, with or without its mark."""
    return bool(_INVERTED.match(sentence)) and not _CONDITIONAL.match(sentence)


def asks(sentence: str) -> bool:
    """Return whether a sentence asks something: by its mark, its order, or its words."""
    if sentence.rstrip().endswith("?") or is_inverted(sentence):
        return True
    found = _ASKS.search(sentence)
    return found is not None and not _OFFERS.search(sentence, 0, found.start())


def asks_for_another(text: str) -> bool:
    """Return whether a text reports an open question: "The client asks whether ...".

    Also the question of a dispute: "The question was whether ...".
    """
    return bool(_ASKS_NOW.search(text))


def reports_question(sentence: str) -> bool:
    """Return whether a sentence says that someone asks: how a summary states a question."""
    return bool(_REPORTS.search(sentence))
