"""Settings of products."""

from typing import Annotated

from feedtool.model.settings import CELL, Range, Settings
from feedtool.model.text import tr

NOTES = Range(30, tr("number of rows between codes and products"), tr("number"))
"""The header of a template is looked for among the first 40 rows of a sheet."""


class ProductSettings(Settings, frozen=True):
    """Settings of products and of their pictures."""

    BEFORE = "batch_pause"

    product_fields: tuple[str, ...] = (
        *("gtin", "sellerProductReference", "title", "description"),
        *("sellerPictureUrls_1", "categoryCode"),
    )
    """The common data that every product's row must fill; sellers who only complete products that
    are known already may need fewer."""
    operator_category: str = "C1"
    """The cell of the channel operator's own products templates that holds the category's code."""
    operator_notes: Annotated[int, NOTES] = 3
    """Rows there between the row of codes and the products: mono or multi, a blank one,
    constraints. One more is recognised without this setting."""
    picture_schemes: tuple[str, ...] = ("https",)
    """Schemes of pictures' addresses; another is a warning."""
    picture_types: tuple[str, ...] = ("jpg", "jpeg", "png", "gif", "bmp", "webp")
    """Endings of pictures' addresses; another is a warning."""

    def __post_init__(self) -> None:
        if not CELL.fullmatch(self.operator_category):
            reason = tr(
                "operator_category = {value} is not a cell", value=repr(self.operator_category)
            )
            raise ValueError(reason, tr('write its name: "C1"'))
