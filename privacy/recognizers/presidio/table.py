"""Which of Presidio's recognizers run, for which entity type, and which do not because ours do.

`ADOPTED` run in the default recognizer. `OWN` are what our own patterns find at least as well:
they stay out of it and serve as the yardstick (`eval/studies/recognition.py`,
`benchmarks/recognition.py`). Left out altogether:

| Presidio's recognizer | why |
| --- | --- |
| `UsHealthInsuranceMemberIdRecognizer` | quadratic in the text; any code of letters and digits |
| third expression of `InPanRecognizer` | time quadratic in the text; any word of ten characters |
| `CaPostalCode`, `UkPostcode`, `DePlz` | `addresses.py` reads them with the address around them |
| `DateRecognizer` | `dates.py` reads words and other languages, too |
| `UsClaimNumber`, `UsPrescriptionNumber`, `UsPriorAuthorizationNumber`, `UsReferralNumber`, \
`UsProviderTaxId`, `UsLicense` | a number after a word: `records.py` knows the words |
| `DeHandelsregister`, `AuAbn`, `AuAcn`, `ZaCompanyRegistration`, `ZaVatNumber`, `SgUen`, `KrBrn`, \
`SeOrganisationsnummer`, `ItVatCode`, `InGstin`, `DeBsnr` | numbers of firms, which are public |
| `ZaMobileNumber`, `ZaTelephoneNumber` | `phones.py` |
"""

from __future__ import annotations

from dataclasses import dataclass

from sage_rag.privacy.entities import EntityType


@dataclass(frozen=True, slots=True)
class Adopted:
    """One recognizer of Presidio's, by the name of its class.

    `shape`: an expression, linear in the text, that every value of it matches somewhere; a text
    without it is passed over. `announced`: only beside one of its context words, whatever the
    score: its form or its checksum fits one random number in ten, or it has neither.
    `context`: words in place of Presidio's own, where those are ordinary English.
    """

    name: str
    entity_type: EntityType
    shape: str
    announced: bool = False
    context: tuple[str, ...] = ()


_RUN7, _RUN8, _RUN9, _RUN11 = r"\d{7}", r"\d{8}", r"\d{9}", r"\d{11}"
_IN_THREES = r"\d{3}[\s-]?\d{3}[\s-]?\d{3}"
_CODE = r"(?<!\w)(?=\w{0,8}\d)\w{9}(?!\w)"
_PLATE = (
    r"[A-Z][\s-]?\d{1,4}[\s-]?[A-Z]|\d[\s-]?[A-Z]{1,3}[\s-]?\d"
    r"|[A-ZÄÖÜ]{1,3}[\s-][A-Z]{1,2}[\s-]\d|[A-Z]{1,3}\d{4}|\d{2}\s?[A-Z]{2}"
)
"""In capitals: "5 mg" and "type 2" are in every medical text."""
_T = EntityType
_PASSPORT = ("passport", "travel document")

