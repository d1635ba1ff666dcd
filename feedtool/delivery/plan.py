"""Put items into uploads, and uploads into packages; some rows wait for others. Pure.

A package has one channel and one type. The protocol of its type limits the size of the package and
of each upload (specification, part "Limits"): the distribution depends on counts and sizes alone,
and rows keep their order inside a package. If answers identify a row by its names, such as its
GTIN, no two rows of a package share one. Only the uploads that are not yet full are in memory.

Specification, part "Catalog endpoints": a product that the service does not know is created by
products-integration, and an offer is refused while its product has no product sheet. So if one
command has both, an offer is held back, in a package of its own, until its product is answered;
then it is sent in any case, since the service may have had the product sheet before. If the offer
is refused for the lack of a product sheet, a hint names the product's row. The feeds declare which
of them makes what others need (`Travel.provides`, `Travel.needs`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from sys import maxsize
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.feeds.delivery import Names, Submitted
from feedtool.feeds.feed import Feed, Routes, routes_of
from feedtool.model.nouns import (
    ActSummary,
    Item,
    Message,
    PackageSummary,
    RowResult,
    Status,
    Upload,
)
from feedtool.model.settings import PackageLimits
from feedtool.model.sheet import VALID, CheckedSheet, rows_of
from feedtool.model.text import MessageText, tr

ADVICE = {
    Status.INVALID: tr("it was not sent. Correct it, and send both again."),
    Status.REFUSED: tr("correct it, and send both again."),
    Status.REJECTED: tr("correct it, and send both again."),
    Status.INTEGRATED: tr("send this row again."),
}
"""Advice for a row that lacks what it needs, by the status of the row that makes it."""


class ProducingRow(NamedTuple):
    """The row that makes what others need."""

    sheet: int
    """The index of its sheet among the command's sheets."""
    row: int


