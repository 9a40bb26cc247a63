"""Words and figures of medicine, which are not private although they look like names or dates.

Half of the values are invented (a drug of a new name, a disease called after an unknown person), so
that a tagger learns the words around them, not a list.
"""

from __future__ import annotations

from sage_rag.training.recognition.generated.draw import Draw
from sage_rag.training.recognition.generated.figures import spelled
from sage_rag.training.recognition.generated.persons import family_name

_STEMS = (
    "mab nib pril sartan statin azole cillin mycin oxacin prazole tidine dipine olol setron "
    "triptan gliptin gliflozin glutide parin xaban grel fenac profen coxib dronate vir pam zine"
).split()
"""Endings that the names of substances of one class share (WHO, stem book)."""
_NAMED_FINDINGS = (
    "disease syndrome sign test score criteria procedure palsy tumour fracture cyst phenomenon "
    "stain catheter classification index manoeuvre reflex nodes lymphoma thyroiditis"
).split()
_SHARE = (
    "{n} in {m}", "{n} out of {m}", "{n} of every {m}", "{n} per cent", "{n}%", "{n} in every {m}",
)  # fmt: skip
_FREQUENCY = (
    "{n} times a day", "{n} times daily", "every {n} hours", "every {n} weeks", "{n} a day",
    "{n} days a month", "{n} nights a week", "{n} times a week", "{n} or {m} times a year",
    "once in {n} days", "twice daily", "every other day", "{n}x a week",
)  # fmt: skip
_UNITS = "days days weeks weeks months hours minutes".split()


def drug(draw: Draw) -> str:
    """Return the name of a drug; some have a form or a brand's addition."""
    name = draw.word("medicine", "drugs") if draw.chance(0.6) else _new_drug(draw)
    return (
        f"{name} {draw.pick(('XR', 'SR', 'ER', 'LA', '20', '40', 'CR', 'forte', 'DS', 'gel'))}"
        if draw.chance(0.08)
        else name
    )


def _new_drug(draw: Draw) -> str:
    coined = draw.coined()
    if draw.chance(0.55):
        return coined
    substance = coined.lower().rstrip("aeiou") + draw.pick("aeio") + draw.pick(_STEMS)
    return substance.capitalize() if draw.chance(0.3) else substance


def condition(draw: Draw) -> str:
    """Return a condition; a third of them are called after a person."""
    return draw.word("medicine", "conditions") if draw.chance(0.7) else _called_after(draw)


def medical_test(draw: Draw) -> str:
    """Return a test, a score, a procedure or an instrument."""
    return draw.word("medicine", "tests") if draw.chance(0.8) else _called_after(draw)


def eponym(draw: Draw) -> str:
    """Return a family name after which a disease or a test is called."""
    return draw.word("medicine", "eponymous")


def _called_after(draw: Draw) -> str:
    who = eponym(draw) if draw.chance(0.4) else family_name(draw)
    if draw.chance(0.15):
        who = f"{who}-{family_name(draw)}"
    return f"{who}{draw.pick(('', chr(39) + 's', '’s'))} {draw.pick(_NAMED_FINDINGS)}"


def reading(draw: Draw) -> str:
    """Return a measured value with its name: "TSH 11", "LDL below 70", "BP 190/110"."""
    if draw.chance(0.2):
        pressure = f"{draw.between(95, 230)}/{draw.between(50, 130)}"
        return draw.pick((pressure, f"BP {pressure}", f"BP of {pressure}", f"BP: {pressure}"))
    link = draw.pick((" ", " ", ": ", " is ", " was ", " of ", " below ", " under ", " - ", "="))
    return draw.word("medicine", "labs") + link + _figure(draw)


def _figure(draw: Draw) -> str:
    whole, tenth = draw.between(1, 240), draw.between(0, 9)
    forms = (
        f"{whole}", f"{whole}", f"{whole % 40}.{tenth}", f"{whole % 9}.{tenth}{tenth}",
        f"{whole} mg/dl", f"{whole % 30}.{tenth} g/dL", f"{whole}%", f"{whole}-{whole + 9}",
    )  # fmt: skip
    return draw.pick(forms)


def temperature(draw: Draw) -> str:
    """Return a temperature: "38.9", "101.4 F"."""
    if draw.chance(0.5):
        return f"{draw.between(36, 41)}.{draw.between(0, 9)}{draw.pick(('', '', ' C', '°C'))}"
    return f"{draw.between(97, 105)}{draw.pick(('', '.4', '.8'))}{draw.pick(('', ' F', 'F', '°F'))}"


def course(draw: Draw) -> str:
    """Return the length of a treatment or of advice: "10 days", "six to eight weeks"."""
    first = draw.between(2, 12)
    number = _number(draw, first)
    if draw.chance(0.35):
        number += draw.pick((" to ", "-", " or ")) + _number(draw, first + draw.between(1, 4))
    return f"{number} {draw.pick(_UNITS)}"


def frequency(draw: Draw) -> str:
    """Return how often something happens or is taken."""
    n = draw.between(2, 9)
    return draw.pick(_FREQUENCY).format(n=_number(draw, n), m=_number(draw, n + 1))


def share(draw: Draw) -> str:
    """Return a share of cases: "eight in ten", "1 out of 100"."""
    m = draw.pick((10, 20, 100, 5))
    n = _number(draw, draw.between(1, m - 1))
    return draw.pick(_SHARE).format(n=n, m=_number(draw, m) if m < 100 else "100")


def _number(draw: Draw, number: int) -> str:
    return spelled(number) if draw.chance(0.5) else str(number)
