"""Items become uploads, uploads become packages. Pure: what goes where depends on counts alone.

Specification, part "Limits": 100 offer requests per upload, 50,000 per package; part "Offers
(JSON packages)", rule 7: a package is bound to one channel and one type. So row k of a (channel,
type) travels in that group's package k // 50,000 and in upload (k % 50,000) // 100 of it. A legacy
zip is a package of one upload, of 40,000 offers at most. Products
have no packages: each batch of them is a package of one upload, and holds no reference and no GTIN
twice, since the reports name a row by these. Offers whose products are sent by the same command are
in packages of their own, so that no other offer waits for those. Rows keep their order inside a
package. Nothing but the uploads that are not yet full is ever held in memory, whatever the size of
the sheet and however mixed its rows are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from feedtool.model.nouns import LEGACY_TYPES, PackageSummary, PackageType, Upload
from feedtool.model.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from feedtool.model.nouns import Item


class Place(NamedTuple):
    """Where row k of its group goes."""

    package: int
    """0-based among the packages of the group."""
    upload: int
    """1-based within the package."""


class Group(NamedTuple):
    """What rows have in common that can travel together."""

    channel: str
    package_type: PackageType
    waits: bool


class Planned(NamedTuple):
    """An upload and the package that it belongs to."""

    package: int
    """1-based within the plan, in the order in which the packages' first rows come."""
    upload: Upload


def place(count: int, limits: Limits) -> Place:
    """The place of a row before which its group has had `count` rows."""
    package, within = divmod(count, limits.package)
    return Place(package, within // limits.upload + 1)


def uploads(
    items: Iterable[Item],
    limits: Limits | None = None,
    waits: Callable[[Item], bool] = lambda _: False,
    order: Iterable[tuple[str, PackageType]] = (),
) -> Iterator[Planned]:
    """Every upload as soon as it is full, and at the end those that are not.

    The uploads of a package come in the order of their numbers; those of different packages
    come mixed when the rows do.

    Args:
        items: The rows.
        limits: How much goes into an upload, a package and a batch.
        waits: Whether a row waits for others, and so travels apart from those that do not.
        order: The channels and types of rows that do not wait, each with such a row, in the order
            of their first packages; None of them is in that of its first row.
    """
    limits = limits or Limits()
    counts: Counter[Group] = Counter()
    numbers = {
        (Group(channel, kind, False), 0): number for number, (channel, kind) in enumerate(order, 1)
    }
    filling: dict[Group, list[Item]] = {}
    taken: set[str] = set()

    alone = {
        kind: replace(limits, upload=most, package=most)
        for kind, most in (
            (PackageType.PRODUCTS, limits.products),
            *((kind, limits.legacy) for kind in LEGACY_TYPES),
        )
    }

    def own(group: Group) -> Limits:
        return alone.get(group.package_type, limits)

    def planned(group: Group, rows: list[Item]) -> Planned:
        package, upload = place(counts[group] - len(rows), own(group))
        return Planned(numbers[group, package], Upload(upload, rows))

    for item in items:
        group = Group(item.channel, item.package_type, waits(item))
        most = own(group)
        if item.package_type is PackageType.PRODUCTS:
            names = named_by(item.reference, item.product)
            if filling.get(group) and not taken.isdisjoint(names):
                yield planned(group, filling.pop(group))
                counts[group] += -counts[group] % most.package
            if not filling.get(group):
                taken.clear()
            taken |= names
        rows = filling.setdefault(group, [])
        if not rows:
            package = place(counts[group], most).package
            numbers.setdefault((group, package), len(numbers) + 1)
        rows.append(item)
        counts[group] += 1
        if len(rows) == most.upload or counts[group] % most.package == 0:
            yield planned(group, filling.pop(group))
    for group, rows in filling.items():
        yield planned(group, rows)


def named_by(reference: str, gtin: str) -> set[str]:
    """What a product is named by, in the reports and by offers; no two in a batch have the same.

    A GTIN is the same with and without zeros in front.
    """
    return {f"r{reference}", f"g{gtin.lstrip('0')}"} - {"r", "g"}


def offered(product: str) -> set[str]:
    """The same of the product of an offer: of `GTIN|product reference|condition`."""
    gtin, _, rest = product.partition("|")
    return named_by(rest.partition("|")[0], gtin)


def summaries(planned: Iterable[Planned]) -> list[PackageSummary]:
    """The packages that a plan comes to, by number: what a dry run shows."""
    found: dict[int, PackageSummary] = {}
    for number, upload in planned:
        first = upload.items[0]
        summary = found.setdefault(
            number, PackageSummary(None, first.package_type, first.channel, None, 0, 0)
        )
        found[number] = PackageSummary(
            package_id=None,
            package_type=summary.package_type,
            channel=summary.channel,
            state=None,
            rows=summary.rows + len(upload.items),
            uploads=summary.uploads + 1,
        )
    return [found[number] for number in sorted(found)]