class Dependencies:
    """The rows of a command's sheets that make things, and the rows that need these."""

    def __init__(self, sheets: Sequence[CheckedSheet], feeds: Mapping[str, Feed]) -> None:
        """Take checked sheets; they are read only when needed."""
        self._sheets = sheets
        self._feeds = feeds
        self._routes = routes_of(feeds.values())

    def waits(self, item: Item) -> bool:
        """True if a row needs a thing that the command sends too."""
        needs = self._routes[item.package_type].travel.needs if self.sent_names else None
        return needs is not None and not self.sent_names.isdisjoint(
            needs.names(item.reference, item.product)
        )

    def with_hints(
        self,
        sheet: CheckedSheet,
        results: Iterable[RowResult],
        statuses_of: Callable[[int], Mapping[int, Status]],
    ) -> Iterator[RowResult]:
        """Results of a sheet's rows, in order, with hints at the rows that make what they lack.

        `statuses_of` gives the statuses of the rows of one of the command's sheets.
        """
        if not self._makers or self._provides(sheet):
            yield from results
            return
        by_row = groupby(rows_of(sheet.rows.items), key=itemgetter(0))
        row, items = 0, list[Item]()
        for result in results:
            while row < result.row:
                row, group = next(by_row, (maxsize, ()))
                items = [item for _, item in group]
            of_row = items if row == result.row else ()
            hints = (self._hint_of(item, result, statuses_of) for item in of_row)
            hint = next(filter(None, hints), None)
            yield result._replace(messages=(*result.messages, hint)) if hint else result

    def _hint_of(
        self, item: Item, result: RowResult, statuses_of: Callable[[int], Mapping[int, Status]]
    ) -> Message | None:
        needs = self._routes[item.package_type].travel.needs
        codes = {message.code for message in result.messages}
        if needs is None or item.channel != result.channel:
            return None
        is_refused = result.status is Status.REJECTED and not needs.missing.isdisjoint(codes)
        # The first known name decides.
        names = sorted(needs.names(item.reference, item.product))
        maker = next(filter(None, map(self._makers.get, names)), None)
        if maker is None or not (is_refused or result.status is Status.PENDING):
            return None
        where, status = self._place(maker), statuses_of(maker.sheet).get(maker.row)
        if is_refused and status:
            advice = ADVICE.get(status, tr("see there, then send this row again."))
            return Message(
                "",
                tr(
                    "Its product is {where}, which is {status}: {advice}",
                    where=where,
                    status=MessageText((str(status),)),
                    advice=advice,
                ),
            )
        if status is Status.PENDING:
            text = tr("It is held back until its product is answered: {where}.", where=where)
            return Message("", text)
        return None

    def _place(self, maker: ProducingRow) -> str:
        """`row 6 of sheet Products`, with the file if there are several."""
        sheet = self._sheets[maker.sheet]
        where = tr("row {row}", row=maker.row)
        if sheet.sheet:
            where = tr("row {row} of sheet {sheet}", row=maker.row, sheet=sheet.sheet)
        has_others = len({other.file for other in self._sheets}) > 1
        if has_others:
            return tr("{row} of {sheet}", row=where, sheet=sheet.file)
        return where

    def _provides(self, sheet: CheckedSheet) -> Names | None:
        feed = self._feeds.get(sheet.kind or "")
        return feed.travel.provides if feed else None

    @cached_property
    def _makers(self) -> dict[str, ProducingRow]:
        """The row that makes each thing, by all of its names; invalid rows too."""
        if {self._provides(sheet) is None for sheet in self._sheets} != {True, False}:
            return {}
        makers: dict[str, ProducingRow] = {}
        for number, sheet in enumerate(self._sheets):
            for row, names in self._named_rows(sheet):
                for name in names:
                    makers.setdefault(name, ProducingRow(number, row))
        return makers

    def _named_rows(self, sheet: CheckedSheet) -> Iterator[tuple[int, frozenset[str]]]:
        """The producing rows of a sheet, and the names of the things that they make."""
        provides = self._provides(sheet)
        if provides is None or sheet.error is not None:
            return
        for item in sheet.rows.items:
            yield item.row, provides(item.reference, item.product)
        for refused in sheet.rows.refused:
            yield refused.row, provides(refused.reference or "", refused.product)

    @cached_property
    def sent_names(self) -> frozenset[str]:
        """The names of things made by rows that are sent."""
        return frozenset(
            name
            for name, maker in self._makers.items()
            if self._sheets[maker.sheet].rows.marks[maker.row] == VALID
        )


class PackageGroup(NamedTuple):
    """The common properties of rows that can be sent together."""

    channel: str
    package_type: str
    waits: bool


class Planned(NamedTuple):
    """An upload and the package that it belongs to."""

    package: int
    """1-based within the plan, in the order of the packages' first rows."""
    upload: Upload


