"""The accounts of amounts: the usual ones of the French plan, unless a profile says others."""

from collections.abc import Collection, Mapping

from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

CLEARING, BANK, VAT_SALES = "clearing", "bank", "vat_sales"
FEES, LOGISTICS = "622200", "613500"

USUAL: Mapping[str, str] = {
    CLEARING: "467000",
    BANK: "512000",
    VAT_SALES: "445710",
    "Sale": "707000",
    "Refund": "709700",
    "Commission": FEES,
    "CommissionRestitution": FEES,
    "Subscription": FEES,
    "LogisticFee": FEES,
    "SecurityDeposit": "275000",
    "FfmOrdersReturns": LOGISTICS,
    "FfmStorage": LOGISTICS,
    "FfmShippingCost": LOGISTICS,
    "SplittedPaymentFees": FEES,
    "TradeMarketingFees": FEES,
    "AgecLawFees": "635800",
}
"""By the type of an event, or by the part that an account has in each entry."""
SERVICES = "Services"
"""The ending of the type of the channel operator's services, which begins with a brand."""

NAMES: Mapping[str, str] = {
    CLEARING: tr("Marketplace clearing"),
    BANK: tr("Bank"),
    VAT_SALES: tr("VAT on sales"),
    "Sale": tr("Sales"),
    "Refund": tr("Sales returns"),
    "SecurityDeposit": tr("Deposits"),
    "AgecLawFees": tr("Taxes"),
    "FfmOrdersReturns": tr("Logistics"),
    "FfmStorage": tr("Logistics"),
    "FfmShippingCost": tr("Logistics"),
}
"""Names of accounts; those of fees are not in it."""
OF_FEES = tr("Commissions and fees")


def account_of(name: str, settings: AccountSettings) -> str | None:
    """The number of an account by the type of an event, or by its part.

    Several types have an account if it is the same for each. None for an unknown type.
    """
    accounts = {settings.accounts.get(kind) or _usual(kind) for kind in name.split(", ")}
    return accounts.pop() if len(accounts) == 1 else None


def _usual(name: str) -> str | None:
    return FEES if name.endswith(SERVICES) else USUAL.get(name)


def unused_accounts(settings: AccountSettings, types: Collection[str]) -> list[str]:
    """The names of a profile's accounts that are neither known nor one of these event types."""
    return [name for name in settings.accounts if name not in types and not _usual(name)]
