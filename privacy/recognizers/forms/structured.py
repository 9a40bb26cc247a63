"""All patterns in one table."""

from __future__ import annotations

from sage_rag.privacy.recognizers.forms.addresses import ADDRESSES
from sage_rag.privacy.recognizers.forms.ages import AGES
from sage_rag.privacy.recognizers.forms.dates import DATES
from sage_rag.privacy.recognizers.forms.network import NETWORK
from sage_rag.privacy.recognizers.forms.numbers import NUMBERS
from sage_rag.privacy.recognizers.forms.patterns import Pattern
from sage_rag.privacy.recognizers.forms.phones import PHONES
from sage_rag.privacy.recognizers.forms.quantities import QUANTITIES
from sage_rag.privacy.recognizers.forms.records import RECORDS
from sage_rag.privacy.recognizers.forms.salutations import SALUTATIONS
from sage_rag.privacy.recognizers.forms.secrets import SECRETS

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
    *SALUTATIONS,
)
