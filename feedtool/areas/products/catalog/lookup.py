"""The catalogue as checks, templates and commands ask it. It never changes while it is asked."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from feedtool.areas.products.catalog.fingerprint import fingerprint
from feedtool.areas.products.catalog.model import Brand, Category, Listed, Origin, Property
from feedtool.areas.products.catalog.words import folded, near_codes, nearest


class Catalog:
    """Brands, categories and properties of one service in one language.

    Properties are read when a category is first asked for, brands when any is; all stays in
    memory from there on. Not for several threads.
    """

    def __init__(
        self,
        origin: Origin,
        categories: Mapping[str, Category],
        listed: Callable[[str], Listed | None],
        brands: Callable[[], Iterable[Brand]],
    ) -> None:
        """A catalogue.

        Args:
            origin: Its source.
            categories: By their reference.
            listed: The properties of a category, None where they were never brought.
            brands: All of them.
        """
        self.origin, self.categories = origin, categories
        self._listed, self._all_brands = listed, brands
        self.consulted: dict[str, Listed | None] = {}
        """The properties that were asked for until now, by category."""
        self._fingerprints: dict[str, str] = {}
        self._brands: dict[str, Brand] | None = None
        self._near: dict[tuple[str, int], list[str]] = {}

    @property
    def language(self) -> str:
        """Of the labels: `en`, `fr` or `es`."""
        return self.origin.language

    @property
    def synced_at(self) -> datetime | None:
        """The end of the last whole sync; None when there was none."""
        return self.origin.synced_at

    @property
    def consulted_brands(self) -> Iterable[Brand]:
        """All brands, or none where nobody has asked for any until now."""
        return () if self._brands is None else self._brands.values()

    def category(self, reference: str) -> Category | None:
        """The category of a reference, whose letters are all capitals."""
        return self.categories.get(reference)

    def near_categories(self, reference: str, most: int = 3) -> list[str]:
        """Those that take products and that a mistyped reference may stand for, likeliest first."""
        usable = (code for code, item in self.categories.items() if item.takes_products)
        return near_codes(reference, usable, most)

    def properties(self, reference: str) -> tuple[Property, ...] | None:
        """A category's properties by their index; None where they were not brought."""
        result = self._of(reference)
        return result and result.properties

    def checked_at(self, reference: str) -> datetime | None:
        """The time of the service's last answer about a category's properties; None: never."""
        result = self._of(reference)
        return result and result.checked_at

    def fingerprint(self, reference: str) -> str | None:
        """The stamp of a template made for a category; None where its properties are not here."""
        result = self._of(reference)
        if result is None:
            return None
        if reference not in self._fingerprints:
            self._fingerprints[reference] = fingerprint(result.properties)
        return self._fingerprints[reference]

    def brand(self, name: str) -> Brand | None:
        """The brand of a name, whatever its case and accents."""
        return self._by_name().get(folded(name))

    def near_brands(self, name: str, most: int = 3) -> list[str]:
        """Names of brands that a mistyped one may stand for, the likeliest first."""
        asked = folded(name), most
        if asked not in self._near:
            result = nearest(asked[0], list(self._by_name()), most)
            self._near[asked] = [self._by_name()[item].name for item in result]
        return self._near[asked]

    def brands(self) -> Iterable[Brand]:
        """All brands; of several with one name the first."""
        return self._by_name().values()

    def _of(self, reference: str) -> Listed | None:
        if reference not in self.consulted:
            self.consulted[reference] = self._listed(reference)
        return self.consulted[reference]

    def _by_name(self) -> dict[str, Brand]:
        if self._brands is None:
            self._brands = {}
            for brand in self._all_brands():
                self._brands.setdefault(folded(brand.name), brand)
        return self._brands
