"""The findings of a product integration report: part "Product integration report item".

The specification shows `{code, field, message, type}` but no list of codes. The names say what they
mean, like `QuotaExceeded`, the only code known from the field.
"""

from collections.abc import Mapping
from typing import NamedTuple

from feedtool.sandbox.arguments import texts


class Finding(NamedTuple):
    """An entry of a submitted product's report."""

    code: str
    field: str | None = None
    """A common field's name or a propertyReference; None for the whole product."""
    value: str = ""
    """The value in the message."""


ERROR = "Error"
TYPES = {
    **dict.fromkeys(("ValueAlreadyKnown", "EnrichmentDenied", "BrandAdded"), "Info"),
    **dict.fromkeys(("PropertyUnknown", "TextLong", "PictureIgnored"), "Warning"),
}
"""Types by code; all other codes are errors."""


def words(language: str) -> Mapping[str, str]:
    """Return the messages by code, with `{}` in place of their values."""
    return texts(__name__, language)


def is_error(finding: Finding) -> bool:
    return finding.code not in TYPES


def finding_document(finding: Finding, language: str) -> dict[str, str | None]:
    """Return a finding for a report; its value replaces `{}` in the text."""
    return {
        "code": finding.code,
        "field": finding.field,
        "message": words(language)[finding.code].replace("{}", finding.value),
        "type": TYPES.get(finding.code, ERROR),
    }
