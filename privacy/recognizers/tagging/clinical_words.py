"""Words of measurement that show what a number means, as parts of expressions."""

from __future__ import annotations

from sage_rag.privacy.english import ONES, TENS

_ONES = "|".join(ONES[1:10])
NUMBER = (
    rf"(?:\d{{1,3}}(?:\.\d{{1,2}})?|(?:{'|'.join(TENS)})(?:[ -](?:{_ONES}))?"
    rf"|{'|'.join(ONES[10:])}|{_ONES}|hundred)"
)
"""A number below a thousand, in figures or words."""
UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|wks?|fortnights?|months?"
    r"|mths?|years?|yrs?|decades?)"
)
"""A unit of time."""

ABBREVIATIONS = frozenset(
    # blood and urine
    "CK CPK CRP ESR CBC FBC WBC RBC HB HGB HCT MCV MCH MCHC RDW MPV PLT INR PTT APTT TSH FSH AMH"
    " HCG PSA CEA AFP LDL HDL VLDL BUN GFR EGFR FBS PPBS RBS HBA1C HbA1c ALT AST ALAT ASAT SGPT"
    " SGOT GPT GGT ALP LDH LFT LFTS KFT RFT ABG HBSAG HBsAg HCV HIV HPV HSV VDRL DNA RNA PCR MRN"
    # what is measured of a body
    " BMI BP HR O2 SPO2 SpO2 FEV1 FVC PEF AHI LMP EDD"
    # looking inside
    " CT MRI ECG EKG EEG EMG NCV CXR USG KUB HRCT DEXA MRA MRCP ERCP TMT"
    # conditions, and where they are treated
    " TB UTI UTIS COPD GERD IBS IBD PCOS PCOD OCD ADHD PTSD DVT TIA CVA STD STI SLE CML CLL AML"
    " BNP eGFR CPAP IVF IUI ICU NICU ENT OPD NSAID NSAIDS".split()
)
"""In capitals, as laboratories write them, without those that are as often the name of a person
("ADA", "NASH"), a month or a state ("OCT", "MI", "PA")."""
ABBREVIATION = rf"(?-i:{'|'.join(sorted(ABBREVIATIONS))})"
"""One of them."""

_QUANTITIES_MEASURED = (
    r"pulse|heart[ -]?(?:rate|beats?)|(?:blood[ ])?pressures?|systolic|diastolic|temp(?:erature)?s?"
    r"|fevers?|(?:blood[ ])?sugars?|(?:blood[ ])?glucose|fasting|cholesterol|triglycerides?"
    r"|creatinine?|urea|ferritin|h(?:a)?emoglobin|h(?:a)?ematocrit|platelets?|white[ ]cells?"
    r"|lymphocytes?|neutrophils?|bilirubin|albumin|potassium|sodium|calcium|magnesium|phosphate"
    r"|uric[ ]acid|vitamin[ ]d|b12|folate|iron|lipase|amylase|troponin|prolactin|progesterone"
    r"|testosterone|o?estrogens?|insulin|saturations?|oxygen|sats|ketones?|titre|titer|viral[ ]load"
    r"|ejection[ ]fraction|counts?|levels?|readings?|values?|scores?|ratios?|(?:normal[ ])?range"
    r"|dos(?:e|es|age)|labs?|peak[ ]flow|respiratory[ ]rate|respirations?|breaths|trough"
    r"|weigh(?:s|t|ing)?"
)
_READ_OFF = "gadget|monitor|meter|cuff|oximeter|thermometer|scales?|normal(?:ly)?"
MEASURES = rf"(?:(?i:{_QUANTITIES_MEASURED}|{_READ_OFF}|hba1c|spo2)|(?-i:Hb|T3|T4)|{ABBREVIATION})"
"""What is measured and has no age: a laboratory value, a pulse, a dose; and the instruments."""
UNITS_OF_MEASURE = (
    r"(?:%|‰|°|per[ ]?cent\b|bpm\b|beats\b|mmol|mmhg|mg\b|mcg\b|µg\b|ng\b|pg\b|g/|iu\b|units?\b"
    r"|kgs?\b|kilos?\b|lbs?\b|pounds?\b|cms?\b|mm\b|k?hz\b|k(?:ilo)?hertz\b|db\b|decibels?\b"
    r"|degrees?\b|points?\b|ml\b|lit(?:re|er)s?\b|fold\b|tablets?\b|pills?\b|puffs?\b|drops?\b"
    r"|caps(?:ules?)?\b|doses?\b|cycles?\b|calories\b|kcal\b|steps\b)"
)

_THINGS = (
    r"stents?|implants?|pacemakers?|catheters?|valves?|(?:contact[ ])?lens(?:es)?|glasses|dentures?"
    r"|inhalers?|prescriptions?|tablets|pills|(?:eye|ear|nose)[ ]drops|gallstones?|stones?|car|van"
    r"|truck|bike|house|phone|laptop|mattress|pillow|bottle|packet|carton"
)
_NO_NOUN_AFTER = (
    r"\b(?=[ ]?(?:[.,;:!?)]|\Z)|[ ](?:and|or|that|which|is|was|are|were|has|had|in|on|of|from|with"
    r"|I|you|we)\b)"
)
KIND = (
    r"(?:(?:metal|dental|coronary|cardiac|heart|hip|knee|breast|mitral|aortic|silicone|titanium"
    r"|plastic|drug-eluting|surgical|open|ankle|wrist|elbow|shoulder|arm|hand|finger|rib|back|leg"
    r"|foot|toe|skin|stress|sports)[ ])?"
)
"""The kind of thing or finding; no other word: in "with stents" the age is the patient's."""
THING_ALONE = rf"(?:{_THINGS}){_NO_NOUN_AFTER}"
"""A thing that no noun follows: "car", not "car mechanic" or "bottle fed baby"."""
THINGS = rf"(?:{_THINGS}|contacts|monthlies|dailies)"
"""Things that have an age and are not persons."""
FINDINGS = (
    r"(?:fractures?|injury|injuries|wounds?|scars?|bruises?|cysts?|polyps?|tumou?rs?|lesions?|rash"
    r"|ulcers?|lumps?|infections?|clots?|scans?|x-rays?|blood[ ]tests?|results?|reports?|grafts?)"
    rf"{_NO_NOUN_AFTER}"
)
"""What is found on a person; its age in years is part of the person's history."""
PEOPLE = (
    r"(?:bab(?:y|ies)|infants?|newborns?|toddlers?|child(?:ren)?|kids?|boys?|girls?|sons?"
    r"|daughters?|twins?|m[ae]n|wom[ae]n|lad(?:y|ies)|gentlem[ae]n|guy|patients?|husband|wife"
    r"|mother|father|mum|mom|dad|parents?|brothers?|sisters?|uncle|aunt|nephew|niece|cousin"
    r"|grand\w{3,8}|friend|boyfriend|girlfriend|neighbou?r|colleague|males?|females?)"
)
