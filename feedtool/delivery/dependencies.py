"""What the rows of a command wait for that other rows of it make, and which rows these are.

Specification, part "Catalog endpoints": a product that the service does not know is created by
products-integration, and an offer for one that has no sheet is refused. So where one command has
both, an offer is held back until its product has had its answer; then it is sent whatever that
was, since the service may have had a sheet before. Where the service refuses it for want of one,
the product's row is named: that is where to fix it. Which feed makes what others need is declared
by the feeds (`Feed.provides`, `Feed.needs`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from sys import maxsize
from typing import NamedTuple

from feedtool.feeds.delivery import Needs
from feedtool.feeds.feed import Feed, routes_of
from feedtool.model.nouns import Item, Message, RowResult, Status
from feedtool.model.sheet import VALID, CheckedSheet, rows_of

ADVICE = {
    Status.INVALID: "it was not sent. Correct it, and send both again.",
    Status.REFUSED: "correct it, and send both again.",
    Status.REJECTED: "correct it, and send both again.",
    Status.INTEGRATED: "send this row again.",
}
"""What is to be done for a row that lacks what it needs, by what became of that."""


class Maker(NamedTuple):
    """The row that makes what others need."""

    sheet: int
    """Which of the command's sheets."""
    row: int


class Dependencies:
    """The sheets of a command: rows that make something, and rows that need it."""

    def __init__(self, sheets: Sequence[CheckedSheet], feeds: Mapping[str, Feed]) -> None:
        """Sheets as they were checked; nothing is looked at before it is asked for."""
        self._sheets = sheets
        self._feeds = feeds
        self._routes = routes_of(feeds.values())

    def _needs(self, item: Item) -> Needs | None:
        return self._routes[item.package_type].needs

    def waits(self, item: Item) -> bool:
        """True if what a row needs is sent too."""
        needs = self._needs(item) if self.sent else None
        return needs is not None and not self.sent.isdisjoint(
            needs.names(item.reference, item.product)
        )

    def with_hints(
        self,
        sheet: CheckedSheet,
        results: Iterable[RowResult],
        statuses_of: Callable[[int], Mapping[int, Status]],
    ) -> Iterator[RowResult]:
        """Results that name the row that makes what a row lacks.

        Args:
            sheet: That of the rows.
            results: What became of its rows, by row.
            statuses_of: What became of the rows of one of the command's sheets.
        """
        if not self._made or self._makes(sheet):
            yield from results
            return
        by_row = groupby(rows_of(sheet.items), key=itemgetter(0))
        row, items = 0, list[Item]()
        for result in results:
            while row < result.row:
                row, group = next(by_row, (maxsize, ()))
                items = [item for _, item in group]
            own = items if row == result.row else ()
            hints = (self._hint_of(item, result, statuses_of) for item in own)
            hint = next(filter(None, hints), None)
            yield result._replace(messages=(*result.messages, hint)) if hint else result

    def _hint_of(
        self, item: Item, result: RowResult, statuses_of: Callable[[int], Mapping[int, Status]]
    ) -> Message | None:
        needs = self._needs(item)
        if needs is None or item.channel != result.channel:
            return None
        maker = self._maker_of(needs.names(item.reference, item.product))
        return maker and self._hint(result, maker, needs, statuses_of)

    def _maker_of(self, names: frozenset[str]) -> Maker | None:
        """Where what a row needs is made, by the first of its names that is known."""
        makers = (self._made.get(name) for name in sorted(names))
        return next(filter(None, makers), None)

    def _hint(
        self,
        result: RowResult,
        maker: Maker,
        needs: Needs,
        statuses_of: Callable[[int], Mapping[int, Status]],
    ) -> Message | None:
        codes = {message.code for message in result.messages}
        is_refused = result.status is Status.REJECTED and not needs.missing.isdisjoint(codes)
        if not is_refused and result.status is not Status.PENDING:
            return None
        where, status = self._place(maker), statuses_of(maker.sheet).get(maker.row)
        if is_refused and status:
            advice = ADVICE.get(status, "see there, then send this row again.")
            return Message("", f"Its {needs.noun} is {where}, which is {status}: {advice}")
        if result.status is status:
            text = f"It is held back until its {needs.noun} is answered: {where}."
            return Message("", text)
        return None

    def _place(self, maker: Maker) -> str:
        """`row 6 of sheet Products`, and of which file where there are several."""
        sheet = self._sheets[maker.sheet]
        where = f"row {maker.row}" + (f" of sheet {sheet.sheet}" if sheet.sheet else "")
        has_others = len({other.file for other in self._sheets}) > 1
        return f"{where} of {sheet.file}" if has_others else where

    def _makes(self, sheet: CheckedSheet) -> bool:
        feed = self._feeds.get(sheet.kind or "")
        return feed is not None and feed.provides is not None

    @cached_property
    def _made(self) -> dict[str, Maker]:
        """Where each thing is made, by all of its names; by the invalid rows too."""
        if {self._makes(sheet) for sheet in self._sheets} != {True, False}:
            return {}
        makers: dict[str, Maker] = {}
        for number, sheet in enumerate(self._sheets):
            for row, names in self._named_rows(sheet):
                for name in names:
                    makers.setdefault(name, Maker(number, row))
        return makers

    def _named_rows(self, sheet: CheckedSheet) -> Iterator[tuple[int, frozenset[str]]]:
        """The rows of a sheet that makes something, and the names of what they make."""
        feed = self._feeds.get(sheet.kind or "")
        provides = feed.provides if feed and sheet.error is None else None
        if provides is None:
            return
        for item in sheet.items:
            yield item.row, provides(item.reference, item.product)
        for refused in sheet.refused:
            yield refused.row, provides(refused.reference or "", refused.product)

    @cached_property
    def sent(self) -> frozenset[str]:
        """The names of what is made by rows that are sent."""
        return frozenset(
            name
            for name, maker in self._made.items()
            if self._sheets[maker.sheet].marks[maker.row] == VALID
        )