def uploads(
    items: Iterable[Item],
    routes: Routes,
    limits: PackageLimits | None = None,
    waits: Callable[[Item], bool] = lambda _: False,
    order: Iterable[tuple[str, str]] = (),
) -> Iterator[Planned]:
    """Yield every upload once it is full, and the incomplete ones at the end.

    The uploads of a package come in the order of their numbers, those of different packages mixed
    as the rows are. Rows that wait for others get packages of their own. `order` has a channel and
    a type for each group of rows that do not wait: their first packages are numbered in this order.
    Without it, packages are numbered in the order of their first rows.
    """
    limits = limits or PackageLimits()
    counts: Counter[PackageGroup] = Counter()
    numbers = {
        (PackageGroup(channel, kind, False), 0): number
        for number, (channel, kind) in enumerate(order, 1)
    }
    filling: dict[PackageGroup, list[Item]] = {}
    taken_names: dict[PackageGroup, set[str]] = {}
    filled_bytes: Counter[PackageGroup] = Counter()
    protocols = {kind: feed.travel.protocol for kind, feed in routes.items()}
    sizes = {kind: protocol.size(limits) for kind, protocol in protocols.items()}
    names = {
        kind: protocol.names
        for kind, protocol in protocols.items()
        if isinstance(protocol, Submitted) and protocol.names
    }

    def planned(group: PackageGroup, rows: list[Item]) -> Planned:
        size = sizes[group.package_type]
        package, within = divmod(counts[group] - len(rows), size.package)
        return Planned(numbers[group, package], Upload(within // size.upload + 1, rows))

    for item in items:
        group = PackageGroup(item.channel, item.package_type, waits(item))
        size = sizes[item.package_type]
        names_of = names.get(item.package_type)
        if names_of or size.content < maxsize:
            row_names = names_of(item.reference, item.product) if names_of else frozenset[str]()
            is_full = filled_bytes[group] + len(item.body) > size.content
            if filling.get(group) and (is_full or not taken_names[group].isdisjoint(row_names)):
                yield planned(group, filling.pop(group))
                counts[group] += -counts[group] % size.package  # the row begins a new package
            if not filling.get(group):
                taken_names[group], filled_bytes[group] = set(), 0
            taken_names[group] |= row_names
            filled_bytes[group] += len(item.body)
        rows = filling.setdefault(group, [])
        if not rows:
            numbers.setdefault((group, counts[group] // size.package), len(numbers) + 1)
        rows.append(item)
        counts[group] += 1
        if len(rows) == size.upload or counts[group] % size.package == 0:
            yield planned(group, filling.pop(group))
    for group, rows in filling.items():
        yield planned(group, rows)


class Plan:
    """The packages that a command sends from its sheets; made once, and read by all that need it.

    The rows stay in their spools: each reading repeats only the arithmetic of `uploads`.
    """

    def __init__(
        self,
        sheets: Sequence[CheckedSheet],
        feeds: Mapping[str, Feed],
        limits: PackageLimits,
        blocked: str = "",
    ) -> None:
        """Take sheets with judged and selected rows; `blocked` is the reason to send none."""
        self.sheets = sheets
        self.blocked = blocked
        self.sent = [] if blocked else [sheet for sheet in sheets if sheet.error is None]
        self._limits = limits
        self._routes = routes_of(feeds.values())
        self._dependencies = Dependencies(sheets, feeds)

    def uploads(self, sheet: CheckedSheet) -> Iterator[Planned]:
        """The uploads of a sheet's valid rows; those that wait have packages of their own."""
        order = () if self._dependencies.sent_names else sheet.selected.order
        waits = self._dependencies.waits
        return uploads(sheet.valid_items(), self._routes, self._limits, waits, order)

    def summaries(self, sheet: CheckedSheet) -> list[PackageSummary]:
        """The packages of a sheet by number, for a dry run."""
        return summaries(self.uploads(sheet))

    def acts(self, sheet: CheckedSheet) -> list[ActSummary]:
        """The single requests of a sheet by number, for a dry run."""
        return acts(self.uploads(sheet))


def acts(planned: Iterable[Planned]) -> list[ActSummary]:
    """The single requests of a plan by number, for a dry run."""
    return [
        ActSummary(number, item.package_type, item.reference, rows, None, 0, None)
        for number, upload in sorted(planned, key=itemgetter(0))
        for item in upload.items
        for rows in [(item.row, *item.further_rows)]
    ]


def summaries(planned: Iterable[Planned]) -> list[PackageSummary]:
    """The packages of a plan by number, for a dry run."""
    packages: dict[int, PackageSummary] = {}
    for number, upload in planned:
        first = upload.items[0]
        package = packages.setdefault(
            number, PackageSummary(None, first.package_type, first.channel, None, 0, 0)
        )
        rows = package.rows + sum(1 + len(item.further_rows) for item in upload.items)
        packages[number] = replace(package, rows=rows, uploads=package.uploads + 1)
    return [packages[number] for number in sorted(packages)]
