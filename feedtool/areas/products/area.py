"""The declaration of the area `products`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.rules import FIXES, RULES
from feedtool.areas.products.settings import ProductSettings
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Return the exports, which only a few commands import."""
    from feedtool.areas.products.export import EXPORT

    return (EXPORT,)


def report_words(language: str) -> Mapping[str, str]:
    """Return the words of reports as the embedded sandbox has them: the service's are not known."""
    from feedtool.areas.products.sandbox.messages import words  # which only `explain` needs

    return words(language)


AREA = Area(
    "products",
    tr("Products"),
    feeds=(FEED,),
    rules=RULES,
    fixes=FIXES,
    exports=exports,
    report_words=report_words,
    settings=(ProductSettings,),
)
