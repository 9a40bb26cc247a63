"""Diseases, tests and devices that medicine calls after a person.

"Graves disease" is a disease even where the patient is called Graves. Only listed pairs of a name
and a noun count: "Keller's disease" and "Graves' fracture" may be those of a patient.
"""

from __future__ import annotations

import re

_CALLED_AFTER = {
    r"diseases?": "Addison Alzheimer Behcet Behçet Bowen Bright Buerger Castleman Chagas Crohn"
    " Cushing Fabry Gaucher Graves Hansen Hashimoto Hirschsprung Hodgkin Huntington Kawasaki Lyme"
    " Meniere Ménière Paget Parkinson Perthes Peyronie Pick Pompe Pott Raynaud Schlatter Still Weil"
    " Whipple Wilson",
    r"syndromes?": "Alport Asperger Brugada Conn Cushing Down Dressler Edwards Felty Gardner"
    " Gilbert Goodpasture Guillain Horner Hunter Hurler Kallmann Klinefelter Korsakoff Lynch Marfan"
    " Noonan Patau Reiter Rett Reye Sheehan Sjogren Sjögren Stokes Tietze Tourette Turner West"
    " Williams",
    r"(?:palsy|palsies)": "Bell Erb",
    r"lymphomas?": "Burkitt Hodgkin",
    r"sarcomas?": "Ewing Kaposi",
    r"(?:body|bodies)": "Lewy",
    r"dementia": "Alzheimer Lewy",
    r"(?:ophthalmopathy|thyroiditis)": "Graves Hashimoto",
    r"(?:scales?|scores?|coma)": "Apgar Barthel Beck Bishop Braden Glasgow Gleason Norton Rankin"
    " Ranson Waterlow Wells",
    r"(?:scores?[ ])?(?:(?:was|were|is|of|at)[ ])?\d{1,2}(?![\d.:]|[ ](?-i:[A-Z]))": "Apgar Apgars"
    " Barthel",
    r"\d[ ]?\+[ ]?\d": "Gleason",
    r"(?:grades?|stages?|class)[ ](?:\d|[IVX]+|[A-D])\b": "Child-Pugh Clark Gleason Hurley Kellgren"
    " Killip Tanner",
    r"[A-C]\b": "Child-Pugh",
    r"skin[ ]types?": "Fitzpatrick",
    r"cysts?": "Baker Bartholin",
    r"contractures?": "Dupuytren",
    r"phenomenon": "Raynaud",
    r"(?:o?esophagus)": "Barrett",
    r"catheters?": "Foley Hickman",
    r"monitors?": "Holter",
    r"signs?": "Babinski Homans Murphy Romberg Tinel Trendelenburg",
    r"man(?:o?eu)vers?|manoeuvres?": "Valsalva Epley",
}
_FINDINGS: dict[str, list[str]] = {}
for _finding, _names in _CALLED_AFTER.items():
    for _name in _names.casefold().split():
        _FINDINGS.setdefault(_name, []).append(_finding)


def finding_after(name: str) -> str:
    """Return an expression for what is called after `name` and follows it; "" for other names.

    It begins at the name's end: "'s disease", "disease".
    """
    findings = _FINDINGS.get(name.casefold())
    return rf"(?:['’]s?)?[ ](?i:{'|'.join(findings)})(?!\w)" if findings else ""


def is_eponym(text: str, start: int, end: int) -> bool:
    """Return whether `[start, end)` is a name within the name of a finding ("«Lewy» body")."""
    expression = finding_after(text[start:end])
    return bool(expression) and re.compile(expression).match(text, end) is not None
