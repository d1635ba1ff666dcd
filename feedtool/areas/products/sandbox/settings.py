"""The settings of the sandbox's products."""

from dataclasses import dataclass
from datetime import timedelta

from feedtool.sandbox.exchange import Quota


@dataclass(frozen=True, slots=True)
class ProductBehaviour:
    """Of packages of products, and of their sheets. All durations are sandbox time."""

    validate: timedelta = timedelta(seconds=40)
    """After POST /products-integration: how long its report is an empty page."""
    integrate: timedelta = timedelta(seconds=100)
    """From the same POST to the end; in between, what may be integrated is Validated."""
    limit: int = 10_000
    """Most products of one POST."""
    reported: int | None = None
    """Of a larger package, the report shows only so many products, as the field has seen."""
    creations: Quota | None = None
    """So many product sheets may a seller create in a window; more are refused by the report."""
    closed: tuple[str, ...] = ()
    """GTINs of sheets that are Archived: only their creator may add anything to them."""
    reference_length: int = 50
    """Longest sellerProductReference."""
