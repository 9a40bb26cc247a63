"""Which sentences have no meaning, or another one, without the sentence before them. English.

A sentence is taken to depend where a cue says so; that it stands alone is not proven.
"""

from __future__ import annotations

import re

from sage_rag.agents.rules.courtesies import is_courtesy
from sage_rag.agents.rules.sentences import is_clause
from sage_rag.common.questions import asks
from sage_rag.privacy.gate.facts.references import PERSON, references
from sage_rag.privacy.gate.facts.sentences import begins_instruction, tokenize
from sage_rag.privacy.gate.restrictions import LIMITS

_RESTRICTS = re.compile(
    r"(?:but|however|otherwise|unless|except|still|yet|though|although|or else|in that case|if so"
    r"|if not|if yes|if no|then|instead|even so|only|until then|nevertheless|that said|first"
    r"|before (?:we|you|i|that|this|doing|starting|proceeding)"
    rf"|(?:(?:but|and) )?(?:max|{'|'.join(LIMITS)}))\b",
    re.IGNORECASE,
)
_CAUTION = re.compile(r"(?:\b(?:do not|never|avoid|stop|unless|only if|except)\b|n['’]t\b)", re.I)
_WARNS = re.compile(
    r"\b(?:emergency|urgent(?:ly)?|immediately|at once|right away|without delay|ambulance|hospital"
    r"|as (?:soon|early) as possible|dangerous|life[- ]threatening|do not|never|stop|911|112)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_CONNECTS = re.compile(
    r"(?:so|and|or|also|therefore|thus|hence|besides|moreover|furthermore|meanwhile|after that"
    r"|afterwards|since then|in between|in addition|as a result|this|that|these|those|they|their"
    r"|them|its|such|both|neither|either|another|the (?:other|former|latter|same)|one of"
    r"|(?:after|during|before) the (?:procedure|operation|surgery|treatment)"
    r"|the (?:condition|procedure)|along with|together with|as well as|including|such as|plus"
    r"|it|it's|which|again|(?:help|kill|cause|happen|hurt|come|feel|seem|look|work|make|start)s)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"it(?:'s| is| was| may be| might be| would be| will be| can be| seems?) (?:\w+ ){0,2}"
    r"(?:to|that|if|like|as if|\d+)\b",
    re.IGNORECASE,
)
"""`It is important to` refers to no sentence before it."""
_POINTS_BACK = re.compile(r"\b(?:it|its|them|they|their|this|that|these|those)\b", re.IGNORECASE)
_ASKS_BACK = re.compile(r"(?:(?:so|and|but) )?(?:is|are|was|were) (?:that|those)\b", re.I)
"""`Is that normal?` asks about the sentence before it."""
_COMPARES = re.compile(
    r"(?:(?:more|less|fewer|greater|higher|lower|larger|smaller|bigger|longer|shorter) than|over"
    r"|under|up to) \d",
    re.IGNORECASE,
)
"""`More than 8 mm need surgery`: of what, the sentence before says."""
_SUPPOSES = re.compile(
    r"(?:if|when|whenever|once|unless|until|in case|in the event|should you|should it)\b", re.I
)
"""The beginning of a condition. An instruction after it may hold under it alone."""
_HE_OR_SHE = re.compile(r"\b(?:he|she|his|her|him)\b(?! or )", re.IGNORECASE)
_DEMONSTRATIVE = re.compile(
    r"\bone more\b|\bday \d+\b(?! of\b)"
    r"|\b(?:this|these|those) (?!is\b|was\b|time\b|week\b|morning\b|year\b)\w"
    r"|\b(?:such (?!as\b)|that (?:decision|judgment|court|day|time|date|appeal|order|request)\b"
    r"|the same (?:day|date|month|year|court|time)|(?:ever |since |till |until )(?:since|then)\b"
    r"|next day\b|also\b"
    r"|all (?:of )?(?:this|these|those)\b)",
    re.IGNORECASE,
)
"""A reference to what another sentence names, or a place in its order of time."""
_SHORT_DEFINITE = re.compile(r"the (?:\w+ ){1,4}\w+\.", re.IGNORECASE)
"""`The applicant appealed.`: what it is about is in the sentence before."""
_ELLIPTIC = re.compile(
    r"(?:^(?:yes\b|no,|no not\b|nope\b|yeah\b|of course\b)|\b(?:i|you|he|she|it|they|we)"
    r" (?:do|does|did|are|is|was|can|should|will|may|have|has)(?: not)?\.$)",
    re.IGNORECASE,
)
"""An answer: `I am afraid you do.`"""
_FRAGMENT = re.compile(
    r"(?:(?:for|since|during|with|without|on|in|at|by|from|to|of|until|till|after|before|over)\b"
    r"|\w+ing\b|(?:\w+ ){1,2}of\b)",
    re.IGNORECASE,
)
"""A phrase without a verb goes on with the sentence before it: `For some years.`, `Size of it.`"""
_OPENING_WORDS = 6
"""Among the first words of a sentence, `it` and `this` refer to the sentence before."""
_LIMITS = re.compile(r"(?:if|unless|in case|provided)\b", re.IGNORECASE)
"""`No need for antibiotics. If there is blood, give them`: the second sentence limits the first."""
_PERMITS = re.compile(r"\b(?:can|may|could|allowed|fine|safe|ok|okay|no need)\b", re.IGNORECASE)
_FORBIDS = re.compile(
    r"(?:\b(?:not|never|avoid|stop|unless|only|except|until)\b|n['’]t\b)", re.IGNORECASE
)
_LINKS = re.compile(
    r"\b(?:above|below|former|latter|others?|another|still|simultaneous(?:ly)?|else|mentioned"
    r"|prescribed|alternatively|meanwhile|same|too|as well|even|everything|nothing|remaining"
    r"|replied|supplementary|additional(?:ly)?|listed|previously|both|all (?:two|three|four|five)"
    r"|if (?:required|needed|necessary|possible|not))\b",
    re.IGNORECASE,
)
"""Words that need a second thing, which another sentence names."""
_ASKS_OF = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|other|same|so|above)\b", re.IGNORECASE
)
"""What a question is about may be named before it."""


