import pytest

from sage_rag.privacy.recognizers.forms.checksums import iban, luhn, nhs


@pytest.mark.parametrize(
    ("check", "value", "valid"),
    [
        (luhn, "4539 1488 0343 6467", True),
        (luhn, "4539148803436468", False),
        (luhn, "", False),
        (iban, "GB82WEST12345698765432", True),
        (iban, "GB82WEST12345698765431", False),
        (iban, "GB82WEST1234569876543", False),
        (iban, "ZZ82WEST12345698765432", False),
        (nhs, "943 476 5919", True),
        (nhs, "9434765918", False),
        (nhs, "0000000000", False),
        (nhs, "12345", False),
    ],
)
def test_checksums(check, value, valid):
    assert check(value) is valid
