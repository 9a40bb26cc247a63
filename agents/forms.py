"""The forms of records: how each is recognised, requested, and checked in a draft.

A synthetic record has its original's form: a judgment stays a judgment, a dialogue one turn of each
side. The instruction for a form is a prompt, `prompts/forms/NAME.md`.

Source: Zeng et al. (2024), arXiv 2406.14773, Tables 13 and 14, A.10.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from sage_rag.agents.prompts import prompt
from sage_rag.privacy.protect import join_fields

DIALOGUE_SIDES = (
    ("question", "answer"),
    ("patient", "doctor"),
    ("prompt", "response"),
    ("input", "output"),
    ("user", "assistant"),
    ("customer", "agent"),
    ("request", "reply"),
)
"""Names of the two sides of a dialogue, as question-answering corpora call them."""

_TURN = re.compile(r"^[ \t]{0,8}[A-Z][A-Za-z_]{1,15}(?: [A-Za-z]{1,12})? ?:(?=\s|$)", re.MULTILINE)
_ROLE = (
    r"(?:patient|doctor|dr|user|assistant|customer|client|agent|caller|guest|nurse|interviewer"
    r"|(?:patient_)?guest_\w{1,12}|speaker ?\w{0,3}|q|a|question|answer)"
)
_SPEAKER = re.compile(
    rf"^[ \t]{{0,8}}(?:{_ROLE} ?:|\[{_ROLE}\]|\[PERSON_\d{{1,6}}\] ?:)",
    re.MULTILINE | re.IGNORECASE,
)
_LIST = re.compile(r"^[ \t]{0,8}(?:[-*•] |#{1,6} |\*\*)", re.MULTILINE)
_GREETING = re.compile(
    r"^[ \t]{0,8}(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening))\b[^\n.]{0,60}[,:!.]"
    r"|(?:all|team|folks|everyone|\[PERSON_\d{1,6}\]) ?[,:!-])",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:(?:best|kind|warm)? ?regards|sincerely|thanks|thank you|cheers|best wishes"
    r"|yours (?:truly|faithfully)|let me know|please call)\b",
    re.IGNORECASE,
)
_MAIL_HEADER = re.compile(
    r"^(?:from|to|cc|subject|sent):|^-{2,} ?(?:original message|forwarded)", re.MULTILINE | re.I
)
_COURT = re.compile(
    r"\b(applicants?|courts?|plaintiffs?|defendants?|appellants?|respondents?|appeal(?:s|ed)?"
    r"|judgments?|tribunals?|convicted|sentenced|prosecutors?|proceedings|remanded|lodged|detention"
    r"|pursuant|hearings?)\b",
    re.IGNORECASE,
)
_NOTE_HEAD = re.compile(
    r"\b(hpi|chief complaint|cc|history of present illness|assessment|plan|impression|medications?"
    r"|review of systems|physical exam(?:ination)?|family history|social history|allergies|vitals"
    r"|subjective|objective|discharge|follow-?up)\b ?[:.\n]",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:the (?:patient|client|pt)|this is an? [\w-]+[- ](?:year|month)s?[- ]old"
    r"|patient (?:is|was|has|denies|reports|states)|(?:he|she) (?:denies|reports|presents))\b",
    re.IGNORECASE,
)
_DEFINING = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of|located|born|known)\b")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_SPOKEN = re.compile(r"\b(?:i|i'm|i've|you|your|my|me|we|us|our)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SPOKEN_SHARE = 0.01
"""Above this share of `I`, `you` and similar words, a text is in the first or second person."""

_SHARE = 0.4
"""Share of records that must show a form: many single records, such as parts of longer texts, show
none."""

Fields = Mapping[str, str]


def instruction(form: str) -> str:
    """Return the generator's instruction for a form, one of `form_names()`."""
    return prompt(f"forms/{form}").template


def form_names() -> tuple[str, ...]:
    """Return the forms' names, from the most specific to the most general."""
    return (*_RECOGNISED, "generic")


def dialogue_sides(names: Collection[str]) -> tuple[str, str] | None:
    """Return the fields of the question and of the reply, if the names show them."""
    return next((pair for pair in DIALOGUE_SIDES if set(pair) <= set(names)), None)


