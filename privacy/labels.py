"""Map labels of other annotation schemes to our entity types.

Each scheme is a table from an `EntityType` to its labels. Labels without an entity type are in the
table too, under `None`: an unknown label is an error, not a silent gap in a policy or a figure.

Some labels are coarser than our types. TAB's CODE is any number or code that identifies, from a
phone number to a court's file number; its DEM includes ages and descent; MEDDOCAN's CALLE is a
street with its number. For such a label `type_of_label` returns the type that a policy applies to
it, and `matching_types` all types that count as correct: a recognizer that marks a CODE as a
passport number has found it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from sage_rag.common.exceptions import InputError
from sage_rag.privacy.entities import EntityType as T
from sage_rag.privacy.entities import Identifiability, identifiability


class Scheme(StrEnum):
    """The origin of the labels."""

    PRESIDIO = "presidio"
    """Microsoft Presidio's predefined recognizers, release 2.2.366."""
    TAB = "tab"
    """Text Anonymization Benchmark. Source: Pilán et al. (2022), arXiv 2202.00443, §3."""
    CLUENER = "cluener"
    """Chinese news. Source: Xu et al. (2020), arXiv 2001.04351."""
    MEDDOCAN = "meddocan"
    """Spanish clinical cases. Source: Marimon et al. (2019), MEDDOCAN annotation guidelines."""
    PRESIDIO_RESEARCH = "presidio-research"
    """The synthetic sentences of presidio-research."""
    PII_ANON = "pii-anon"
    """The synthetic clinical, legal and technical records of pii-anon-eval-data."""
    UNER = "uner"
    """Universal NER, and other sets with CoNLL-2003's four labels."""
    WNUT17 = "wnut17"
    """Emerging entities. Source: Derczynski et al. (2017), WNUT 2017 shared task."""
    CAIL = "cail"
    """Chinese theft cases, CAIL 2021 information extraction."""


