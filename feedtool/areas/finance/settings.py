"""Settings of the journal of operations and payments."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from msgspec import field

from feedtool.model.settings import FilledText, Range, Settings
from feedtool.model.text import tr


class JournalSettings(Settings, frozen=True):
    """Settings of the journal."""

    BEFORE = "columns"

    accounts: Mapping[str, FilledText] = field(default_factory=dict)
    """Accounts of the journal that replace usual ones: a type of event, or `clearing`, `bank`,
    `vat_sales` → its number."""
    journal: FilledText = "MKT"
    """The code of the journal in which operations and payments are booked."""
    vat_rate: Annotated[Decimal, Range(100, tr("rate of VAT"), tr("percentage"))] = Decimal(0)
    """Percent of VAT that the journal takes out of sales and refunds of which the service shows no
    VAT; 0 leaves them whole."""

    def __post_init__(self) -> None:
        # Without an account there is no place for the booking.
        if not (self.journal and all(self.accounts.values())):
            reason = tr("the journal, and each of its accounts, needs a text")
            raise ValueError(reason, tr('write journal = "MKT", for example'))
