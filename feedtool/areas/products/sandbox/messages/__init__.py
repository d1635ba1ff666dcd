"""The findings of a product integration report: part "Product integration report item".

The specification shows `{code, field, message, type}` but no list of codes; these are named for
what they mean, as is `QuotaExceeded`, the one that the field knows.
"""

from typing import NamedTuple

from feedtool.sandbox.arguments import texts


class Finding(NamedTuple):
    """An entry of a submitted product's report."""

    code: str
    field: str | None = None
    """A common field's name or a propertyReference; None for the product as a whole."""
    value: str = ""
    """The value that the message quotes."""


ERROR = "Error"
TYPES = {
    **dict.fromkeys(("ValueAlreadyKnown", "EnrichmentDenied", "BrandAdded"), "Info"),
    **dict.fromkeys(("PropertyUnknown", "TextLong", "PictureIgnored"), "Warning"),
}
"""By code; all others are errors."""


def is_error(finding: Finding) -> bool:
    """True if it refuses the product."""
    return finding.code not in TYPES


def finding_document(finding: Finding, language: str) -> dict[str, str | None]:
    """A finding as a report shows it; `{}` in a text stands for the value."""
    return {
        "code": finding.code,
        "field": finding.field,
        "message": texts(__name__, language)[finding.code].replace("{}", finding.value),
        "type": TYPES.get(finding.code, ERROR),
    }
