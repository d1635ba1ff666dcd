"""The checks of the rows of one kind of feed."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import repeat
from operator import is_

from feedtool.check.requests import validator_of
from feedtool.check.rules import rules_for
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import Feed, Row
from feedtool.feeds.rule import Rule, Survey
from feedtool.model.cells import Header
from feedtool.model.nouns import Issue

Check = tuple[Rule, Callable[[Row], Iterator[Issue]]]

Shape = tuple[bytes, tuple[bool, ...]]
"""The blanks of a row: a code for each column of its block, then the cells of mixed columns."""

_SHAPES = 4096
"""The most shapes to remember; a sheet has a handful."""

_MIXED = 1
"""The code of a column with blank and filled cells; 0 has filled cells only, 2 blank cells only."""


def shapes(table: Sequence[list[object | None]], count: int) -> Iterator[Shape]:
    """Yield the shapes of `count` rows of a block, from its values by column."""
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
        self.is_right: Callable[[object], bool] = validator_of(feed)
        columns = header.columns.items()
        self.unsent: Collection[int] = {
            index for index, column in columns if not feed.requests.is_sent(column.key)
        }
        """The columns whose cells are not sent, so that their faults are not reported."""
        self.choose(surveys)
        self._once = once
        self._all = [(rule, rule.check) for rule in rules_for(areas, feed.kind) if rule.check]
        self._by_shape: dict[Shape, list[Check]] = {}

    def choose(self, surveys: Sequence[tuple[Rule, Survey]]) -> None:
        self.surveys = [survey for rule, survey in surveys if rule.is_about(self.feed.kind)]

    def faults(self, row: Row, shape: Shape | None) -> list[Issue]:
        """Return the rules' issues of a row; issues that a sheet has once go into `once`.

        Without a `shape` all checks run: it must show all blanks, unlike that of refused cells.
        """
        checks = self._all
        if shape is not None:
            # Rules that depend only on blanks check one row of each shape. This brought the time of
            # rules from 11 to 3 µs a row.
            of_shape = self._by_shape.get(shape)
            if of_shape is None and len(self._by_shape) < _SHAPES:
                of_shape = self._by_shape[shape] = [
                    (rule, check)
                    for rule, check in self._all
                    if not rule.is_by_blanks(self.feed) or any(True for _ in check(row))
                ]
            checks = self._all if of_shape is None else of_shape
        issues = []
        for rule, check in checks:
            for issue in check(row):
                if rule.is_once:
                    self._once.setdefault(rule.code.name, issue)
                    self._all = [item for item in self._all if item[0] is not rule]
                    self._by_shape.clear()
                else:
                    issues.append(issue)
        return issues
