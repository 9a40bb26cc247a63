"""Which of Presidio's recognizers run by default, and for which entity type.

Our own patterns find the values of `COMPARISON_ROWS` at least as well: these rows serve only the
comparison with Presidio (`eval/studies/recognition.py`, `benchmarks/recognition.py`). Other
recognizers of Presidio's are left out:

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
class Row:
    """One recognizer of Presidio's, by the name of its class.

    `shape`: an expression, linear in the text, that matches some part of every value; a text
    without a match is skipped. `needs_context`: a match counts only after a context word, whatever
    its score, since its form or checksum fits one random number in ten, or it has no checksum.
    `context`: replaces Presidio's own words where those are ordinary English.
    """

    name: str
    entity_type: EntityType
    shape: str
    needs_context: bool = False
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

DEFAULT_ROWS = (
    Row("CryptoRecognizer", _T.CRYPTO, r"\w{26}"),
    # Professions and treatment
    Row("MedicalLicenseRecognizer", _T.MEDICAL_LICENSE, r"[^\W\d_][^\W_]\d{7}"),
    Row("UsNpiRecognizer", _T.MEDICAL_LICENSE, r"\d{4}[ -]?\d{3}[ -]?\d{3}", needs_context=True),
    Row("DeLanrRecognizer", _T.MEDICAL_LICENSE, _RUN9, needs_context=True),
    Row("UsMbiRecognizer", _T.MEDICAL_RECORD, r"\d[^\W\d_]\w\d-?[^\W\d_]\w\d"),
    Row("AuMedicareRecognizer", _T.MEDICAL_RECORD, r"\d{4}\s?\d{5}\s?\d", needs_context=True),
    Row("DeHealthInsuranceRecognizer", _T.MEDICAL_RECORD, r"[^\W\d_]\d{9}"),
    # Banks
    Row("AbaRoutingRecognizer", _T.BANK_ACCOUNT, r"\d{4}-?\d{4}-?\d", needs_context=True),
    Row(
        "UsBankRecognizer",
        _T.BANK_ACCOUNT,
        _RUN8,
        needs_context=True,
        context=("bank account", "account", "acct", "a/c", "savings", "debit"),
    ),
    # Personal and tax numbers
    Row("UsItinRecognizer", _T.NATIONAL_ID, r"9\d\d[ -]?\d\d[ -]?\d{4}"),
    Row("CaSinRecognizer", _T.NATIONAL_ID, _IN_THREES, needs_context=True),
    Row("UkNinoRecognizer", _T.NATIONAL_ID, r"[^\W\d_]{2} ?\d\d ?\d\d ?\d\d"),
    Row("EsNifRecognizer", _T.NATIONAL_ID, r"\d{7}-?[^\W\d_]"),
    Row("EsNieRecognizer", _T.NATIONAL_ID, r"\d{7}-?[^\W\d_]"),
    Row("ItFiscalCodeRecognizer", _T.NATIONAL_ID, r"(?<!\w)[^\W\d_]{6}\w{10}(?!\w)"),
    Row("ItIdentityCardRecognizer", _T.NATIONAL_ID, r"\d{5}", needs_context=True),
    Row("PlPeselRecognizer", _T.NATIONAL_ID, _RUN11),
    Row("FiPersonalIdentityCodeRecognizer", _T.NATIONAL_ID, r"\d{6}[-+A-Fa-fU-Yu-y]\d{3}"),
    Row("SePersonnummerRecognizer", _T.NATIONAL_ID, r"\d{6}[-+]?\d{4}", needs_context=True),
    Row("DeTaxIdRecognizer", _T.NATIONAL_ID, _RUN11, needs_context=True),
    Row("DeTaxNumberRecognizer", _T.NATIONAL_ID, r"\d{13}|\d{2}/\d{3,4}/\d", needs_context=True),
    Row("DeIdCardRecognizer", _T.NATIONAL_ID, _CODE, needs_context=True),
    Row("DeSocialSecurityRecognizer", _T.NATIONAL_ID, r"\d{8}[^\W\d_]\d{3}"),
    Row(
        "DeVatIdRecognizer",
        _T.ID,
        r"(?i:de)[\s.-]?\d{3}[\s.-]?\d{3}[\s.-]?\d{3}",
        needs_context=True,
    ),
    Row("AuTfnRecognizer", _T.NATIONAL_ID, _IN_THREES, needs_context=True),
    Row("InAadhaarRecognizer", _T.NATIONAL_ID, r"\d{4}[- :]?\d{4}[- :]?\d{4}", needs_context=True),
    Row("InPanRecognizer", _T.NATIONAL_ID, r"[^\W\d_]{5}\d{4}"),
    Row("InVoterRecognizer", _T.NATIONAL_ID, r"[^\W\d_]{3}\d{7}"),
    Row("SgFinRecognizer", _T.NATIONAL_ID, r"[^\W\d_]\d{7}[^\W\d_]"),
    Row("KrRrnRecognizer", _T.NATIONAL_ID, r"\d{6}-?\d{7}"),
    Row("KrFrnRecognizer", _T.NATIONAL_ID, r"\d{6}-?\d{7}"),
    Row("ThTninRecognizer", _T.NATIONAL_ID, r"\d{13}", needs_context=True),
    Row("TrNationalIdRecognizer", _T.NATIONAL_ID, _RUN11),
    Row(
        "ZaIdNumberRecognizer",
        _T.NATIONAL_ID,
        r"\d{13}",
        needs_context=True,
        context=("id number", "identity number", "identity", "south african id", "rsa id"),
    ),
    Row("ZaIncomeTaxNumberRecognizer", _T.NATIONAL_ID, r"\d{10}", needs_context=True),
    Row("ZaTrafficRegisterNumberRecognizer", _T.VEHICLE, r"\d{13}", needs_context=True),
    Row("NgNinRecognizer", _T.NATIONAL_ID, _RUN11, needs_context=True),
    Row("PhTinRecognizer", _T.NATIONAL_ID, _IN_THREES, needs_context=True),
    Row("PhUmidRecognizer", _T.NATIONAL_ID, r"\d{4}-\d{7}-\d|\d{12}", needs_context=True),
    # Passports
    Row("UsPassportRecognizer", _T.PASSPORT, _RUN8, needs_context=True, context=_PASSPORT),
    Row("UkPassportRecognizer", _T.PASSPORT, _RUN7, needs_context=True, context=_PASSPORT),
    Row("EsPassportRecognizer", _T.PASSPORT, r"\d{6}", needs_context=True),
    Row(
        "ItPassportRecognizer",
        _T.PASSPORT,
        _RUN7,
        needs_context=True,
        context=("passaporto", "estero"),
    ),
    Row(
        "DePassportRecognizer",
        _T.PASSPORT,
        _CODE,
        needs_context=True,
        context=("reisepass", "passnummer", "reisepassnummer", "pass-nr", *_PASSPORT),
    ),
    Row("InPassportRecognizer", _T.PASSPORT, r"\d{2}\s?\d{5}", needs_context=True),
    Row("PhPassportRecognizer", _T.PASSPORT, _RUN7, needs_context=True),
    Row("KrPassportRecognizer", _T.PASSPORT, r"\d{3}\w\d{4}", needs_context=True),
    Row("ZaPassportRecognizer", _T.PASSPORT, _RUN8, needs_context=True, context=_PASSPORT),
    # Driving licences
    Row("UkDrivingLicenceRecognizer", _T.DRIVER_LICENSE, r"(?<!\w)\w{5}\d{6}\w{5}"),
    Row(
        "ItDriverLicenseRecognizer",
        _T.DRIVER_LICENSE,
        r"[^\W\d_]{2}\d{7}[^\W\d_]|(?i:u1)\w{8}",
        needs_context=True,
    ),
    Row("DeFuehrerscheinRecognizer", _T.DRIVER_LICENSE, r"[^\W\d_]{2}\d{8}", needs_context=True),
    Row(
        "KrDriverLicenseRecognizer",
        _T.DRIVER_LICENSE,
        r"\d{2}[- ]?\d{2}[- ]?\d{6}[- ]?\d{2}",
        needs_context=True,
    ),
    Row("ZaDriverLicenseRecognizer", _T.DRIVER_LICENSE, r"\d{6}\w", needs_context=True),
    # Vehicles
    Row("UkVehicleRegistrationRecognizer", _T.VEHICLE, _PLATE, needs_context=True),
    Row("InVehicleRegistrationRecognizer", _T.VEHICLE, _PLATE, needs_context=True),
    Row("NgVehicleRegistrationRecognizer", _T.VEHICLE, _PLATE, needs_context=True),
    Row("TrLicensePlateRecognizer", _T.VEHICLE, _PLATE, needs_context=True),
    Row("ZaLicensePlateRecognizer", _T.VEHICLE, _PLATE, needs_context=True),
    Row(
        "DeKfzRecognizer",
        _T.VEHICLE,
        _PLATE,
        needs_context=True,
        context=("kennzeichen", "kfz-kennzeichen", "nummernschild", "kfz"),
    ),
)

COMPARISON_ROWS = (
    Row("EmailRecognizer", _T.EMAIL_ADDRESS, r"@\w"),
    Row("UrlRecognizer", _T.URL, r"\.[^\W\d_]{2}"),
    Row("IpRecognizer", _T.IP_ADDRESS, r"\d\.\d{1,3}\.\d|:[0-9A-Fa-f:]"),
    Row("MacAddressRecognizer", _T.MAC_ADDRESS, r"\w\w[:-]\w\w[:-]\w\w|\w{4}\.\w{4}\.\w"),
    Row("UuidRecognizer", _T.ID, r"\w{8}-\w{4}-\w{4}-"),
    Row("CreditCardRecognizer", _T.CREDIT_CARD, r"\d{3}[- ]?\d{3,4}[- ]?\d{3}"),
    Row("IbanRecognizer", _T.IBAN_CODE, r"[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}"),
    Row("PhoneRecognizer", _T.PHONE_NUMBER, r"\d(?:[\s()./-]{0,3}\d){6}"),
    Row("UsSsnRecognizer", _T.US_SSN, r"\d{3}[- .]?\d{2}[- .]?\d{4}"),
    Row("NhsRecognizer", _T.UK_NHS, r"\d{3}[- ]?\d{3}[- ]?\d{4}"),
)
