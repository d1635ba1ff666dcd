"""Items become uploads, uploads become packages. Pure: what goes where depends on counts alone.

Specification, part "Limits": 100 offer requests per upload, 50,000 per package; part "Offers
(JSON packages)", rule 7: a package is bound to one channel and one type. So row k of a (channel,
type) travels in that group's package k // 50,000 and in upload (k % 50,000) // 100 of it. Rows
keep their order inside a package. Nothing but the uploads that are not yet full is ever held in
memory, whatever the size of the sheet and however mixed its rows are.

Products travel in batches, each of which is an upload here; all of a sheet are of one plan.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from feedtool.dialect import Limits
from feedtool.model import PackageSummary, PackageType, Upload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from feedtool.model import Item


class Place(NamedTuple):
    """Where row k of its group goes."""

    package: int
    """0-based among the packages of the group."""
    upload: int
    """1-based within the package."""


class Planned(NamedTuple):
    """An upload and the package that it belongs to."""

    package: int
    """1-based within the plan, in the order in which the packages' first rows come."""
    upload: Upload


def place(count: int, limits: Limits) -> Place:
    """The place of a row before which its group has had `count` rows."""
    package, within = divmod(count, limits.package)
    return Place(package, within // limits.upload + 1)


def sizes(package_type: PackageType, limits: Limits) -> Limits:
    """How much goes into an upload and a package of a type."""
    if package_type is PackageType.PRODUCTS:
        return replace(limits, upload=limits.products, package=sys.maxsize)
    return limits


def uploads(items: Iterable[Item], limits: Limits | None = None) -> Iterator[Planned]:
    """Every upload as soon as it is full, and at the end those that are not.

    The uploads of a package come in the order of their numbers; those of different packages
    come mixed when the rows do.
    """
    limits = limits or Limits()
    counts: Counter[tuple[str, PackageType]] = Counter()
    numbers: dict[tuple[str, PackageType, int], int] = {}
    filling: dict[tuple[str, PackageType], list[Item]] = {}
    sized = {package_type: sizes(package_type, limits) for package_type in PackageType}

    def planned(group: tuple[str, PackageType], rows: list[Item]) -> Planned:
        package, upload = place(counts[group] - len(rows), sized[group[1]])
        return Planned(numbers[*group, package], Upload(upload, rows))

    for item in items:
        group, own = (item.channel, item.package_type), sized[item.package_type]
        rows = filling.setdefault(group, [])
        if not rows:
            package = place(counts[group], own).package
            numbers.setdefault((*group, package), len(numbers) + 1)
        rows.append(item)
        counts[group] += 1
        if len(rows) == own.upload or counts[group] % own.package == 0:
            yield planned(group, filling.pop(group))
    for group, rows in filling.items():
        yield planned(group, rows)


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