ADOPTED = (
    Adopted("CryptoRecognizer", _T.CRYPTO, r"\w{26}"),
    # Professions and treatment
    Adopted("MedicalLicenseRecognizer", _T.MEDICAL_LICENSE, r"[^\W\d_][^\W_]\d{7}"),
    Adopted("UsNpiRecognizer", _T.MEDICAL_LICENSE, r"\d{4}[ -]?\d{3}[ -]?\d{3}", announced=True),
    Adopted("DeLanrRecognizer", _T.MEDICAL_LICENSE, _RUN9, announced=True),
    Adopted("UsMbiRecognizer", _T.MEDICAL_RECORD, r"\d[^\W\d_]\w\d-?[^\W\d_]\w\d"),
    Adopted("AuMedicareRecognizer", _T.MEDICAL_RECORD, r"\d{4}\s?\d{5}\s?\d", announced=True),
    Adopted("DeHealthInsuranceRecognizer", _T.MEDICAL_RECORD, r"[^\W\d_]\d{9}"),
    # Banks
    Adopted("AbaRoutingRecognizer", _T.BANK_ACCOUNT, r"\d{4}-?\d{4}-?\d", announced=True),
    Adopted(
        "UsBankRecognizer",
        _T.BANK_ACCOUNT,
        _RUN8,
        announced=True,
        context=("bank account", "account", "acct", "a/c", "savings", "debit"),
    ),
    # Personal and tax numbers
    Adopted("UsItinRecognizer", _T.NATIONAL_ID, r"9\d\d[ -]?\d\d[ -]?\d{4}"),
    Adopted("CaSinRecognizer", _T.NATIONAL_ID, _IN_THREES, announced=True),
    Adopted("UkNinoRecognizer", _T.NATIONAL_ID, r"[^\W\d_]{2} ?\d\d ?\d\d ?\d\d"),
    Adopted("EsNifRecognizer", _T.NATIONAL_ID, r"\d{7}-?[^\W\d_]"),
    Adopted("EsNieRecognizer", _T.NATIONAL_ID, r"\d{7}-?[^\W\d_]"),
    Adopted("ItFiscalCodeRecognizer", _T.NATIONAL_ID, r"(?<!\w)[^\W\d_]{6}\w{10}(?!\w)"),
    Adopted("ItIdentityCardRecognizer", _T.NATIONAL_ID, r"\d{5}", announced=True),
    Adopted("PlPeselRecognizer", _T.NATIONAL_ID, _RUN11),
    Adopted("FiPersonalIdentityCodeRecognizer", _T.NATIONAL_ID, r"\d{6}[-+A-Fa-fU-Yu-y]\d{3}"),
    Adopted("SePersonnummerRecognizer", _T.NATIONAL_ID, r"\d{6}[-+]?\d{4}", announced=True),
    Adopted("DeTaxIdRecognizer", _T.NATIONAL_ID, _RUN11, announced=True),
    Adopted("DeTaxNumberRecognizer", _T.NATIONAL_ID, r"\d{13}|\d{2}/\d{3,4}/\d", announced=True),
    Adopted("DeIdCardRecognizer", _T.NATIONAL_ID, _CODE, announced=True),
    Adopted("DeSocialSecurityRecognizer", _T.NATIONAL_ID, r"\d{8}[^\W\d_]\d{3}"),
    Adopted(
        "DeVatIdRecognizer",
        _T.ID,
        r"(?i:de)[\s.-]?\d{3}[\s.-]?\d{3}[\s.-]?\d{3}",
        announced=True,
    ),
    Adopted("AuTfnRecognizer", _T.NATIONAL_ID, _IN_THREES, announced=True),
    Adopted("InAadhaarRecognizer", _T.NATIONAL_ID, r"\d{4}[- :]?\d{4}[- :]?\d{4}", announced=True),
    Adopted("InPanRecognizer", _T.NATIONAL_ID, r"[^\W\d_]{5}\d{4}"),
    Adopted("InVoterRecognizer", _T.NATIONAL_ID, r"[^\W\d_]{3}\d{7}"),
    Adopted("SgFinRecognizer", _T.NATIONAL_ID, r"[^\W\d_]\d{7}[^\W\d_]"),
    Adopted("KrRrnRecognizer", _T.NATIONAL_ID, r"\d{6}-?\d{7}"),
    Adopted("KrFrnRecognizer", _T.NATIONAL_ID, r"\d{6}-?\d{7}"),
    Adopted("ThTninRecognizer", _T.NATIONAL_ID, r"\d{13}", announced=True),
    Adopted("TrNationalIdRecognizer", _T.NATIONAL_ID, _RUN11),
    Adopted(
        "ZaIdNumberRecognizer",
        _T.NATIONAL_ID,
        r"\d{13}",
        announced=True,
        context=("id number", "identity number", "identity", "south african id", "rsa id"),
    ),
    Adopted("ZaIncomeTaxNumberRecognizer", _T.NATIONAL_ID, r"\d{10}", announced=True),
    Adopted("ZaTrafficRegisterNumberRecognizer", _T.VEHICLE, r"\d{13}", announced=True),
    Adopted("NgNinRecognizer", _T.NATIONAL_ID, _RUN11, announced=True),
    Adopted("PhTinRecognizer", _T.NATIONAL_ID, _IN_THREES, announced=True),
    Adopted("PhUmidRecognizer", _T.NATIONAL_ID, r"\d{4}-\d{7}-\d|\d{12}", announced=True),
    # Passports
    Adopted("UsPassportRecognizer", _T.PASSPORT, _RUN8, announced=True, context=_PASSPORT),
    Adopted("UkPassportRecognizer", _T.PASSPORT, _RUN7, announced=True, context=_PASSPORT),
    Adopted("EsPassportRecognizer", _T.PASSPORT, r"\d{6}", announced=True),
    Adopted(
        "ItPassportRecognizer", _T.PASSPORT, _RUN7, announced=True, context=("passaporto", "estero")
    ),
    Adopted(
        "DePassportRecognizer",
        _T.PASSPORT,
        _CODE,
        announced=True,
        context=("reisepass", "passnummer", "reisepassnummer", "pass-nr", *_PASSPORT),
    ),
    Adopted("InPassportRecognizer", _T.PASSPORT, r"\d{2}\s?\d{5}", announced=True),
    Adopted("PhPassportRecognizer", _T.PASSPORT, _RUN7, announced=True),
    Adopted("KrPassportRecognizer", _T.PASSPORT, r"\d{3}\w\d{4}", announced=True),
    Adopted("ZaPassportRecognizer", _T.PASSPORT, _RUN8, announced=True, context=_PASSPORT),
    # Driving licences
    Adopted("UkDrivingLicenceRecognizer", _T.DRIVER_LICENSE, r"(?<!\w)\w{5}\d{6}\w{5}"),
    Adopted(
        "ItDriverLicenseRecognizer",
        _T.DRIVER_LICENSE,
        r"[^\W\d_]{2}\d{7}[^\W\d_]|(?i:u1)\w{8}",
        announced=True,
    ),
    Adopted("DeFuehrerscheinRecognizer", _T.DRIVER_LICENSE, r"[^\W\d_]{2}\d{8}", announced=True),
    Adopted(
        "KrDriverLicenseRecognizer",
        _T.DRIVER_LICENSE,
        r"\d{2}[- ]?\d{2}[- ]?\d{6}[- ]?\d{2}",
        announced=True,
    ),
    Adopted("ZaDriverLicenseRecognizer", _T.DRIVER_LICENSE, r"\d{6}\w", announced=True),
    # Vehicles
    Adopted("UkVehicleRegistrationRecognizer", _T.VEHICLE, _PLATE, announced=True),
    Adopted("InVehicleRegistrationRecognizer", _T.VEHICLE, _PLATE, announced=True),
    Adopted("NgVehicleRegistrationRecognizer", _T.VEHICLE, _PLATE, announced=True),
    Adopted("TrLicensePlateRecognizer", _T.VEHICLE, _PLATE, announced=True),
    Adopted("ZaLicensePlateRecognizer", _T.VEHICLE, _PLATE, announced=True),
    Adopted(
        "DeKfzRecognizer",
        _T.VEHICLE,
        _PLATE,
        announced=True,
        context=("kennzeichen", "kfz-kennzeichen", "nummernschild", "kfz"),
    ),
)

