"""Settings of invoices."""

import re

from feedtool.model.settings import Settings
from feedtool.model.text import tr


class InvoiceSettings(Settings, frozen=True):
    """Settings of invoices."""

    BEFORE = "columns"

    invoice_name: str = ""
    """The names of invoices' files, as a regular expression whose first group is the order:
    `.*_([^_]+)[.]pdf`. Empty: a file is called as its order is."""

    def __post_init__(self) -> None:
        if self.invoice_name and not _has_group(self.invoice_name):
            reason = tr("invoice_name = {value} has no group", value=repr(self.invoice_name))
            raise ValueError(
                reason, tr("write invoice_name = {example}", example="'.*_([^_]+)[.]pdf'")
            )


def _has_group(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups > 0
    except re.error:
        return False
