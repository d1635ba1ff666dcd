"""Settings for what the specification leaves open, with defaults; a profile may change each.

Source: the field's knowledge of services of this family. Nothing here is a constant elsewhere.
"""

import codecs
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeGuard, TypeVar

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from feedtool.model.call import AskService
from feedtool.model.errors import FeedtoolError
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


class Range(NamedTuple):
    """The values that a number may have, from 0 on: an annotation of a setting."""

    most: int
    meaning: str
    """The words for the number in an error: `rate of VAT`."""
    unit: str
    """The words for it in the hint: `percentage`."""


class Added(NamedTuple):
    """An annotation of a table whose entries replace those of its default, or are added to them."""

    is_closed: bool = False
    """True if it takes only the names of its default."""


FilledText = Annotated[str, Meta(min_length=1)]
PAUSE = Range(86_400, tr("pause that can be kept"), tr("number of seconds"))
DAYS = Range(365, tr("number of days"), tr("number of days"))


class Settings(Struct, frozen=True):
    """Settings of an area, or of a room: `AccountSettings.of` returns them.

    Their `__post_init__` raises ValueError for impossible values, with the reason and the hint.
    """

    TABLE: ClassVar[str] = ""
    """The table of a profile that holds them; empty if they are keys of the profile itself."""
    BEFORE: ClassVar[str] = ""
    """The key of a profile before which they are listed; empty: after all others."""


class Pauses(Settings, frozen=True):
    """Pauses before batches, and before a request that is repeated."""

    BEFORE = "keep_personal"

    batch_pause: Annotated[int, PAUSE] = 0
    """Seconds between two batches of products; the field knows of quotas of creations."""
    quota_pause: Annotated[int, PAUSE] = 3600
    """Seconds without a batch after a report said that a quota of creations was used up."""
    resend_pause: Annotated[int, PAUSE] = 600
    """Seconds after which a batch of products, or a row of a legacy zip, is sent once more where
    the answer was lost and the service shows nothing of it."""


class CursorSettings(Settings, frozen=True):
    """The times that exports with a cursor read again."""

    BEFORE = "keep_personal"

    cursor_overlap: Annotated[int, Range(86_400, tr("time that is read again"), PAUSE.unit)] = 600
    """Seconds before a cursor's position that are read again, since changes are shown late."""
    reconcile_every: Annotated[int, DAYS] = 1
    """Days after which an export with a cursor reads the last days as a whole; 0 is never."""
    reconcile_days: Annotated[int, DAYS] = 30
    """The number of these last days; a new cursor begins with them."""


ROOM_SETTINGS: tuple[type[Settings], ...] = (Pauses, CursorSettings)

AnySettings = TypeVar("AnySettings", bound=Settings)


@cache
def usual(kind: type[Settings]) -> Any:
    return kind()  # once, since rows and cells ask for it


class AccountSettings(Struct, frozen=True):
    """The settings of one seller's service: those of several rooms, and records of the others."""

    # Mandatory everywhere (specification, "Delivery modes on orders").
    mandatory_mode: str | None = "TrackedHomeDelivery"
    """Required of every list of modes without a large-parcel mode; None requires none."""
    gtin_as: Literal["string", "number"] = "string"
    """`string` or `number`."""
    conditions: tuple[str, ...] = CONDITION_NAMES
    """The conditions that an offer may have."""
    currencies: tuple[str, ...] = ("€", "EUR")
    """Signs and codes that may stand before or after an amount."""
    primary_channel: str = "PRIMARY"
    """The channel of rows that name none, where no --channel does."""
    keep_personal: Annotated[int, DAYS._replace(most=3_650)] = 90
    """Days after which snapshots of files with orders or invoices are deleted: `results` and
    `resume` do without them then. 0 keeps them."""
    report_page_size: int | None = None
    """Results a page is asked for; None leaves it to the service, which names no limit."""
    csv_fallback: str = ""
    """Encoding of a CSV that is neither marked nor UTF-8: `cp1252`, `gb18030`. Empty: the words of
    the text decide on its code page, of Windows, DOS or Mac."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The seller's own headers → our keys."""
    bounds: Bounds = field(default_factory=Bounds)
    limits: PackageLimits = field(default_factory=PackageLimits)
    reading: ReadingLimits = field(default_factory=ReadingLimits)
    """The limits of reading a file."""
    guards: Guards = field(default_factory=Guards)
    """The guards, which hold back valid rows that look like a mistake."""
    records: tuple[Settings, ...] = ()
    """Settings of areas and rooms, each of another type; of a type that is missing, all have their
    default."""

    def __post_init__(self) -> None:
        try:
            codecs.lookup(self.csv_fallback or "ascii")
        except LookupError:
            reason = tr("csv_fallback = {value} is not an encoding", value=repr(self.csv_fallback))
            raise ValueError(reason, tr('write "cp1252", for example')) from None

    def of(self, kind: type[AnySettings]) -> AnySettings:
        for record in self.records:
            if isinstance(record, kind):
                return record
        default: AnySettings = usual(kind)
        return default

    def having(self, record: Settings) -> "AccountSettings":
        """Return them with other settings of an area or a room."""
        others = (other for other in self.records if type(other) is not type(record))
        return replace(self, records=(*others, record))

    def by_key(self, of_areas: Iterable[type[Settings]]) -> dict[str, Any]:
        """Return the values of a profile's keys, in the order of documents; a table is a Struct."""
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name != "records"}
        for kind in (*ROOM_SETTINGS, *of_areas):
            record = self.of(kind)
            added = {name: getattr(record, name) for name in kind.__struct_fields__}
            if kind.TABLE:
                added = {kind.TABLE: record}
            keys = [*values]
            place = keys.index(kind.BEFORE) if kind.BEFORE in values else len(keys)
            values |= added
            values = {key: values[key] for key in (*keys[:place], *added, *keys[place:])}
        return values


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