_PRESIDIO: Mapping[T | None, str] = {
    T.PERSON: "PERSON",
    T.EMAIL_ADDRESS: "EMAIL_ADDRESS EMAIL",
    T.PHONE_NUMBER: "PHONE_NUMBER ZA_MOBILE_NUMBER ZA_TELEPHONE_NUMBER",
    T.URL: "URL DOMAIN_NAME",
    T.IP_ADDRESS: "IP_ADDRESS",
    T.MAC_ADDRESS: "MAC_ADDRESS",
    T.CREDIT_CARD: "CREDIT_CARD",
    T.IBAN_CODE: "IBAN_CODE",
    T.BANK_ACCOUNT: "ABA_ROUTING_NUMBER US_BANK_NUMBER",
    T.CRYPTO: "CRYPTO",
    T.US_SSN: "US_SSN",
    T.UK_NHS: "UK_NHS",
    T.NATIONAL_ID: (
        "AU_TFN CA_SIN DE_ID_CARD DE_SOCIAL_SECURITY DE_TAX_ID DE_TAX_NUMBER ES_NIE ES_NIF "
        "FI_PERSONAL_IDENTITY_CODE IN_AADHAAR IN_PAN IN_VOTER IT_FISCAL_CODE IT_IDENTITY_CARD "
        "KR_FRN KR_RRN NG_NIN PH_TIN PH_UMID PL_PESEL SE_PERSONNUMMER SG_NRIC_FIN TH_TNIN "
        "TR_NATIONAL_ID UK_NINO US_ITIN ZA_ID_NUMBER ZA_INCOME_TAX_NUMBER"
    ),
    T.PASSPORT: (
        "DE_PASSPORT ES_PASSPORT IN_PASSPORT IT_PASSPORT KR_PASSPORT PH_PASSPORT UK_PASSPORT "
        "US_PASSPORT ZA_PASSPORT"
    ),
    T.DRIVER_LICENSE: (
        "DE_FUEHRERSCHEIN IT_DRIVER_LICENSE KR_DRIVER_LICENSE UK_DRIVING_LICENCE "
        "US_DRIVER_LICENSE ZA_DRIVER_LICENSE"
    ),
    T.MEDICAL_LICENSE: "MEDICAL_LICENSE DE_LANR DE_BSNR US_NPI",
    T.MEDICAL_RECORD: (
        "AU_MEDICARE DE_HEALTH_INSURANCE US_HEALTH_INSURANCE_MEMBER_ID US_MBI "
        "US_PRESCRIPTION_NUMBER US_PRIOR_AUTHORIZATION_NUMBER US_REFERRAL_NUMBER"
    ),
    T.CASE_NUMBER: "US_CLAIM_NUMBER",
    T.VEHICLE: (
        "DE_KFZ IN_VEHICLE_REGISTRATION NG_VEHICLE_REGISTRATION TR_LICENSE_PLATE "
        "UK_VEHICLE_REGISTRATION ZA_LICENSE_PLATE ZA_TRAFFIC_REGISTER_NUMBER"
    ),
    T.ID: (
        "ID UUID AU_ABN AU_ACN DE_HANDELSREGISTER DE_VAT_ID IN_GSTIN IT_VAT_CODE KR_BRN "
        "SE_ORGANISATIONSNUMMER SG_UEN US_PROVIDER_TAX_ID ZA_COMPANY_REGISTRATION ZA_VAT_NUMBER"
    ),
    T.LOCATION: "LOCATION CA_POSTAL_CODE DE_PLZ UK_POSTCODE",
    T.ORGANIZATION: "ORGANIZATION",
    T.DATE_TIME: "DATE_TIME",
    T.AGE: "AGE",
    T.SPECIAL_CATEGORY: "NRP",
    # Diagnoses and treatments are the content of a medical corpus; they identify no one.
    None: (
        "MEDICAL_BIOLOGICAL_ATTRIBUTE MEDICAL_BIOLOGICAL_STRUCTURE MEDICAL_CLINICAL_EVENT "
        "MEDICAL_DISEASE_DISORDER MEDICAL_FAMILY_HISTORY MEDICAL_HISTORY MEDICAL_MEDICATION "
        "MEDICAL_THERAPEUTIC_PROCEDURE"
    ),
}
_TAB: Mapping[T | None, str] = {
    T.PERSON: "PERSON",
    T.ID: "CODE",
    T.LOCATION: "LOC",
    T.ORGANIZATION: "ORG",
    T.DEMOGRAPHIC: "DEM",
    T.DATE_TIME: "DATETIME",
    T.QUANTITY: "QUANTITY",
    T.MISC: "MISC",
}
_CLUENER: Mapping[T | None, str] = {
    T.PERSON: "name",
    T.LOCATION: "address scene",
    T.ORGANIZATION: "company organization government",
    T.DEMOGRAPHIC: "position",
    # Well-known works do not describe the person who reads or plays them.
    None: "book game movie",
}
_MEDDOCAN: Mapping[T | None, str] = {
    T.PERSON: "NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO",
    T.PHONE_NUMBER: "NUMERO_TELEFONO NUMERO_FAX",
    T.EMAIL_ADDRESS: "CORREO_ELECTRONICO",
    T.URL: "URL_WEB",
    T.IP_ADDRESS: "DIREC_PROT_INTERNET",
    T.MEDICAL_LICENSE: "ID_TITULACION_PERSONAL_SANITARIO",
    T.MEDICAL_RECORD: (
        "ID_SUJETO_ASISTENCIA ID_CONTACTO_ASISTENCIAL ID_ASEGURAMIENTO NUMERO_BENEF_PLAN_SALUD"
    ),
    T.VEHICLE: "IDENTIF_VEHICULOS_NRSERIE_PLACAS",
    T.ID: (
        "ID_EMPLEO_PERSONAL_SANITARIO IDENTIF_DISPOSITIVOS_NRSERIE IDENTIF_BIOMETRICOS "
        "OTRO_NUMERO_IDENTIF"
    ),
    T.LOCATION: "CALLE TERRITORIO PAIS",
    T.ORGANIZATION: "HOSPITAL CENTRO_SALUD INSTITUCION",
    T.DATE_TIME: "FECHAS",
    T.AGE: "EDAD_SUJETO_ASISTENCIA",
    T.DEMOGRAPHIC: "SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA PROFESION",
    T.MISC: "OTROS_SUJETO_ASISTENCIA",
}
_PRESIDIO_RESEARCH: Mapping[T | None, str] = {
    T.PERSON: "PERSON",
    T.EMAIL_ADDRESS: "EMAIL_ADDRESS",
    T.PHONE_NUMBER: "PHONE_NUMBER",
    T.URL: "DOMAIN_NAME",
    T.IP_ADDRESS: "IP_ADDRESS",
    T.CREDIT_CARD: "CREDIT_CARD",
    T.IBAN_CODE: "IBAN_CODE",
    T.US_SSN: "US_SSN",
    T.DRIVER_LICENSE: "US_DRIVER_LICENSE",
    T.LOCATION: "GPE STREET_ADDRESS ZIP_CODE",
    T.ORGANIZATION: "ORGANIZATION",
    T.DATE_TIME: "DATE_TIME",
    T.AGE: "AGE",
    T.DEMOGRAPHIC: "NRP",
    # "Mr." before a name shows little except gender; without it the sentence is wrong.
    None: "TITLE",
}
_PII_ANON: Mapping[T | None, str] = {
    T.PERSON: "PERSON_NAME",
    T.USERNAME: "USERNAME",
    T.EMAIL_ADDRESS: "EMAIL_ADDRESS",
    T.PHONE_NUMBER: "PHONE_NUMBER",
    T.IP_ADDRESS: "IP_ADDRESS",
    T.MAC_ADDRESS: "MAC_ADDRESS",
    T.CREDIT_CARD: "CREDIT_CARD_NUMBER",
    T.IBAN_CODE: "IBAN",
    T.BANK_ACCOUNT: "BANK_ACCOUNT_NUMBER BANK_ROUTING_NUMBER",
    T.US_SSN: "SOCIAL_SECURITY_NUMBER",
    T.NATIONAL_ID: "NATIONAL_ID_NUMBER",
    T.PASSPORT: "PASSPORT_NUMBER",
    T.DRIVER_LICENSE: "DRIVER_LICENSE_NUMBER",
    T.MEDICAL_LICENSE: "NPI_NUMBER DEA_NUMBER",
    T.MEDICAL_RECORD: "MEDICAL_RECORD_NUMBER HEALTH_INSURANCE_ID PRESCRIPTION_NUMBER",
    T.CASE_NUMBER: "COURT_CASE_NUMBER DOCKET_NUMBER",
    T.VEHICLE: "LICENSE_PLATE VEHICLE_IDENTIFICATION_NUMBER",
    T.SECRET: "API_KEY AUTHENTICATION_TOKEN PASSWORD",
    T.ID: (
        "EMPLOYEE_ID INSURANCE_POLICY_NUMBER BIOMETRIC_ID VISA_NUMBER DEVICE_IDENTIFIER BAR_NUMBER"
    ),
    T.LOCATION: "STREET_ADDRESS POSTAL_CODE LATITUDE_LONGITUDE",
    T.ORGANIZATION: "ORGANIZATION_NAME",
    T.DATE_TIME: "DATE_OF_BIRTH TIMESTAMP",
    T.AGE: "AGE",
    T.QUANTITY: "SALARY HOUSEHOLD_SIZE",
    T.DEMOGRAPHIC: (
        "JOB_TITLE RELIGIOUS_BELIEF EDUCATION_LEVEL NATIONALITY MARITAL_STATUS GENDER ETHNICITY"
    ),
    T.MISC: "VEHICLE_MODEL",
    # Conditions and treatments as above; a SWIFT code identifies a bank, not its customer.
    None: "HEALTH_CONDITION MEDICATION_NAME PROCEDURE_NAME SWIFT_BIC_CODE",
}
_UNER: Mapping[T | None, str] = {
    T.PERSON: "PER",
    T.LOCATION: "LOC",
    T.ORGANIZATION: "ORG",
    T.MISC: "MISC",
}
_WNUT17: Mapping[T | None, str] = {
    T.PERSON: "person",
    T.LOCATION: "location",
    T.ORGANIZATION: "corporation group",
    None: "creative-work product",
}
_CAIL: Mapping[T | None, str] = {
    T.PERSON: "NHCS NHVI",
    T.LOCATION: "NS",
    T.ORGANIZATION: "NO",
    T.DATE_TIME: "NT",
    T.QUANTITY: "NCSM NCGV NCSP",
    # Stolen goods and tools describe the deed.
    None: "NASI NATS",
}
_TABLES = {
    Scheme.PRESIDIO: _PRESIDIO,
    Scheme.TAB: _TAB,
    Scheme.CLUENER: _CLUENER,
    Scheme.MEDDOCAN: _MEDDOCAN,
    Scheme.PRESIDIO_RESEARCH: _PRESIDIO_RESEARCH,
    Scheme.PII_ANON: _PII_ANON,
    Scheme.UNER: _UNER,
    Scheme.WNUT17: _WNUT17,
    Scheme.CAIL: _CAIL,
}

