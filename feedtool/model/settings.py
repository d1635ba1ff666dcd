"""Settings for what the specification leaves open, with defaults; a profile may change each.

Source: the field's knowledge of services of this family. Nothing here is a constant elsewhere.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from msgspec import Struct, field

from feedtool.model.call import AskService
from feedtool.model.errors import FeedtoolError
from feedtool.model.fulfilment_settings import InboundSettings, OutboundSettings
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr

CELL = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})", re.ASCII)
"""The name of a cell in a sheet, as C1."""

Constant = str | int | float | bool
"""A value in a recipe or a profile. A number counts as in a spreadsheet's cell: to 15 digits, and
without zeros at the end of its decimals. A text in quotes is not changed."""


def is_constant(value: object) -> TypeGuard[Constant]:
    """True for a value that a recipe or a profile may have: no list, no date, no `nan`."""
    return isinstance(value, Constant) and not (isinstance(value, float) and not isfinite(value))


SMALL_PARCEL_MODES = (
    "TrackedHomeDelivery",
    "SignedHomeDelivery",
    "ExpressHomeDelivery",
    "NotTrackedHomeDelivery",
)
LARGE_PARCEL_MODES = ("FixedDateHomeDelivery", "SpecificRoomHomeDelivery", "WithSetupHomeDelivery")
DEPRECATED_MODES = ("Standard", "Express")
"""Still present, to be removed (specification, "Versioning" 2)."""

MANDATORY_MODE = "TrackedHomeDelivery"
"""Mandatory everywhere (specification, "Delivery modes on orders")."""

CONDITION_NAMES = (
    *("New", "UsedLikeNew", "UsedVeryGoodState", "UsedAverageState"),
    *("RefurbishedLikeNew", "RefurbishedVeryGoodState", "RefurbishedCorrectState"),
)


class Bounds(Struct, frozen=True):
    """Bounds that the specification does not give, with generous defaults."""

    highest_price: Decimal = Decimal("9999999.99")
    """In the channel's currency; a higher price is an error."""
    longest_preparation: int = 365
    """Days of preparationTime; more are an error."""
    highest_quantity: int = 9_999_999_999
    """Pieces in stock; more are an error."""
    advised_length: int = 50
    """Characters of a reference; longer is a warning, since only peers know of a limit."""
    advised_title: int = 132
    """Characters of a product's title; longer is a warning, as of the next three."""
    advised_description: int = 2_000
    """Characters of a product's description."""
    advised_marketing: int = 5_000
    """Characters of a richMarketingDescription, its HTML included."""
    advised_pictures: int = 6
    """Pictures of a product; what is beyond is a warning."""
    longest_text: int = 32_767
    """Characters; what a cell of a spreadsheet can hold."""


class PackageLimits(Struct, frozen=True):
    """The most that travels at once (specification, "Limits"; others from the field)."""

    upload: int = 100
    """Offer requests per upload."""
    package: int = 50_000
    """Offer requests per package."""
    legacy: int = 40_000
    """Offers per zip."""
    products: int = 25
    """Products per batch."""
    invoices: int = 50
    """Files per import of invoices; with 1 each goes to the address of its order instead."""

    def __post_init__(self) -> None:
        if min(self.upload, self.package, self.legacy, self.products, self.invoices) < 1:
            raise ValueError("a limit below 1 leaves no place for any row")


class Guards(Struct, frozen=True):
    """Guards hold a row back until it is released; 0 switches a guard off."""

    price_change: Decimal = Decimal(0)
    """Percent by which a price may fall or rise against the last accepted."""
    price_factor: Decimal = Decimal(10)
    """By about this factor, up or down, a price is taken for one that has lost its decimal sign."""
    removals: Decimal = Decimal(50)
    """Percent of the offers known on a channel that one file may delete or set to stock zero."""
    fewer_rows: Decimal = Decimal(0)
    """Percent by which a file may be shorter than its predecessor."""
    least: int = 20
    """Below this number of offers, or of rows of the predecessor, the last two guards are off."""

    def __post_init__(self) -> None:
        if min(self.price_change, self.removals, self.fewer_rows) < 0 or self.least < 0:
            raise ValueError("a guard below 0 holds nothing and everything: write 0 for none")
        if self.price_factor and self.price_factor <= 1:
            raise ValueError("price_factor must be above 1, or 0 for none")


