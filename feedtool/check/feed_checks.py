"""What is asked of the rows of one kind of feed."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import repeat
from operator import is_

from feedtool.check.requests import gate
from feedtool.check.rules import rules_for
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import Feed, Row
from feedtool.feeds.rule import Rule, Survey
from feedtool.model.header import Header
from feedtool.model.nouns import Issue

Asked = tuple[Rule, Callable[[Row], Iterator[Issue]]]

Shape = tuple[bytes, tuple[bool, ...]]
"""Which cells of a row are blank: by columns of its block, then those of the mixed columns."""

_SHAPES = 4096
"""Shapes that are remembered; a sheet has a handful."""

_MIXED = 1
"""Of a column that is filled here and blank there: 0 is filled throughout, 2 is blank."""


def shapes(table: Sequence[list[object | None]], count: int) -> Iterator[Shape]:
    """The shapes of so many rows of a block, whose values come by column."""
    blank = [list(map(is_, column, repeat(None))) for column in table]
    of_columns = bytes([any(column) + all(column) for column in blank])
    mixed = [column for column, kind in zip(blank, of_columns, strict=True) if kind == _MIXED]
    of_rows = zip(*mixed, strict=True) if mixed else repeat((), count)
    return zip(repeat(of_columns, count), of_rows, strict=True)


class FeedChecks:
    """The rules, surveys and the schema of one kind, while a sheet is read."""

    def __init__(
        self,
        feed: Feed,
        header: Header,
        areas: Areas,
        surveys: Sequence[tuple[Rule, Survey]],
        once: dict[str, Issue],
    ) -> None:
        self.feed = feed
        self.is_right: Callable[[object], bool] = gate(feed)
        columns = header.columns.items()
        self.unsent: Collection[int] = {
            at for at, column in columns if not feed.requests.is_sent(column.key)
        }
        """The columns whose cells do not travel: what is wrong there is not told."""
        self.choose(surveys)
        self._once = once
        self._asked = [(rule, rule.check) for rule in rules_for(areas, feed.kind) if rule.check]
        self._by_shape: dict[Shape, list[Asked]] = {}

    def choose(self, surveys: Sequence[tuple[Rule, Survey]]) -> None:
        """Takes those of some surveys that are about the kind."""
        self.surveys = [survey for rule, survey in surveys if rule.is_about(self.feed.kind)]

    def faults(self, row: Row, shape: Shape | None) -> list[Issue]:
        """The rules' issues of a row; those that are said once for a sheet are added to `once`.

        `shape` is None where it tells less than the row has, as of one with refused cells.
        """
        asked = self._asked
        if shape is not None:
            # Rules that look at blanks alone are asked of one row of each shape: rules took 11 µs
            # a row before, and take 3.
            of_shape = self._by_shape.get(shape)
            asked = self._of_shape(row, shape) if of_shape is None else of_shape
        issues = []
        for rule, check in asked:
            for issue in check(row):
                if rule.is_once:
                    self._once.setdefault(rule.code.name, issue)
                    self._drop(rule)
                else:
                    issues.append(issue)
        return issues

    def _of_shape(self, row: Row, shape: Shape) -> list[Asked]:
        """The checks that rows of the shape of this one are asked for."""
        if len(self._by_shape) >= _SHAPES:
            return self._asked
        asked = self._by_shape[shape] = [
            (rule, check)
            for rule, check in self._asked
            if not rule.is_by_blanks(self.feed) or any(True for _ in check(row))
        ]
        return asked

    def _drop(self, rule: Rule) -> None:
        self._asked = [asked for asked in self._asked if asked[0] is not rule]
        self._by_shape.clear()
