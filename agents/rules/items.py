"""Items: sentences that have their meaning only together, in the record's order.

An item is kept or left out as one, or loses its end, since a sentence depends on those before it.
Some sentences restrict the one before them (`However`, `Otherwise`, `Do not take it if`): that one
does not stay without them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sage_rag.agents.lexicon import lexicon, words
from sage_rag.agents.rules.courtesies import is_courtesy
from sage_rag.agents.rules.sentences import is_clause
from sage_rag.common.questions import asks
from sage_rag.privacy.gate.facts.references import PERSON, references
from sage_rag.privacy.gate.facts.sentences import begins_instruction, tokenize

Item = tuple[str, ...]
"""Sentences in the record's order; the first depends on none before it."""

_RESTRICTS = re.compile(
    r"(?:but|however|otherwise|unless|except|still|yet|though|although|or else|in that case|if so"
    r"|if not|if yes|if no|then|instead|even so|only|until then|nevertheless|that said|first"
    r"|before (?:we|you|i|that|this|doing|starting|proceeding))\b",
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
    r"|under|above|below|up to) \d",
    re.IGNORECASE,
)
"""`More than 8 mm need surgery`: of what, the sentence before says."""
_SUPPOSES = re.compile(
    r"(?:if|when|whenever|once|unless|until|in case|in the event|should you|should it)\b", re.I
)
"""The beginning of a condition. An instruction after it may hold under it alone."""
_FRAGMENT = re.compile(
    r"(?:for|since|during|with|without|on|in|at|by|from|to|of|until|till|after|before|over)\b", re.I
)
"""A phrase without a verb says when or how the sentence before it is meant: `For some years.`"""
_HE_OR_SHE = re.compile(r"\b(?:he|she|his|her|him)\b(?! or )", re.IGNORECASE)
_NAMED = re.compile(r"\[PERSON_\d+\]")
_ROLES = frozenset(
    "doctor doc physician surgeon dentist nurse consultant therapist applicant applicants claimant"
    " defendant plaintiff government judge lawyer court".split()
)
_DEMONSTRATIVE = re.compile(
    r"\bone more\b|\bday \d+\b(?! of\b)"
    r"|\b(?:this|these|those) (?!is\b|was\b|time\b|week\b|morning\b|year\b)\w"
    r"|\b(?:such (?!as\b)|that (?:decision|judgment|court|day|time|date|appeal|order|request)\b"
    r"|the same (?:day|date|month|year|court|time)|(?:ever |since |till |until )(?:since|then)\b"
    r"|next day\b|also\b|(?:is|are) (?:also |many |some |several )?(?:other|another)\b"
    r"|all (?:of )?(?:this|these|those)\b)",
    re.IGNORECASE,
)
"""A reference to what another sentence names, or a place in its order of time."""
_SHORT_DEFINITE = re.compile(r"the (?:\w+ ){1,4}\w+\.", re.IGNORECASE)
"""`The applicant appealed.`: what it is about is in the sentence before."""
_ELLIPTIC = re.compile(
    r"(?:^(?:yes\b|no,|no not\b)|\b(?:i|you|he|she|it|they|we)"
    r" (?:do|does|did|are|is|was|can|should|will|may|have|has)(?: not)?\.$)",
    re.IGNORECASE,
)
"""An answer: `I am afraid you do.`"""
_OPENING_WORDS = 6
"""Among the first words of a sentence, `it` and `this` refer to the sentence before."""
_ANNOUNCES = re.compile(
    r"\b(?:following|follows|below|these|those|are|includes?|like|things|points|steps|tests"
    r"|questions|up)(?: \w+){0,2}[.:]?$",
    re.IGNORECASE,
)
"""The end of a sentence before a list: its entries are fragments."""

