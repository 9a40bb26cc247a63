"""Split typed text, also run-on or without punctuation, into clean whole sentences."""

from __future__ import annotations

import re
from itertools import islice

from sage_rag.agents.lexicon import WORD, is_boilerplate, lexicon, words
from sage_rag.agents.rules.contractions import contract, short_forms
from sage_rag.agents.rules.tidy import tidy, with_apostrophes
from sage_rag.common.questions import is_inverted, question_starts
from sage_rag.common.quotations import in_quotation
from sage_rag.common.sentences import sentence_spans

_TITLES = frozenset("dr mr mrs ms prof sister nurse".split())
_MISSING_STOP = re.compile(
    r"(?<=\w),?\s+(?:and )?(?=(?:i|he|she|they|it|we|there|my \w+) "
    r"(?:am|is|are|was|were|have|has|had|went|took|did|do|got|get|feel|felt|started|still|can"
    r"|cannot|also|just|think)\b)"
    r"|[\s,]+(?:and |so )?(?=(?:(?:what|how|why) )?"
    r"(?:(?:is|are|can|could|should|would|will|do|does|did|has|have)"
    r" (?:i|it|this|that|there|he|she|they|we|you|my))\b)",
    re.IGNORECASE,
)
_GOVERNED = re.compile(
    r"\b(?:if|when|whenever|while|because|since|although|though|as|until|till|unless|after|before"
    r"|once|in case|every time|that|which|who|what|where|why|how|whether|than|sa(?:id|ys?)|told"
    r"|think|thought|know|feel like|believe|wonder\w*|hope|sure|afraid|ask\w*|advise[sd]?"
    r"|suggest\w*|recommend\w*|want\w*|not|never|no|without|\w+n['’]t|cannot|but|or)\b",
    re.IGNORECASE,
)
"""A clause with such a word may govern the next one, so that no stop is missing between them."""
_PHRASE = re.compile(
    r"(?:in|on|at|with|after|before|for|during|by|under|without|from|since|upon|given|due|as|to|of"
    r"|once|every|each|sometimes|usually|maybe|perhaps|please|regarding|according|\w+ing|\w+ed)\b",
    re.IGNORECASE,
)
_HALF = re.compile(r"(?:rather than|instead of|based on)\b[^,]*$", re.IGNORECASE)
_LAST_WORD_ALONE = re.compile(
    r"(?<!ly)(?<!ly,) (?:and|but|or|so),? (?:\w+ly|also|just|then|now|maybe|perhaps|please)$",
    re.IGNORECASE,
)
"""`It hurts and honestly`: what the writer would say is missing."""
_SUBORDINATE_START = re.compile(
    r"(?:if|when|whenever|while|because|since|although|though|as|until|unless|after|before|once"
    r"|whether|due to|even|every time|till|in case|should you)\b",
    re.IGNORECASE,
)
_LEANING = re.compile(rf"(?:and|or|but)\b|{_SUBORDINATE_START.pattern}", re.IGNORECASE)
_BROKEN_OFF = re.compile(r"—(?:[\"'”’]|\s*\.?$)")
"""`I thought you—` or `"I thought you—" she began.`"""
_QUOTED_QUESTION = re.compile(r"\?[\"'”’]+$")
_QUOTED_END = re.compile(r"[.?!][”\"’]+$")
_AFTER_QUOTATION = re.compile(r"(?<=[.!?…][\"'”’])[ \t]+(?=[a-z])")
"""`"Run!" he said.`"""
_STOPS = (".", "?", "!", ";")
_NEVER_LAST = frozenset("a an the and or but were was".split())
_RUN_ON = 28
"""Words from which a sentence is searched for stops that its writer left out."""
_LONG = 12
"""Words from which a sentence is searched for a question that its writer did not separate."""
_SHORTEST = 4
_TAG = re.compile(
    r"(?:\S+ ){1,2}(?:said|asked|replied|answered|added|cried|called|shouted|yelled|whispered"
    r"|muttered|told me|went on)(?: \w+)?\W*"
)
"""`Anna asked softly.` after a quotation."""


def split_sentences(text: str) -> list[str]:
    """Return tidy sentences in order: each begins with a capital and ends with `.` or `?`.

    A sentence is whole: only greetings, thanks, closings and fillers are left out of it. In a
    run-on text, stops that the writer left out are restored between plain statements. A sentence
    that breaks off is left out. Contractions of the text stay.
    """
    return [sentence for sentence in sentences_and_gaps(text) if sentence]


def sentences_and_gaps(text: str) -> list[str]:
    """Return the sentences of `split_sentences`, and an empty one for each that is not used.

    It is broken, or it is all quotation: alone it would be the record's own word. What only says
    who spoke, or goes on after the quotation, is left out with it.
    """
    typed = frozenset(form.casefold() for form in short_forms(with_apostrophes(text)))
    sentences = separate(tidy(text))
    quoted = in_quotation(sentences)
    unused = [
        own or (before and (sentence[:1].islower() or bool(_TAG.fullmatch(sentence))))
        for sentence, own, before in zip(sentences, quoted, [False, *quoted], strict=False)
    ]
    return [
        "" if left_out else contract(clean_sentence(part), only=typed)
        for sentence, left_out in zip(sentences, unused, strict=True)
        for part in _restore_stops(sentence)
        if not _says_nothing(_bare(part))
    ]


