"""Which kinds of feed may become which, in which form of file. Pure.

A way is open where the rows keep their meaning: an Update, whose blanks mean unchanged, never
becomes a whole offer, and nothing becomes a Delete.
"""

from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from feedtool.areas.legacy.offers_xml import KIND as FULL
from feedtool.areas.legacy.offers_xml import KINDS as LEGACY_KINDS
from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE_KIND as STOCK_AND_PRICE
from feedtool.model.errors import UsageProblem

UPSERT, UPDATE, DELETE, PRODUCTS = "offers-upsert", "offers-update", "offers-delete", "products"
OFFERS = frozenset((UPSERT, UPDATE, DELETE))
"""The kinds that share a sheet of JSON packages."""


class Form(Enum):
    """What is written."""

    WORKBOOK = ".xlsx"
    CSV = ".csv"
    ZIP = ".zip"
    """The legacy zip."""
    XML = ".xml"
    """The Offers.xml alone."""
    JSON = ".json"
    """All requests in one."""
    FOLDER = ""
    """Requests as `submit --requests` writes them."""

    @property
    def is_sheet(self) -> bool:
        """Whether it has rows and columns."""
        return self in {Form.WORKBOOK, Form.CSV}

    @property
    def is_legacy(self) -> bool:
        """Whether it is an Offers.xml, in a zip or alone."""
        return self in {Form.ZIP, Form.XML}


SOURCES: Mapping[str, frozenset[str]] = {
    UPSERT: frozenset((UPSERT, FULL)),
    UPDATE: frozenset((UPDATE, UPSERT, STOCK_AND_PRICE, FULL)),
    DELETE: frozenset((DELETE,)),
    FULL: frozenset((FULL, UPSERT)),
    STOCK_AND_PRICE: frozenset((STOCK_AND_PRICE, UPDATE, UPSERT, FULL)),
    PRODUCTS: frozenset((PRODUCTS,)),
}
"""What each kind can be made of."""

_AS_LEGACY = {UPSERT: FULL, UPDATE: STOCK_AND_PRICE}
_AS_JSON = {FULL: UPSERT, STOCK_AND_PRICE: UPDATE}
_NO_LEGACY = {
    DELETE: "an Offers.xml cannot say that offers are removed",
    PRODUCTS: "an Offers.xml holds offers, and no products",
}


def form_of(target: Path) -> Form:
    """What is to be written, by its name; one without an ending is a folder.

    Raises:
        UsageProblem: the ending is none of those.
    """
    ending = target.suffix.lower()
    try:
        return Form.FOLDER if target.is_dir() else Form(ending)
    except ValueError:
        endings = ", ".join(one.value for one in Form if one.value)
        raise UsageProblem(
            f"nothing can be written as {target.name}",
            f"let the name end in one of {endings}, or in nothing for a folder of requests",
        ) from None


def kind_for(form: Form, kind: str, wanted: str | None) -> str:
    """The kind that rows of a kind become in a form of file.

    Args:
        form: What is written.
        kind: What the rows are.
        wanted: What they are to become, where that was said.

    Raises:
        UsageProblem: they cannot.
    """
    became = wanted or kind
    if wanted is None and form.is_legacy:
        if kind in _NO_LEGACY:
            raise UsageProblem(
                _NO_LEGACY[kind], "give OUT another ending: .xlsx, .csv, .json or none"
            )
        became = _AS_LEGACY.get(kind, kind)
    elif wanted is None and not form.is_sheet:
        became = _AS_JSON.get(kind, kind)
    if kind not in SOURCES[became]:
        possible = [one for one, sources in SOURCES.items() if kind in sources]
        raise UsageProblem(
            f"{kind} cannot become {became} without another meaning",
            f"it can become {', '.join(possible)}",
        )
    is_legacy = became in LEGACY_KINDS
    if (form.is_legacy and not is_legacy) or (form is Form.JSON and is_legacy):
        raise UsageProblem(
            f"{became} cannot be written as {form.value}",
            "leave --to away, or give OUT another ending",
        )
    return became