_NUMBERS = frozenset(
    t for t in T if identifiability(t) is Identifiability.DIRECT and t is not T.PERSON
)
"""Every direct identifier except a name is a code."""
_DESCRIPTIONS = frozenset({T.DEMOGRAPHIC, T.SPECIAL_CATEGORY})
_WIDER: Mapping[tuple[Scheme, str], frozenset[T]] = {
    (Scheme.TAB, "CODE"): _NUMBERS,
    # TAB labels ages as demographic attributes, and sometimes as quantities.
    (Scheme.TAB, "DEM"): frozenset({T.DEMOGRAPHIC, T.SPECIAL_CATEGORY, T.AGE}),
    (Scheme.PRESIDIO_RESEARCH, "NRP"): _DESCRIPTIONS,
    **{
        (Scheme.PII_ANON, label): _DESCRIPTIONS
        for label in ("RELIGIOUS_BELIEF", "NATIONALITY", "ETHNICITY")
    },
    (Scheme.TAB, "QUANTITY"): frozenset({T.QUANTITY, T.AGE}),
    (Scheme.PRESIDIO, "ID"): _NUMBERS,
    (Scheme.PRESIDIO, "UUID"): frozenset({T.ID, T.SECRET}),
    (Scheme.MEDDOCAN, "OTRO_NUMERO_IDENTIF"): _NUMBERS,
    (Scheme.MEDDOCAN, "ID_SUJETO_ASISTENCIA"): frozenset(
        {T.MEDICAL_RECORD, T.NATIONAL_ID, T.PASSPORT, T.ID}
    ),
    (Scheme.PII_ANON, "NATIONAL_ID_NUMBER"): frozenset({T.NATIONAL_ID, T.US_SSN, T.UK_NHS, T.ID}),
    (Scheme.PII_ANON, "LATITUDE_LONGITUDE"): frozenset({T.LOCATION, T.ID}),
    # In Chinese text, a scenic spot or a government can mean its place.
    (Scheme.CLUENER, "government"): frozenset({T.ORGANIZATION, T.LOCATION}),
    (Scheme.CLUENER, "scene"): frozenset({T.LOCATION, T.ORGANIZATION}),
}


def type_of_label(label: str, scheme: Scheme) -> T | None:
    """Return the type that a policy applies to a label; `None` where there is none.

    Raises:
        InputError: for a label that is not in the scheme's table.
    """
    table = _by_label(scheme)
    if label not in table:
        raise InputError(
            f"{scheme} has no label `{label}`", hint=f"one of: {', '.join(sorted(table))}"
        )
    return table[label]


def matching_types(label: str, scheme: Scheme) -> frozenset[T]:
    """Return all types that are correct for a label; empty where there is none.

    Raises:
        InputError: for a label that is not in the scheme's table.
    """
    main = type_of_label(label, scheme)
    if main is None:
        return frozenset()
    return _WIDER.get((scheme, label), frozenset({main}))


def labels(scheme: Scheme) -> frozenset[str]:
    """Return all labels of a scheme."""
    return frozenset(_by_label(scheme))


@cache
def _by_label(scheme: Scheme) -> dict[str, T | None]:
    return {label: t for t, names in _TABLES[scheme].items() for label in names.split()}