OWN = (
    Adopted("EmailRecognizer", _T.EMAIL_ADDRESS, r"@\w"),
    Adopted("UrlRecognizer", _T.URL, r"\.[^\W\d_]{2}"),
    Adopted("IpRecognizer", _T.IP_ADDRESS, r"\d\.\d{1,3}\.\d|:[0-9A-Fa-f:]"),
    Adopted("MacAddressRecognizer", _T.MAC_ADDRESS, r"\w\w[:-]\w\w[:-]\w\w|\w{4}\.\w{4}\.\w"),
    Adopted("UuidRecognizer", _T.ID, r"\w{8}-\w{4}-\w{4}-"),
    Adopted("CreditCardRecognizer", _T.CREDIT_CARD, r"\d{3}[- ]?\d{3,4}[- ]?\d{3}"),
    Adopted("IbanRecognizer", _T.IBAN_CODE, r"[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}"),
    Adopted("PhoneRecognizer", _T.PHONE_NUMBER, r"\d(?:[\s()./-]{0,3}\d){6}"),
    Adopted("UsSsnRecognizer", _T.US_SSN, r"\d{3}[- .]?\d{2}[- .]?\d{4}"),
    Adopted("NhsRecognizer", _T.UK_NHS, r"\d{3}[- ]?\d{3}[- ]?\d{4}"),
)