def form_of_fields(names: Collection[str]) -> str:
    """Return the form that the fields' names alone show: `dialogue` or `generic`."""
    return "dialogue" if dialogue_sides(names) else "generic"


def form_of_records(records: Sequence[Fields]) -> str:
    """Return the form that most records show; `generic` where fewer than two in five show any."""
    shown = Counter(map(_form_of, records))
    form = max(_RECOGNISED, key=lambda name: shown[name])
    return form if shown[form] >= max(1.0, _SHARE * len(records)) else "generic"


def _form_of(record: Fields) -> str:
    """Return the most specific form that a record shows."""
    return next((form for form, shows in _RECOGNISED.items() if shows(record)), "generic")


def form_complaint(form: str, draft: Fields) -> str | None:
    """Return what a draft lacks of its form, without quoting it; `None` if nothing."""
    if any(len(_LIST.findall(text)) > 1 for text in draft.values()):
        return "it is written as a list or with headings; write connected sentences"
    return _FAULTS.get(form, _monologue_fault)(draft)


def _is_dialogue(record: Fields) -> bool:
    return dialogue_sides(record) is not None or _turns(join_fields(record)) > 1


def _turns(text: str) -> int:
    """Return how many lines begin with a speaker, if more than one is a usual speaker's name."""
    known = len(_SPEAKER.findall(text))
    return max(known, len(_TURN.findall(text))) if known > 1 else 0


def _is_mail(record: Fields) -> bool:
    text = join_fields(record)
    if _MAIL_HEADER.search(text) or {"subject", "body"} <= set(record):
        return True
    return bool(_GREETING.search(text)) or bool(_CLOSING.search(text[-400:]))


def _is_judgment(record: Fields) -> bool:
    return len({word.casefold() for word in _COURT.findall(join_fields(record))}) >= 3


def _is_note(record: Fields) -> bool:
    text = join_fields(record)
    heads = {head.casefold() for head in _NOTE_HEAD.findall(text)}
    return len(heads) >= 2 or (bool(_REPORTED.search(text)) and _spoken(text) <= _SPOKEN_SHARE)


def _is_encyclopaedic(record: Fields) -> bool:
    text = join_fields(record)
    signs = len(_YEAR.findall(text)) + len(_DEFINING.findall(text))
    return signs >= 2 and _spoken(text) <= _SPOKEN_SHARE


def _spoken(text: str) -> float:
    return len(_SPOKEN.findall(text)) / max(1, len(_WORD.findall(text)))


_RECOGNISED: Mapping[str, Callable[[Fields], bool]] = {
    "dialogue": _is_dialogue,
    "judgment": _is_judgment,
    "note": _is_note,
    "mail": _is_mail,
    "encyclopaedic": _is_encyclopaedic,
}


def _dialogue_fault(draft: Fields) -> str | None:
    if len(draft) > 1:
        if any(_SPEAKER.search(text) for text in draft.values()):
            return "a field holds speakers' names; each field is one turn, without the name"
        return None
    return None if _turns(join_fields(draft)) == 2 else "it is not one turn of each speaker"


def _monologue_fault(draft: Fields) -> str | None:
    if any(_turns(text) > 1 for text in draft.values()):
        return "it is written as a dialogue"
    return None


def _mail_fault(draft: Fields) -> str | None:
    text = join_fields(draft)
    if not _GREETING.search(text) or not _CLOSING.search(text[-200:]):
        return "a mail opens with a greeting line and closes with a line such as `Regards,`"
    return _monologue_fault(draft)


def _judgment_fault(draft: Fields) -> str | None:
    if not _COURT.search(join_fields(draft)):
        return "it does not read as a judgment: no court, no parties"
    return _monologue_fault(draft)


def _third_person_fault(draft: Fields) -> str | None:
    if _spoken(join_fields(draft)) > 2 * _SPOKEN_SHARE:
        return "it speaks as `I` or to `you`; write in the third person"
    return _monologue_fault(draft)


_FAULTS: Mapping[str, Callable[[Fields], str | None]] = {
    "dialogue": _dialogue_fault,
    "judgment": _judgment_fault,
    "note": _third_person_fault,
    "mail": _mail_fault,
    "encyclopaedic": _third_person_fault,
}
