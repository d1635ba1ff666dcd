"""What a four-digit resultCode points to: two digits for the error, two for the property.

The specification does not list the codes; that they are made of two halves is derived from the
field's knowledge and fits every known offer code. So it is used only where both halves are known:
a refusal of the service can then be shown on the very cell.
"""

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