def depends(sentence: str, *, several_persons: bool = True) -> bool:
    """Return whether a sentence has no meaning without the one before it.

    `several_persons`: whether `he` and `she` may refer to more than one person.
    """
    if restricts(sentence):
        return True
    if asks(sentence):
        return _asks_back(sentence)
    if _EXPLETIVE.match(sentence):
        return False
    if _LINKS.search(sentence) or _COMPARES.match(sentence) or _CONNECTS.match(sentence):
        return True
    if _FRAGMENT.match(sentence) and not is_clause(sentence):
        return True
    opening = " ".join(sentence.split(" ")[:_OPENING_WORDS])
    return bool(
        _POINTS_BACK.search(opening)
        or (several_persons and _HE_OR_SHE.search(opening))
        or _DEMONSTRATIVE.search(sentence)
        or _ELLIPTIC.search(sentence)
        or _SHORT_DEFINITE.fullmatch(sentence)
        or not references(tokenize(sentence)).keys() <= {PERSON}
    )


def restricts(sentence: str, before: str = "") -> bool:
    """Return whether a sentence restricts or contradicts the one before it.

    `before`: that one. A condition or a prohibition restricts one that permits something.
    """
    if is_courtesy(sentence):
        return False
    opening = " ".join(sentence.split(" ")[: _OPENING_WORDS + 2])
    if _RESTRICTS.match(sentence) or (_CAUTION.search(sentence) and _POINTS_BACK.search(opening)):
        return True
    if not before or asks(before) or asks(sentence):
        return False
    limits = _LIMITS.match(sentence) or _FORBIDS.search(sentence)
    return bool(limits and _PERMITS.search(before))


def supposes(sentence: str) -> bool:
    """Return whether a sentence begins with a condition, under which the next one may hold."""
    return bool(_SUPPOSES.match(sentence))


def instructs(sentence: str) -> bool:
    """Return whether a sentence begins with the verb of an instruction."""
    return begins_instruction([token.text for token in tokenize(sentence)])


def warns(sentence: str) -> bool:
    """Return whether a sentence warns, or may."""
    return bool(_WARNS.search(sentence))


def _asks_back(sentence: str) -> bool:
    """Return whether a question is about what the sentence before it says."""
    if sentence.endswith(("why?", "then?", "so?")) or _ASKS_BACK.match(sentence):
        return True
    refers = references(tokenize(sentence)).keys() - {PERSON}
    return bool(refers) and _ASKS_OF.search(sentence) is not None