def clean_sentence(sentence: str) -> str:
    """Return a sentence without openings and fillers; empty if it has no content or breaks off."""
    typed, text = sentence.strip(), _bare(sentence)
    if _BROKEN_OFF.search(typed):
        return ""
    unfinished = _breaks_off(text + "," * typed.endswith(","), ended=typed.endswith(_STOPS))
    if _says_nothing(text) or unfinished or lexicon().broken.search(text):
        return ""
    if _QUOTED_END.search(text):
        return capitalize(text)
    asks = typed.endswith("?") or _QUOTED_QUESTION.search(typed) or is_inverted(text)
    return capitalize(text) + ("?" if asks else ".")


def _bare(sentence: str) -> str:
    """Return a sentence without openings, fillers, and the marks at its ends."""
    known = lexicon()
    text = known.fillers.sub("", sentence.strip())
    match = known.openings.match(text)
    return _strip_marks(text[match.end() :] if match else text)


def _says_nothing(text: str) -> bool:
    return len(text) < 3 or is_boilerplate(text)


def separate(text: str) -> list[str]:
    """Return the sentences of a text as written; a quotation is apart from who said it."""
    return [part for a, b in sentence_spans(text) for part in _AFTER_QUOTATION.split(text[a:b])]


def is_clause(sentence: str) -> bool:
    """Return whether a sentence holds a verb of the word list, or a word like one."""
    known = lexicon().verbs
    return any(w.lower() in known or _inflected(w.lower()) or "'" in w for w in words(sentence))


def is_complete(text: str) -> bool:
    """Return whether the beginning of a sentence has a main clause."""
    if not _SUBORDINATE_START.match(text.strip()):
        return is_clause(text)
    segments = re.split(r",\s*", text)[1:]
    return any(is_clause(part) and not _LEANING.match(part) for part in segments)


def opens_with_phrase(text: str) -> bool:
    """Return whether a sentence begins with a phrase that may belong to all of its clauses."""
    return bool(_PHRASE.match(text))


def capitalize(text: str) -> str:
    """Return the text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def uncapitalize(text: str) -> str:
    """Return the text with its first letter in lower case, unless its first word is a name."""
    first = text.split(" ", 1)[0]
    if first.rstrip(".").lower() in _TITLES:
        return text
    bare = first.strip(",.:'")
    if first[:1] == "[" or bare == "I" or bare.startswith("I'") or not bare[1:].islower():
        return text if len(bare) != 1 or bare == "I" else text[:1].lower() + text[1:]
    return text[:1].lower() + text[1:]


def _restore_stops(sentence: str) -> list[str]:
    """Return a run-on sentence in parts: plain statements, and questions."""
    parts, start = [], 0
    size = len(words(sentence))
    questions = [*question_starts(sentence)] if size >= _LONG else []
    others = [*_MISSING_STOP.finditer(sentence)] if size >= _RUN_ON else []
    for match in sorted([*questions, *others], key=re.Match.start):
        left = sentence[start : match.start()]
        asks = match in questions
        if (
            match.start() >= start
            and _has_words(left)
            and _has_words(sentence, match.end())
            and not is_inverted(left)
            and is_clause(left)
            and (asks or not (opens_with_phrase(left) or _GOVERNED.search(left)))
            and not _breaks_off(left, ended=False)
        ):
            parts.append(left.rstrip(" ,") + ".")
            start = match.end()
    return [*parts, sentence[start:]]


def _has_words(text: str, start: int = 0) -> bool:
    """Return whether a text has `_SHORTEST` words from a place on; it reads no more of it."""
    return sum(1 for _ in islice(WORD.finditer(text, start), _SHORTEST)) == _SHORTEST


def _strip_marks(text: str) -> str:
    """Return a text without marks at both ends and without quotes or parentheses left open."""
    whole = re.sub(r"\s+", " ", text)
    text = whole.strip(" ,.!?;:-*'\"/")
    text = re.sub(r"(?<=[a-z)])[.:]\s*\(?\d{1,2}$", "", text)
    if text.count('"') % 2 or text.count('"') < whole.count('"'):
        text = text.replace('"', "")
    if text.count("“") > text.count("”"):
        text += "”"
    if text.count("(") != text.count(")"):
        text = text.replace("(", "").replace(")", "")
    return text


def _breaks_off(text: str, *, ended: bool) -> bool:
    """Return whether a sentence ends with a word that another must follow.

    `ended`: whether its writer ended it with a mark: `I know what it is.` is whole.
    """
    if _LAST_WORD_ALONE.search(text):
        return True
    last = text.rsplit(" ", 1)[-1].lower().strip(",")
    if ended:
        return last in _NEVER_LAST or bool(_HALF.match(text))
    if _SUBORDINATE_START.fullmatch(last):
        return True
    return last in lexicon().dangling or (text.endswith(",") and not is_complete(text))


def _inflected(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed")
