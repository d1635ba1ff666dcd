"""The parts of a grid that its script asks for: some rows, the next problem, a text."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import flask
import orjson

from feedtool.model.cells import index_of
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Problem
from feedtool.model.text import Translator, tr
from feedtool.page.grid import ALL, CHECK, Grid, GridRow, RowFilter
from feedtool.report.codes import Codes
from feedtool.report.overview import outcome_of, place_name
from feedtool.report.plain import printable, sentence
from feedtool.report.statuses import status_word

MOST_ROWS = 200
"""Rows of one answer."""
LONGEST_ARGUMENT = 200
"""Characters of a text that is looked for, or of a filter."""
LAST, LONGEST_NUMBER = 10**9, 10
"""More rows than a sheet can have, and its digits."""

Answer = Callable[[Grid, RowFilter, Codes], Mapping[str, Any]]
OpenGrid = Callable[..., Grid]
"""Gives the grid that is meant by what stands in an address; it is closed after the answer."""


def add_grid_routes(
    blueprint: flask.Blueprint, prefix: str, open_grid: OpenGrid, codes: Callable[[], Codes]
) -> None:
    """Adds the addresses of a grid below a prefix: `rows`, `next` and `find`.

    Args:
        blueprint: The one to add them to.
        prefix: As `/files/<id_>`.
        open_grid: Is called with what stands in the address, `id_`.
        codes: Gives the pages of codes in the language of the request.
    """
    for name, answer in ANSWERS.items():
        view = partial(_answer, answer, open_grid, codes)
        blueprint.add_url_rule(f"{prefix}/{name}", f"grid_{name}", view)


def _answer(
    answer: Answer,
    open_grid: OpenGrid,
    codes: Callable[[], Codes],
    **address: Any,
) -> flask.Response:
    """An answer as JSON; 400, with the reason, where something else was asked than can be."""
    with open_grid(**address) as grid:
        try:
            found, status = answer(grid, _filter(grid), codes()), 200
        except UsageProblem as error:
            found, status = {"error": codes().say(error.message)}, 400
    return flask.Response(orjson.dumps(found), status, mimetype="application/json")


def _filter(grid: Grid) -> RowFilter:
    """The rows that are asked for."""
    sheet = _number("sheet", 0, len(grid.sheets) - 1, 0)
    view = _text("view") or CHECK
    if view != CHECK and view not in grid.views(sheet):
        raise UsageProblem(tr("there is nothing called {view} here", view=view))
    return RowFilter(sheet, view, _text("which") or ALL)


def _rows(grid: Grid, rows: RowFilter, codes: Codes) -> Mapping[str, Any]:
    """`rows?sheet=&view=&which=&from=&count=`."""
    start, count = _number("from", 0, LAST, 0), _number("count", 1, MOST_ROWS, MOST_ROWS)
    described = RowWords(grid, rows.sheet, codes)
    return {
        "total": grid.count(rows),
        "rows": [described.row(row) for row in grid.rows(rows, start, count)],
    }


def _next(grid: Grid, rows: RowFilter, codes: Codes) -> Mapping[str, Any]:
    """`next?sheet=&view=&which=&at=&step=`."""
    del codes
    found = grid.next(rows, _number("at", -1, LAST, -1), _number("step", -1, 1, 1))
    return {"found": found and found._asdict()}


def _find(grid: Grid, rows: RowFilter, codes: Codes) -> Mapping[str, Any]:
    """`find?sheet=&view=&which=&q=&from=`."""
    del codes
    wanted = _text("q")
    if not wanted:
        raise UsageProblem(tr("there is no text to look for"))
    found = grid.find(rows, wanted, _number("from", 0, LAST, 0))
    return {"found": found and found._asdict()}


ANSWERS = {"rows": _rows, "next": _next, "find": _find}


class RowWords:
    """Says what is known of the rows of a sheet, for people, in their language."""

    def __init__(self, grid: Grid, sheet: int, codes: Codes) -> None:
        facts = grid.sheets[sheet]
        self._codes, self._say = codes, facts.translator(codes.say)
        self._columns = {column.index: number for number, column in enumerate(facts.columns)}

    def row(self, row: GridRow) -> Mapping[str, Any]:
        """A row as its JSON object."""
        return {
            "at": row.at,
            "row": row.row,
            "hidden": row.is_hidden,
            "status": self._say(status_word(row.status)) if row.status else "",
            "outcome": outcome_of(row.status) if row.status else "",
            "cells": row.cells,
            "problems": [self.problem(problem) for problem in row.problems],
            "notes": [printable(self._say(note)) for note in row.notes],
        }

    def problem(self, problem: Problem) -> Mapping[str, Any]:
        """A problem; its column is the number among those that are shown, None of none."""
        at = None if problem.column is None else self._columns.get(index_of(problem.column))
        hint = problem.hint or self._codes.advice_on(problem.code, self._say)
        return {
            "column": at,
            "place": place_of(problem, self._say),
            "code": problem.code,
            "severity": problem.severity,
            "message": printable(self._say(problem.message)),
            "hint": sentence(self._say(hint)),
            "explained": is_explained(problem.code, self._codes),
        }


def place_of(problem: Problem, say: Translator) -> str:
    """`E4 Price`; without the name where the message itself says it."""
    cell = f"{problem.column or ''}{problem.row or ''}" if problem.column else ""
    return printable(" ".join(filter(None, (cell, place_name(problem, say)))))


def is_explained(code: str, codes: Codes) -> bool:
    """True if there is a page on a code."""
    return code in codes.pages or bool(codes.advice_on(code, codes.say))


def _number(name: str, low: int, high: int, usual: int) -> int:
    """A number of the request; UsageProblem for another one."""
    given = flask.request.args.get(name, "")
    if not given:
        return usual
    is_number = given.removeprefix("-").isdecimal() and len(given) <= LONGEST_NUMBER
    if is_number and low <= int(given) <= high:
        return int(given)
    raise UsageProblem(tr("{name} is a number from {low} to {high}", name=name, low=low, high=high))


def _text(name: str) -> str:
    """A text of the request; UsageProblem for one that is too long."""
    given = flask.request.args.get(name, "")
    if len(given) > LONGEST_ARGUMENT:
        raise UsageProblem(tr("{name} is too long", name=name))
    return given