class OrderSettings(Struct, frozen=True):
    """Settings of orders; 0 switches a guard off."""

    carriers: tuple[str, ...] = ()
    """The names of carriers that are expected; another is a warning. None expects any."""
    carrier: str = ""
    """The carrier of rows that name none."""
    tracking: Mapping[str, str] = field(default_factory=dict)
    """Carrier → its tracking address, with `{parcelNumber}` for the number."""
    shipping_cost_refund: str = ""
    """`yes` or `no` for cancellations without this value; empty if each must have it."""
    line_management: Mapping[str, str] = field(default_factory=dict)
    """salesChannelId → `yes` if single lines may be shipped; `no` refuses parts of an order."""
    gesture_done: tuple[str, ...] = ("Accepted", "Validated", "Success", "Completed", "Done")
    """The service's words for a gesture that was granted."""
    gesture_refused: tuple[str, ...] = ("Rejected", "Refused", "Failure", "Cancelled")
    """The service's words for a gesture that was not granted."""
    accept_within: int = 0
    """Hours in which an order is to be accepted: a deadline is shown; 0 shows none."""
    refusals: Decimal = Decimal(20)
    """Percent of a file's orders that may be refused or cancelled, where these are 5 or more."""
    gestures: Decimal = Decimal(200)
    """The highest sum of the commercial gestures of a file, in its currency."""
    gesture_share: Decimal = Decimal(50)
    """Percent of its line that a gesture may be."""


class DiscussionSettings(Struct, frozen=True):
    """Settings of discussions."""

    replies: Mapping[str, str] = field(default_factory=dict)
    """Name → the text of a saved reply; the row's values replace `{orderId}`, `{product}`,
    `{parcelNumber}`, `{trackingUrl}` and `{carrierName}`."""
    reply_reads: str = "yes"
    """`yes` if a reply marks the messages read that it answers; `no` leaves it to Mark read."""
    reply_length: int = 1500
    """Characters of a message; longer is a warning, since the specification contradicts itself."""
    attachment_bytes: int = 4_000_000
    """Bytes of all files of a message together."""
    same_replies: int = 20
    """Discussions that may get the same text without a saved reply; 0 switches the guard off."""
    message_receiver: str = "receivers"
    """The member that names who gets a message: `receivers` for a list, `receiver` for one."""
    patch_op: str = "opt"
    """The member with the operation of a patch: `opt`, or `op`."""
    patch_value: str = "string"
    """`string` sends "true" for yes in a patch, `boolean` sends true."""


class AccountSettings(Struct, frozen=True):
    """The settings of one seller's service."""

    upload_body: str = "array"
    """`array`, or `offerRequests` for an object around it."""
    tax_codes: Mapping[str, str] = field(
        default_factory=lambda: {"VAT": "VAT", "EcoPart": "EcoPart", "DEA": "DEA"}
    )
    """The specification's tax code → the one that is sent."""
    vat_scale: int = 100
    """100 sends 20 for twenty percent, 1 sends 0.2."""
    delivery_modes: tuple[str, ...] = SMALL_PARCEL_MODES + LARGE_PARCEL_MODES
    """The modes that the account may use."""
    mandatory_mode: str | None = MANDATORY_MODE
    """Required of every list of modes without a large-parcel mode; None requires none."""
    gtin_as: str = "string"
    """`string` or `number`."""
    conditions: tuple[str, ...] = CONDITION_NAMES
    """The conditions that an offer may have."""
    legacy_conditions: Mapping[str, str] = field(
        default_factory=lambda: {
            "New": "6",
            "UsedLikeNew": "1",
            "UsedVeryGoodState": "2",
            "GoodState": "3",
            "UsedAverageState": "4",
            "Refurbished": "5",
            "RefurbishedLikeNew": "5",
            "RefurbishedVeryGoodState": "5",
            "RefurbishedCorrectState": "5",
        }
    )
    """Condition → its ProductCondition in a legacy zip; a number is read as its first condition."""
    legacy_modes: Mapping[str, str] = field(
        default_factory=lambda: {
            "Standard": "NotTrackedHomeDelivery",
            "Tracked": "TrackedHomeDelivery",
            "Registered": "SignedHomeDelivery",
        }
    )
    """DeliveryMode of a legacy zip → the mode of the JSON packages that means the same."""
    legacy_document_type: str = "http://www.cdiscount.com/uri/document"
    """The type of the relationship that leads to a legacy zip's Offers.xml."""
    legacy_pools: Mapping[str, str] = field(default_factory=dict)
    """salesChannelId → the Id of its publication pool, for accounts that still write that instead
    of SalesChannelId; 1 is the primary channel's."""
    legacy_transport: str = "bytes"
    """The transport of a legacy zip: `bytes` for the zip itself, `url` for its public address."""
    legacy_folder: str = ""
    """With `url`: the folder into which the zip is put."""
    legacy_address: str = ""
    """With `url`: the public address of that folder."""
    currencies: tuple[str, ...] = ("€", "EUR")
    """Signs and codes that may stand before or after an amount."""
    primary_channel: str = "PRIMARY"
    """The channel of rows that name none, where no --channel does."""
    product_fields: tuple[str, ...] = (
        *("gtin", "sellerProductReference", "title", "description"),
        *("sellerPictureUrls_1", "categoryCode"),
    )
    """The common data that every product's row must fill; sellers who only complete products that
    are known already may need fewer."""
    operator_category: str = "C1"
    """The cell of the channel operator's own products templates that holds the category's code."""
    operator_notes: int = 3
    """Rows there between the row of codes and the products: mono or multi, a blank one,
    constraints. One more is recognised without this setting."""
    picture_schemes: tuple[str, ...] = ("https",)
    """Schemes of pictures' addresses; another is a warning."""
    picture_types: tuple[str, ...] = ("jpg", "jpeg", "png", "gif", "bmp", "webp")
    """Endings of pictures' addresses; another is a warning."""
    batch_pause: int = 0
    """Seconds between two batches of products; the field knows of quotas of creations."""
    quota_pause: int = 3600
    """Seconds without a batch after a report said that a quota of creations was used up."""
    resend_pause: int = 600
    """Seconds after which a batch of products, or a row of a legacy zip, is sent once more where
    the answer was lost and the service shows nothing of it."""
    cursor_overlap: int = 600
    """Seconds before a cursor's position that are read again, since changes are shown late."""
    reconcile_every: int = 1
    """Days after which an export with a cursor reads the last days as a whole; 0 is never."""
    reconcile_days: int = 30
    """The number of these last days; a new cursor begins with them."""
    keep_personal: int = 90
    """Days after which snapshots of files with orders or invoices are deleted: `results` and
    `resume` do without them then. 0 keeps them."""
    report_page_size: int | None = None
    """Results a page is asked for; None leaves it to the service, which names no limit."""
    csv_fallback: str = ""
    """Encoding of a CSV that is neither marked nor UTF-8: `cp1252`, `gb18030`. Empty: the words of
    the text decide on its code page, of Windows, DOS or Mac."""
    invoice_name: str = ""
    """The names of invoices' files, as a regular expression whose first group is the order:
    `.*_([^_]+)[.]pdf`. Empty: a file is called as its order is."""
    accounts: Mapping[str, str] = field(default_factory=dict)
    """Accounts of the journal that replace usual ones: a type of event, or `clearing`, `bank`,
    `vat_sales` → its number."""
    journal: str = "MKT"
    """The code of the journal in which operations and payments are booked."""
    vat_rate: Decimal = Decimal(0)
    """Percent of VAT that the journal takes out of sales and refunds of which the service shows no
    VAT; 0 leaves them whole."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The seller's own headers → our keys."""
    bounds: Bounds = field(default_factory=Bounds)
    limits: PackageLimits = field(default_factory=PackageLimits)
    reading: ReadingLimits = field(default_factory=ReadingLimits)
    """The limits of reading a file."""
    guards: Guards = field(default_factory=Guards)
    """The guards, which hold back valid rows that look like a mistake."""
    orders: OrderSettings = field(default_factory=OrderSettings)
    outbound: OutboundSettings = field(default_factory=OutboundSettings)
    inbound: InboundSettings = field(default_factory=InboundSettings)
    discussions: DiscussionSettings = field(default_factory=DiscussionSettings)


