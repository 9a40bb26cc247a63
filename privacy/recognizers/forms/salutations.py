"""Patterns of names that are ordinary words, where a letter shows that they name a person.

A network knows "Clemency" and "Modesty" as words. The place in a letter decides: after "Dear" and
"Hi", after "Kind regards", and, for words that are known as given names, before and after the comma
of an address ("You need not pay, Clemency."), before what persons do ("Clemency called"), or with a
capital within a sentence ("ask Clemency").
"""

from __future__ import annotations

import re

from sage_rag.privacy.entities import EntityType
from sage_rag.privacy.recognizers.forms.patterns import Anchor, pattern
from sage_rag.privacy.recognizers.lexicon import Kind, default_lexicon, fold, stems
from sage_rag.privacy.recognizers.wordlists import TITLES

_NAMES = (
    "Amity Blessing Bliss Bounty Charisma Charity Chastity Clemency Comfort Constance Destiny"
    " Divine Endurance Faith Favour Felicity Gift Glory Goodness Godwill Grace Harmony Honor"
    " Honour Humility Innocent Joy Learnmore Loveness Lovemore Loyalty Marvellous Marvelous Mercy"
    " Miracle Modesty Patience Perseverance Praise Precious Privilege Promise Providence Prudence"
    " Serenity Sincerity Solace Temperance Thankful Tranquility Tranquillity Treasure Trinity"
    " Verity Wisdom"
).split()
"""Virtues and wishes that are given names in English, as parents of several countries give them.
Those that headings capitalise as often ("Justice", "Trust", "Memory") are left to their place."""
_NAME = rf"(?P<value>{'|'.join(_NAMES)})(?!\w|['’]s[ ][A-Z]|-\w)"
_WORD = r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){1,30}"
_WORDS = rf"(?P<value>{_WORD}(?:[ ]{_WORD}){{0,2}})"

_ROLES = frozenset(
    "admin administration agent all alumni applicant auntie authority board both brother"
    " candidate chair chairman chairperson client colleague committee council counsel customer dad"
    " daddy dear department desk dentist doc dr everybody everyone family fellow folks friend god"
    " gran grandad granny guest guys headquarters heart helpdesk home householder housing hr"
    " husband judge ladies landlady lord love madam management mate matron member mother mum mummy"
    " mom neighbor neighbour nurse occupant office one ones parent partner passenger patient"
    " people person personnel professor pupil reception resident santa school secretary server"
    " service sir sirs sister someone son staff student support surgery team teens tenant there"
    " trustee uncle unit welcome world"
    # a sign-off or the beginning of a sentence
    " again best cheers enclosed faithfully good great greetings hello hi hope kind lots many"
    " morning no ok okay please post regards respectfully sincerely sorry sent so thank thanks"
    " truly warm warmest wishes with yes yours afternoon evening chat".split()
)
"""Words that address a role or several persons, or follow a greeting otherwise."""
_ROLE_ENDINGS = ("er", "or", "ar", "ist", "ian", "ant", "ent", "man")
"""Of nouns for what a person does: "Manager", "Registrar", "Librarian"."""
_KNOWN = frozenset(map(fold, _NAMES))


def _addressee(match: re.Match[str]) -> tuple[int, int] | None:
    """Accept capitalised words whose last one names no role (a `Check`)."""
    start, end = match.span("value")
    words = match.group("value").split()
    while words and words[0].casefold().rstrip(".") in TITLES:
        start += len(words.pop(0)) + 1
    if not words or not all(word[0].isupper() for word in words):
        return None
    return None if _is_role(words[-1]) else (start, end)


def _is_role(word: str) -> bool:
    folded = fold(word)
    if folded in _KNOWN:
        return False
    if folded in _ROLES or folded in TITLES:
        return True
    lexicon = default_lexicon()
    kinds = lexicon.kinds_of(folded)
    if Kind.GIVEN in kinds or Kind.SURNAME in kinds or not lexicon.is_word(folded):
        return False
    plural = folded.endswith("s") and any(lexicon.is_word(stem) for stem in stems(folded))
    return plural or folded.endswith(_ROLE_ENDINGS)


_GREETING = re.compile(r"(?<!\w)(?i:dear(?:est)?|hi|hello|hey|hiya)[ ]")
_SIGN_OFF = (
    r"(?:(?:(?:with|many|my|our)[ ])?(?:(?:very|kind|best|warm|kindest|warmest)[ ])?"
    r"(?:regards|wishes|thanks|love|respect)|all[ ]the[ ]best|best|cheers|thank[ ]you|take[ ]care"
    r"|sincerely|respectfully|yours(?:[ ](?:sincerely|faithfully|truly|ever))?)"
)
_VIRTUE = re.compile(rf"(?<!\w)(?:{'|'.join(_NAMES)})(?!\w)")
_NOT_NAMED = r"(?<!the[ ])(?<!a[ ])(?<!an[ ])(?<!of[ ])(?<!in[ ])(?<!for[ ])(?<!our[ ])(?<!its[ ])"
_NOT_POINTED = r"(?<!this[ ])(?<!that[ ])(?<!your[ ])(?<!their[ ])"
_ADDRESSED = (
    r"(?:you|your|yours|please|do|don['’]t|did|can|could|would|will|may|if|what|when|how|where|we"
    r"|I|I['’]m|thanks|thank|let|my|our|here|this|that|the|there|it|it['’]s)"
)
_ACTED = (
    r"(?:call(?:s|ed)|wr(?:ites|ote)|sa(?:ys|id)|ask(?:s|ed)|t(?:ells|old)|phon(?:es|ed)|rang|came|went"
    r"|li(?:ves|ved)|moved|fell|thinks|thought|wants|wanted|paid|sent|works|worked"
    r"|ha[sd][ ](?:asked|written|called|replied|moved|paid|sent|not))\b"
)
"""What a person does, and a virtue does not."""

SALUTATIONS = (
    pattern(
        EntityType.PERSON,
        rf"(?m)(?<!\w)(?i:dear(?:est)?|hi|hello|hey|hiya)[ ]{_WORDS}"
        r"(?=[ ]?[,;:!.]|[ ]?[—–-][ ]|[ ]*$)",
        0.8,
        _addressee,
        anchor=Anchor(_GREETING, before=2, after=140),
    ),
    pattern(
        EntityType.PERSON,
        rf"(?m)(?:^|(?<=[.!?][ ]))(?i:{_SIGN_OFF})(?:[ ]?[,.!]?[ ]*\n\s{{0,4}}|,[ ]){_WORDS}"
        r"[.]?[ ]*$",
        0.8,
        _addressee,
        anchor=Anchor(re.compile(rf"(?<!\w)(?i:{_SIGN_OFF})(?!\w)"), before=2, after=140),
    ),
    pattern(
        EntityType.PERSON,
        rf"(?m)(?:^|(?<=[.!?][ ])){_NAME}(?=,[ ]{_ADDRESSED}\b|[ ]{_ACTED})",
        0.7,
        anchor=Anchor(_VIRTUE, before=4, after=16),
    ),
    pattern(
        EntityType.PERSON,
        rf"(?<=[a-z,’'][ ]){_NOT_NAMED}{_NOT_POINTED}{_NAME}(?![ ](?:[A-Z]|of\b|and[ ][A-Z]))",
        0.7,
        anchor=Anchor(_VIRTUE, before=8, after=16),
    ),
)
