"""The part of a page that shows a grid: filters, the problems of the sheet, and some of its rows.

Without scripts the rows are a plain table, page by page; a script shows the same facts as a grid.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlencode

from feedtool.model.cells import index_of
from feedtool.model.nouns import Problem, Severity
from feedtool.model.text import plural, tr
from feedtool.page.grid import (
    ALL,
    PROBLEMS,
    Grid,
    GridRow,
    GridSheet,
    ProblemGroup,
    RowFilter,
    of_code,
    of_status,
)
from feedtool.report.codes import Codes
from feedtool.report.overview import outcome_of, place_name
from feedtool.report.plain import printable, sentence
from feedtool.report.statuses import status_word
from feedtool.report.tally import SEVERITIES

PAGE = 100
"""Rows of the plain table."""
CODE = "CODE"
"""The placeholder for a code in the address of its page."""

TEXTS = {
    "rows": tr("Rows"),
    "row": tr("Row"),
    "status": tr("Status"),
    "hidden": tr("hidden in the sheet"),
    "error": SEVERITIES[Severity.ERROR],
    "warning": SEVERITIES[Severity.WARNING],
    "meaning": tr("What does this mean?"),
    "ticked": tr("Ticked rows"),
    "tick": tr("Ticked"),
    "none": tr("No further problem."),
    "missing": tr("No cell has this text."),
    "failed": tr("The rows cannot be read at the moment."),
}
"""The texts of the script."""


class FilterLink(NamedTuple):
    """A link that filters the rows."""

    which: str
    label: str
    rows: int
    href: str
    is_current: bool
    tone: str = ""
    """The colour: an outcome, or a severity."""
    detail: str = ""
    """The meaning of a code."""

    @property
    def counted(self) -> str:
        return plural("{count:,} row", "{count:,} rows", self.rows)


class ProblemLine(NamedTuple):
    """A problem for people."""

    column: int | None
    """The number of its column among the shown ones, from 0 on."""
    place: str
    """`E4 Price`; without the name if the message has it."""
    code: str
    severity: str
    message: str
    """Without a full stop: the hint may follow."""
    hint: str
    is_explained: bool


class RowWords:
    """Describes the rows of a sheet, in the language of a page."""

    def __init__(self, sheet: GridSheet, codes: Codes) -> None:
        self._codes, self._say = codes, sheet.translator(codes.say)
        self._columns = {column.index: number for number, column in enumerate(sheet.columns)}

    def row(self, row: GridRow) -> Mapping[str, Any]:
        return {
            "at": row.position,
            "row": row.row,
            "hidden": row.is_hidden,
            "status": self._say(status_word(row.status)) if row.status else "",
            "outcome": outcome_of(row.status) if row.status else "",
            "cells": row.cells,
            "problems": [self.problem(problem)._asdict() for problem in row.problems],
            "notes": [printable(self._say(note)) for note in row.notes],
        }

    def problem(self, problem: Problem) -> ProblemLine:
        hint = self._say(problem.hint)
        advice = "" if hint else self._codes.advice_on(problem.code, self._say)
        cell = f"{problem.column}{problem.row or ''}" if problem.column else ""
        return ProblemLine(
            None if problem.column is None else self._columns.get(index_of(problem.column)),
            printable(" ".join(filter(None, (cell, place_name(problem, self._say))))),
            problem.code,
            problem.severity,
            printable(self._say(problem.message)).removesuffix("."),
            sentence(hint or advice),
            problem.code in self._codes.pages or bool(advice),
        )


class GridPart:
    """The values that `grid.html` shows of a sheet."""

    def __init__(
        self,
        grid: Grid,
        rows: RowFilter,
        codes: Codes,
        address: str,
        explain: str,
        *,
        start: int = 0,
        is_plain: bool = False,
    ) -> None:
        """`address` is the root of the grid's routes, `explain` the address of the page of `CODE`.

        The plain table has the rows from `start` on; `is_plain` shows it in place of the grid.
        """
        self.grid, self.rows, self.address, self.explain = grid, rows, address, explain
        self.start, self.is_plain = start, is_plain
        self.sheet = grid.sheets[rows.sheet]
        self._codes, self._say = codes, self.sheet.translator(codes.say)
        self._words = RowWords(self.sheet, codes)

    @cached_property
    def total(self) -> int:
        return self.grid.count(self.rows)

    @property
    def counted(self) -> str:
        return plural("{count:,} row", "{count:,} rows", self.total)

    @property
    def severities(self) -> Mapping[Severity, str]:
        return SEVERITIES

    @property
    def sheets(self) -> list[tuple[GridSheet, str, bool]]:
        """The sheets, each with its link, and True for the present one."""
        return [
            (sheet, self._link(sheet=sheet.number), sheet.number == self.rows.sheet)
            for sheet in self.grid.sheets
        ]

    @property
    def filters(self) -> list[FilterLink]:
        """The links to all rows, and to those of each status."""
        statuses = self.grid.statuses(*self.rows[:2]).items()
        return [
            self._filter(ALL, tr("All rows"), self.sheet.rows),
            *(
                self._filter(of_status(status), status_word(status), rows, outcome_of(status))
                for status, rows in statuses
            ),
        ]

    @cached_property
    def groups(self) -> list[FilterLink]:
        """The links to all rows with problems, and to those of each code, which may have 0 rows."""
        groups = self.grid.groups(*self.rows[:2])
        count = self.grid.count(self.rows._replace(which=PROBLEMS))
        every = [self._filter(PROBLEMS, tr("All problems"), count)] if len(groups) > 1 else []
        return every + list(map(self._of_group, groups))

    @property
    def problems(self) -> list[ProblemLine]:
        """The problems that belong to no row."""
        return list(map(self._words.problem, self.grid.of_sheet(*self.rows[:2])))

    @property
    def table(self) -> Iterator[tuple[GridRow, str, list[ProblemLine], Sequence[str]]]:
        """The rows of the plain table: each with its reference, problems and notes."""
        for row in self.grid.rows(self.rows, self.start, PAGE):
            name = "" if self.reference is None else row.cells[self.reference]
            lines = list(map(self._words.problem, row.problems))
            notes = [*row.notes, *([TEXTS["hidden"]] if row.is_hidden else [])]
            yield row, name, lines, [printable(self._say(note)) for note in notes]

    @cached_property
    def reference(self) -> int | None:
        """The place among the columns of the one with references; None without one."""
        indexes = [column.index for column in self.sheet.columns]
        return indexes.index(self.sheet.reference) if self.sheet.reference in indexes else None

    @property
    def reference_header(self) -> str:
        return "" if self.reference is None else self.sheet.columns[self.reference].header

    @property
    def before(self) -> str:
        """The link to the rows before those of the plain table; empty at their beginning."""
        return self._link(start=max(0, self.start - PAGE)) if self.start else ""

    @property
    def after(self) -> str:
        """The link to the rows after those of the plain table; empty at their end."""
        start = self.start + PAGE
        return self._link(start=start) if start < self.total else ""

    @property
    def other_form(self) -> str:
        """The link to the plain table, or back to the grid."""
        return self._link(is_plain=not self.is_plain)

    @property
    def data(self) -> Mapping[str, Any]:
        """The values for the script."""
        return {
            "address": self.address,
            "sheet": self.rows.sheet,
            "name": self.sheet.sheet,
            "view": self.rows.view,
            "which": self.rows.which,
            "total": self.total,
            "start": self.start,
            "columns": [
                [column.letters, column.header, column.width] for column in self.sheet.columns
            ],
            "reference": self.reference,
            "statuses": [self._say(link.label) for link in self.filters[1:]],
            "explain": self.explain,
            "texts": {
                "colon": self._say.label(""),
                **{name: self._say(text) for name, text in TEXTS.items()},
            },
        }

    def explanation(self, code: str) -> str:
        return self.explain.replace(CODE, code)

    def _of_group(self, group: ProblemGroup) -> FilterLink:
        detail = self._codes.summary_of(group.code) or printable(self._say(group.message))
        return self._filter(of_code(group.code), group.code, group.rows, group.severity, detail)

    def _filter(
        self, which: str, label: str, rows: int, tone: str = "", detail: str = ""
    ) -> FilterLink:
        is_current = which == self.rows.which
        return FilterLink(which, label, rows, self._link(which=which), is_current, tone, detail)

    def _link(
        self,
        *,
        sheet: int | None = None,
        which: str | None = None,
        start: int = 0,
        is_plain: bool | None = None,
    ) -> str:
        """The address of the page with other rows; all rows if it is another sheet."""
        if which is None:
            which = self.rows.which if sheet is None else ALL
        values = {
            "sheet": self.rows.sheet if sheet is None else sheet,
            "which": "" if which == ALL else which,
            "from": start,
            "plain": int(self.is_plain if is_plain is None else is_plain),
        }
        return "?" + urlencode({name: value for name, value in values.items() if value})