OpenCatalog = Callable[[str | None], Any]
"""Opens the local catalogue in a language (`fr`), or in any if None. Returns None if it is not
there in that language."""


def no_catalog(language: str | None = None) -> Any:
    """Return None: no catalogue was ever fetched."""
    del language


Locate = Callable[[Path], Path]
"""Returns the path to read for a file named in a cell: the same path, or that of a fixed copy.

Raises NotLocated if no file may be read for it."""


class NotLocated(FeedtoolError):
    """No file may be read for the content of a cell."""


def same_path(path: Path) -> Path:
    return path


class Context(NamedTuple):
    """The settings and the catalogue that sheets are judged by."""

    settings: AccountSettings = AccountSettings()
    catalog: OpenCatalog = no_catalog
    folder: Path = Path()
    """The folder of the sheet; relative paths in its cells begin there."""
    locate: Locate = same_path
    """Finds a file that a cell names; a path may lead into a ZIP."""
    ask: AskService | None = None
    """Calls the service, if the rows are to be sent at once; else None."""


LARGEST = 1 << 63
"""TOML's whole numbers are below it."""
TEXT_OR_COMMENT = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:""")?'
    r"|'''.*?(?:'''|\Z)"
    r'|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?'
    r"|'[^'\n]*'?"
    r"|#[^\n]*",
    re.DOTALL,
)
LONG_NAME = re.compile(r"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){50}")
"""A dotted name whose memory in `tomllib` grows with the square of its parts."""


def read_toml(text: str) -> dict[str, Any]:
    """Parse TOML; ValueError, with a plain reason, if it is no TOML or absurd."""
    if LONG_NAME.search(TEXT_OR_COMMENT.sub("x", text)):
        raise ValueError(tr("a name has too many parts"))
    try:
        tables = tomllib.loads(text)
        _check_numbers(tables)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError(tr("its brackets are nested too deeply")) from None
    except ValueError:  # Python's own message is about Python
        raise ValueError(tr("a number has too many digits")) from None
    return tables


def _check_numbers(value: object) -> None:
    """Raise ValueError for a whole number beyond those of TOML."""
    match value:
        case int() if not -LARGEST <= value < LARGEST:
            raise ValueError
        case Mapping():
            _check_numbers([*value.values()])
        case list():
            for entry in value:
                _check_numbers(entry)