_COUNTS = re.compile(
    r"\b(?P<count>two|three|four|five|[2-5]) (?:\w+ )?(?:possibilities|options|reasons|causes|ways"
    r"|things|steps|types|kinds|choices|possible \w+)[.:]?$",
    re.IGNORECASE,
)
"""The end of a sentence before a list of whole sentences."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5}
_INTRODUCES = re.compile(r"\ban? ((?:[a-z-]+ ){0,2}[a-z-]{4,})\b", re.IGNORECASE)
_NAMES_AGAIN = re.compile(r"\bthe ([a-z-]{4,})\b", re.IGNORECASE)


def group(sentences: Sequence[str]) -> list[Item]:
    """Return the sentences of a field as items, in order.

    An empty sentence is a gap: what depends on it is left out.
    """
    several = len(_persons(" ".join(sentences))) > 1
    items: list[list[str]] = [[]]
    last, listing, announced, supposing = "", False, 0, False
    for sentence in sentences:
        listing = bool(_ANNOUNCES.search(last)) or (listing and not is_clause(last))
        announced = _announced(last) or max(0, announced - 1)
        supposing = bool(_SUPPOSES.match(last)) or (supposing and _instructs(last))
        entry = announced or (listing and not is_clause(sentence)) or _named_in(last, sentence)
        entry = entry or (supposing and _instructs(sentence))
        if not sentence or not (entry or depends(sentence, several_persons=several)):
            items.append([])
        items[-1].append(sentence)
        last = sentence
    return [tuple(item) for item in items if item and item[0]]


def _instructs(sentence: str) -> bool:
    return begins_instruction([token.text for token in tokenize(sentence)])


def _announced(sentence: str) -> int:
    """Return how many sentences belong to one that ends with their number; 0 for others."""
    found = _COUNTS.search(sentence)
    return _NUMBERS.get(found["count"].lower(), 0) or int(found["count"]) if found else 0


def _named_in(last: str, sentence: str) -> bool:
    """Return whether a sentence names what the last one introduces: "a cream", then "the cream"."""
    introduced = set(" ".join(_INTRODUCES.findall(last)).lower().split())
    return any(noun.lower() in introduced for noun in _NAMES_AGAIN.findall(sentence))


def depends(sentence: str, *, several_persons: bool = True) -> bool:
    """Return whether a sentence has no meaning without the one before it.

    `several_persons`: whether `he` and `she` may refer to more than one person.
    """
    if restricts(sentence):
        return True
    if asks(sentence):  # a question is about the whole record
        return sentence.endswith(("why?", "then?", "so?")) or bool(_ASKS_BACK.match(sentence))
    if _EXPLETIVE.match(sentence):
        return False
    if _COMPARES.match(sentence):
        return True
    if _CONNECTS.match(sentence) or (_FRAGMENT.match(sentence) and not is_clause(sentence)):
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


def restricts(sentence: str) -> bool:
    """Return whether a sentence restricts or contradicts the one before it."""
    opening = " ".join(sentence.split(" ")[: _OPENING_WORDS + 2])
    return bool(
        _RESTRICTS.match(sentence) or (_CAUTION.search(sentence) and _POINTS_BACK.search(opening))
    )


def warns(sentence: str) -> bool:
    """Return whether a sentence warns, or may."""
    return bool(_WARNS.search(sentence))


def part_to_leave_out(parts: Sequence[tuple[str, int]], run: int, limit: int) -> int:
    """Return the index of the sentence to leave out, so that a repeated run is gone.

    `parts`: the sentences and how many of the run's `run` tokens each has. `limit`: the tokens of a
    run that is too long. The largest part goes, but a courtesy goes first where that is enough, and
    a question or a warning only where no other part is enough.
    """

    def rank(at: int) -> tuple[bool, bool, int]:
        sentence, size = parts[at]
        enough = run - size < limit
        needed = asks(sentence) or warns(sentence)
        return enough and is_courtesy(sentence), enough and not needed, size

    return max(range(len(parts)), key=rank)


def shorten(item: Sequence[str], count: int) -> Item:
    """Return at most the first `count` sentences of an item, none that the next one restricts."""
    while 0 < count < len(item) and restricts(item[count]):
        count -= 1
    return tuple(item[:count])


def _persons(text: str) -> set[str]:
    """Return the relatives, named persons, and persons by their roles, of a text."""
    known = lexicon()
    people = known.kin_female | known.kin_male | _ROLES
    named = {match.group() for match in _NAMED.finditer(text)}
    return named | {word for word in map(str.lower, words(text)) if word in people}
