"""All patterns of the kernel in one table."""

from __future__ import annotations

from privacy.recognizers.addresses import ADDRESSES
from privacy.recognizers.ages import AGES
from privacy.recognizers.dates import DATES
from privacy.recognizers.network import NETWORK
from privacy.recognizers.numbers import NUMBERS
from privacy.recognizers.patterns import Pattern
from privacy.recognizers.phones import PHONES
from privacy.recognizers.quantities import QUANTITIES
from privacy.recognizers.records import RECORDS
from privacy.recognizers.secrets import SECRETS

STRUCTURED: tuple[Pattern, ...] = (
    *NETWORK,
    *NUMBERS,
    *RECORDS,
    *SECRETS,
    *PHONES,
    *DATES,
    *AGES,
    *ADDRESSES,
    *QUANTITIES,
)
