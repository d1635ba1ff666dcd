"""Items become uploads, uploads become packages. Pure: what goes where depends on counts alone.

A package is of one channel and one type, and how much goes into it, and into each upload of it, is
said by the protocol of its type (specification, part "Limits"). So row k of a (channel, type)
travels in that group's package k // size.package and in upload (k % size.package) // size.upload of
it. Where answers name a row by what is its own, no package holds such a name twice. Rows that need
what the same command makes are in packages of their own, so that no other row waits for that. Rows
keep their order inside a package. Nothing but the uploads that are not yet full is ever held in
memory, whatever the size of the sheet and however mixed its rows are.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from feedtool.delivery.dependencies import Dependencies
from feedtool.feeds.delivery import Names, Routes, Size, Submitted
from feedtool.feeds.feed import Feed, routes_of
from feedtool.model.nouns import Item, PackageSummary, Upload
from feedtool.model.settings import PackageLimits
from feedtool.model.sheet import CheckedSheet


class RowPlace(NamedTuple):
    """Where row k of its group goes."""

    package: int
    """0-based among the packages of the group."""
    upload: int
    """1-based within the package."""


class PackageGroup(NamedTuple):
    """What rows have in common that can travel together."""

    channel: str
    package_type: str
    waits: bool


class Planned(NamedTuple):
    """An upload and the package that it belongs to."""

    package: int
    """1-based within the plan, in the order in which the packages' first rows come."""
    upload: Upload


def place(count: int, size: Size) -> RowPlace:
    """The place of a row before which its group has had `count` rows."""
    package, within = divmod(count, size.package)
    return RowPlace(package, within // size.upload + 1)


def uploads(
    items: Iterable[Item],
    routes: Routes,
    limits: PackageLimits | None = None,
    waits: Callable[[Item], bool] = lambda _: False,
    order: Iterable[tuple[str, str]] = (),
) -> Iterator[Planned]:
    """Every upload as soon as it is full, and at the end those that are not.

    The uploads of a package come in the order of their numbers; those of different packages
    come mixed when the rows do.

    Args:
        items: The rows.
        routes: How packages of each type are delivered.
        limits: How much goes into an upload and a package, as the account has it.
        waits: Whether a row waits for others, and so travels apart from those that do not.
        order: The channels and types of rows that do not wait, each with such a row, in the order
            of their first packages; None of them is in that of its first row.
    """
    limits = limits or PackageLimits()
    counts: Counter[PackageGroup] = Counter()
    numbers = {
        (PackageGroup(channel, kind, False), 0): number
        for number, (channel, kind) in enumerate(order, 1)
    }
    filling: dict[PackageGroup, list[Item]] = {}
    taken: dict[PackageGroup, set[str]] = {}
    sizes = {kind: route.protocol.size(limits) for kind, route in routes.items()}
    names = {kind: _unique_names(routes, kind) for kind in routes}

    def planned(group: PackageGroup, rows: list[Item]) -> Planned:
        package, upload = place(counts[group] - len(rows), sizes[group.package_type])
        return Planned(numbers[group, package], Upload(upload, rows))

    for item in items:
        group = PackageGroup(item.channel, item.package_type, waits(item))
        size, names_of = sizes[item.package_type], names[item.package_type]
        if names_of:
            own = names_of(item.reference, item.product)
            if filling.get(group) and not taken[group].isdisjoint(own):
                yield planned(group, filling.pop(group))
                counts[group] += -counts[group] % size.package
            if not filling.get(group):
                taken[group] = set()
            taken[group] |= own
        rows = filling.setdefault(group, [])
        if not rows:
            package = place(counts[group], size).package
            numbers.setdefault((group, package), len(numbers) + 1)
        rows.append(item)
        counts[group] += 1
        if len(rows) == size.upload or counts[group] % size.package == 0:
            yield planned(group, filling.pop(group))
    for group, rows in filling.items():
        yield planned(group, rows)


def _unique_names(routes: Routes, package_type: str) -> Names | None:
    protocol = routes[package_type].protocol
    return protocol.names if isinstance(protocol, Submitted) else None


class Plan:
    """What a command sends of its sheets; made once, and walked by all that need it.

    The rows stay where they are spooled: what is walked again is the arithmetic of `uploads`.
    """

    def __init__(
        self,
        sheets: Sequence[CheckedSheet],
        feeds: Mapping[str, Feed],
        limits: PackageLimits,
        blocked: str = "",
    ) -> None:
        """Of sheets whose rows are judged and selected; `blocked` says why none of them is sent."""
        self.sheets = sheets
        self.blocked = blocked
        self.sent = [] if blocked else [sheet for sheet in sheets if sheet.error is None]
        self._limits = limits
        self._routes = routes_of(feeds.values())
        self._dependencies = Dependencies(sheets, feeds)

    def uploads(self, sheet: CheckedSheet) -> Iterator[Planned]:
        """The uploads of a sheet's valid rows; those that wait for others travel apart."""
        order = () if self._dependencies.sent else sheet.order
        waits = self._dependencies.waits
        return uploads(sheet.valid_items(), self._routes, self._limits, waits, order)

    def summaries(self, sheet: CheckedSheet) -> list[PackageSummary]:
        """The packages of a sheet, by number: what a dry run shows."""
        return summaries(self.uploads(sheet))


def summaries(planned: Iterable[Planned]) -> list[PackageSummary]:
    """The packages that a plan comes to, by number: what a dry run shows."""
    packages: dict[int, PackageSummary] = {}
    for number, upload in planned:
        first = upload.items[0]
        package = packages.setdefault(
            number, PackageSummary(None, first.package_type, first.channel, None, 0, 0)
        )
        rows = package.rows + sum(1 + len(item.further_rows) for item in upload.items)
        packages[number] = replace(package, rows=rows, uploads=package.uploads + 1)
    return [packages[number] for number in sorted(packages)]
