"""Which sentences ask something: one definition for the gate and the rules. English."""

from __future__ import annotations

import re

_AUXILIARY = r"(?:is|are|am|was|were|can|could|should|would|will|does|did|has|had|may|might)"
_SUBJECT = r"(?:i|it|this|that|there|he|she|they|we|you|my|the|these|those|his|her|any\w*|one)"
_QUESTION_WORD = (
    r"(?:what|why|how|where|who|when|(?:what|which|how|whose)(?: \w+){1,3}?|(?:to|for|in) (?:what|which|whom))"
)
_INVERTED = re.compile(
    r"\W*(?:(?:and|but|so|also|then|now|or) )?(?:please )?"
    rf"(?:(?:{_QUESTION_WORD} )?{_AUXILIARY}(?:n['’]t)? {_SUBJECT}\b"
    rf"|{_QUESTION_WORD} (?:do|have)(?:n['’]t)? {_SUBJECT}\b"
    r"|(?:do|have)(?:n['’]t)? (?:i|you|we|they)\b)",
    re.IGNORECASE,
)
"""Not `Do it daily` and `Have the wound dressed`."""
_CONDITIONAL = re.compile(r"\W*(?:should|had|were) [^?]*, ", re.IGNORECASE)
"""`Should it hurt, come back.`"""
_ASKS = re.compile(
    r"\b(?:(?:want|wants|wanted|like|need) to (?:know|ask|find out|learn|understand)|wonder(?:ing|ed)?"
    r"|(?:my|the) (?:main )?question is|i have (?:a|one|some|two|several|\d) questions?"
    r"|(?:please|pls|plz|kindly) (?:\w+ )?(?:advi[sc]e|suggest|tell|guide|explain|help|reply|answer|inform"
    r"|let (?:me|us) know|recommend|give (?:me|your|an|some)|assist|clarify|confirm)"
    r"|advise (?:me|us|any|some|if|whether|what)|suggest (?:me|us|any|some|what)|help me\b"
    r"|any (?:ideas?|suggestions?|advice|thoughts|help)\b"
    r"|need (?:your |some |an? )?(?:advice|opinion|guidance|suggestion))",
    re.IGNORECASE,
)
"""A question without a question mark, or a request for an answer."""
_OFFERS = re.compile(
    r"(?:hesitate|feel free|happy|glad|pleased|if you|any (?:more|other|further)|should you)\b[^.?]*$",
    re.IGNORECASE,
)
"""`If you want to know more, feel free to ask` offers an answer, and asks nothing."""
_REPORTS = re.compile(
    r"\b(?:asks?|asked|asking|enquire[sd]?|inquire[sd]?|wonders|whether|requests?|requested"
    r"|requesting|seek(?:s|ing)? (?:advice|guidance|help|an? (?:second )?opinion)"
    r"|likes to know|to know)\b",
    re.IGNORECASE,
)


def is_inverted(sentence: str) -> bool:
    """Return whether a sentence has the word order of a question, with or without its mark."""
    return bool(_INVERTED.match(sentence)) and not _CONDITIONAL.match(sentence)


def asks(sentence: str) -> bool:
    """Return whether a sentence asks something: by its mark, its order, or its words."""
    if sentence.rstrip().endswith("?") or is_inverted(sentence):
        return True
    found = _ASKS.search(sentence)
    return found is not None and not _OFFERS.search(sentence, 0, found.start())


def reports_question(sentence: str) -> bool:
    """Return whether a sentence says that someone asks: how a summary states a question."""
    return bool(_REPORTS.search(sentence))
