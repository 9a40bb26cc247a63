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
    " Epworth Ranson Waterlow Wells",
    r"(?:scores?[ ])?(?:(?:was|were|is|of|at)[ ])?\d{1,2}(?![\d.:]|[ ](?-i:[A-Z]))": "Apgar Apgars"
    " Barthel Epworth",
    r"\d[ ]?\+[ ]?\d": "Gleason",
    r"(?:grades?|stages?|class)[ ](?:\d|[IVX]+|[A-D])\b": "Child-Pugh Clark Gleason Hurley Kellgren"
    " Killip Tanner",
    r"[A-C]\b": "Child-Pugh",
    r"[A-C][ ]lines?": "Kerley",
    r"(?:type[ ])?(?:I{1,2}|[12])\b": "Billroth Mobitz",
    r"(?:depth|thickness|(?:of[ ])?\d{1,2}(?:\.\d{1,2})?[ ]?mm)": "Breslow",
    r"skin[ ]types?": "Fitzpatrick",
    r"cysts?": "Baker Bartholin",
    r"contractures?": "Dupuytren",
    r"phenomenon": "Raynaud",
    r"(?:o?esophagus)": "Barrett",
    r"catheters?": "Foley Hickman",
    r"monitors?": "Holter",
    r"signs?": "Babinski Brudzinski Chvostek Homans Kernig Lachman Lhermitte Murphy Phalen Romberg"
    " Rovsing Tinel Trendelenburg",
    r"tests?": "Coombs Finkelstein Lachman Mantoux McMurray Phalen Romberg Schirmer Schober",
    r"(?:positive|negative|upgoing|downgoing)": "Babinski Brudzinski Coombs Kernig"
    " Lachman Mantoux Phalen Romberg Rovsing Tinel",
    r"(?:virus(?:es)?|(?:ha?emorrhagic[ ])?fevers?)": "Ebola Epstein-Barr Lassa Marburg Zika",
    r"man(?:o?eu)vers?|manoeuvres?": "Valsalva Epley",
}
_FINDINGS: dict[str, list[str]] = {}
for _finding, _names in _CALLED_AFTER.items():
    for _name in _names.casefold().split():
        _FINDINGS.setdefault(_name, []).append(_finding)
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def finding_after(name: str) -> str:
    """Return an expression for what is called after `name` and follows it; "" for other names.

    It begins at the name's end: "'s disease", "disease".
    """
    findings = _FINDINGS.get(name.casefold())
    return rf"(?:['’]s?)?[ ](?i:{'|'.join(findings)})(?!\w)" if findings else ""


def is_eponym(text: str, start: int, end: int) -> bool:
    """Return whether `[start, end)` is a name within the name of a finding, or begins with it.

    "«Lewy» body" and "«Child-Pugh B»"; not "«Lewy body Keller»".
    """
    name = _FIRST_WORD.match(text, start, end)
    expression = finding_after(name.group()) if name else ""
    if not name or not expression:
        return False
    finding = re.compile(expression).match(text, name.end())
    return finding is not None and (end == name.end() or finding.end() >= end)
