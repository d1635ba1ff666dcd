"""What a four-digit resultCode points to: two digits for the error, two for the property.

The specification does not list the codes; that they are made of two halves is derived from the
field's knowledge and fits every known offer code. So it is used only where both halves are known:
a refusal of the service can then be shown on the very cell.
"""

from textwrap import fill

ERRORS = {
    "10": "required",
    "11": "format",
    "12": "length",
    "13": "does not exist",
    "14": "already known",
    "17": "outside its bounds",
    "19": "price not above 0",
    "23": "reference price below price",
    "24": "offer exists under another reference",
    "25": "reference used for another product",
    "28": "already submitted",
    "29": "price below the taxes it contains",
    "30": "reference unknown",
    "34": "closed to the marketplace",
    "35": "above the ceiling",
    "36": "cannot update what does not exist",
    "40": "delivery mode not configured",
    "43": "not in the subscription",
}

CONFIRMATIONS = {"80": "created", "90": "updated or removed"}
"""The first two digits of the codes of what was taken."""

FIELDS: dict[str, str | None] = {
    "01": "product.gtin",
    "02": "condition",
    "03": "sellerExternalReference",
    "05": "quantity",
    "06": "price.price",
    "07": "taxes.VAT",
    "08": "taxes.EcoPart",
    "09": "preparationTime",
    "10": "preparationTime",
    "11": "deliveryModes.NotTrackedHomeDelivery.cost",
    "12": "deliveryModes.TrackedHomeDelivery.cost",
    "13": "deliveryModes.SignedHomeDelivery.cost",
    "14": "comment",
    "15": "deliveryModes.NotTrackedHomeDelivery.additionalCost",
    "16": "deliveryModes.TrackedHomeDelivery.additionalCost",
    "17": "deliveryModes.SignedHomeDelivery.additionalCost",
    "18": "price.originPrice",
    "23": None,  # the package
    "24": "product.gtin",
    "28": None,  # the offer
    "31": "taxes.DEA",
}

PAGE_WIDTH = 98
"""Columns of a page of `feedtool explain`."""

_PROPERTIES = {"23": "the package", "24": "the product", "28": "the offer"}
"""What no column alone stands for."""

_FIXES = {
    "10": "fill the cell",
    "11": "type the value as the template's column explains it",
    "12": "shorten the value",
    "13": "correct it; `feedtool template products` is how a product is made that is not there yet",
    "14": "leave it out, or give another value",
    "17": "give a value within the bounds",
    "19": "give a price above 0; to take an offer off sale, set its stock to 0",
    "23": "raise the struck price, or leave it blank",
    "24": "send the row under the offer's own reference, which `feedtool export offers` tells, or"
    " delete that offer first",
    "25": "give the row a reference of its own, or send it for the product that has this one",
    "28": "keep one row for each reference",
    "29": "raise the price, or correct EcoPart and DEA",
    "30": "correct the reference, or create the offer with an Upsert",
    "34": "ask the operator of the sales channel",
    "35": "lower the value",
    "36": "create the offer with an Upsert",
    "40": "have the delivery mode opened for the account, or leave its columns out",
    "43": "ask the operator of the sales channel about the subscription",
}
"""By the first two digits: how to mend it."""

LEGACY_MODES = {
    "NotTrackedHomeDelivery": "Standard",
    "TrackedHomeDelivery": "Tracked",
    "SignedHomeDelivery": "Registered",
}
"""What the modes are called in an Offers.xml (specification, "Legacy offer routes")."""


def legacy_field_of(code: str) -> str | None:
    """The same in a sheet of legacy offers."""
    field = field_of(code)
    if field is None or not field.startswith("deliveryModes."):
        return field
    family, mode, amount = field.split(".")
    return f"{family}.{LEGACY_MODES[mode]}.{amount}"


def is_confirmation(code: str) -> bool:
    """Whether a code only says that the row was taken: 8000, 9000."""
    return len(code) == len("8000") and code.isdecimal() and code[:2] in CONFIRMATIONS


def field_of(code: str) -> str | None:
    """The key of the column that a refusal's code points to, None where it is the whole row.

    Args:
        code: As the service gives it; anything but four digits points nowhere.
    """
    if len(code) != len("1001") or not code.isdecimal() or code[:2] not in ERRORS:
        return None
    return FIELDS.get(code[2:])


def explanation_of(code: str) -> str | None:
    """The page of a code of four digits, by its two halves; None where the first is unknown."""
    error, about = code[:2], code[2:]
    if len(code) != len("1001") or not (code.isascii() and code.isdecimal()):
        return None
    if error in CONFIRMATIONS:
        return f"The offer was {CONFIRMATIONS[error]}.\n\nNothing needs to be done."
    if error not in ERRORS:
        return None
    subject = _PROPERTIES.get(about) or FIELDS.get(about) or "a field that is not known here"
    field = field_of(code)
    marked = f" feedtool marks the cell of {field}." if field else ""
    halves = (
        f"The service's result codes are made of two halves: {error} is “{ERRORS[error]}”, and"
        f" {about} is {subject}.{marked}"
    )
    parts = (f"{ERRORS[error].capitalize()}: {subject}.", halves, f"To mend it, {_FIXES[error]}.")
    return "\n\n".join(fill(part, PAGE_WIDTH) for part in parts)


def known_codes() -> list[str]:
    """Every code whose halves are known."""
    confirmations = [f"{error}00" for error in CONFIRMATIONS]
    return [*(error + about for error in ERRORS for about in FIELDS), *confirmations]
