"""Answer requests to a grid: the part of a page that shows it, and the data for its script."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import flask
import orjson

from feedtool.model.errors import UsageProblem
from feedtool.model.row_ranges import ranges_of
from feedtool.model.text import tr
from feedtool.page.grid import ALL, CHECK, Grid, RowFilter
from feedtool.page.grid_part import GridPart, RowWords
from feedtool.page.session import codes

MOST_ROWS = 200
"""Most rows of one answer."""
LONGEST_ARGUMENT = 200
"""Most characters of a searched text, or of a filter."""
LAST, LONGEST_NUMBER = 10**9, 10
"""A number above all rows of a sheet, and its digits."""

Answer = Callable[[Grid, RowFilter], Mapping[str, Any]]
OpenGrid = Callable[..., Grid]
"""Opens the grid for the values of an address; it is closed after the answer."""


def add_grid_routes(blueprint: flask.Blueprint, prefix: str, open_grid: OpenGrid) -> None:
    """Add the addresses of a grid's script, such as `rows`, below a prefix like `/files/<id_>`."""
    for name, answer in ANSWERS.items():
        view = partial(_answer, answer, open_grid)
        blueprint.add_url_rule(f"{prefix}/{name}", f"grid_{name}", view)


def grid_part(grid: Grid, view: str, address: str, explain: str) -> GridPart:
    """The part of a page for a grid, by the request's parameters; UsageProblem for invalid ones.

    `address` is the prefix that `add_grid_routes` got, as an address; `explain` is the address of
    the page of a code, with `CODE` in its place.
    """
    rows, start, is_plain = _filter(grid, view), _number("from", 0, LAST, 0), bool(_text("plain"))
    return GridPart(grid, rows, codes(), address, explain, start=start, is_plain=is_plain)


def _answer(answer: Answer, open_grid: OpenGrid, **address: Any) -> flask.Response:
    """Answer with JSON; with 400 and the reason for invalid parameters."""
    with open_grid(**address) as grid:
        try:
            fields, status = answer(grid, _filter(grid, _text("view") or CHECK)), 200
        except UsageProblem as error:
            fields, status = {"error": codes().say(error.message)}, 400
    return flask.Response(orjson.dumps(fields), status, mimetype="application/json")


def _filter(grid: Grid, view: str) -> RowFilter:
    sheet = _number("sheet", 0, len(grid.sheets) - 1, 0)
    if view != CHECK and view not in grid.views(sheet):
        raise UsageProblem(tr("there is nothing called {view} here", view=view))
    return RowFilter(sheet, view, _text("which") or ALL)


def _rows(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`rows?sheet=&view=&which=&from=&count=`."""
    start, count = _number("from", 0, LAST, 0), _number("count", 1, MOST_ROWS, MOST_ROWS)
    words = RowWords(grid.sheets[rows.sheet], codes())
    entries = [words.row(row) for row in grid.rows(rows, start, count)]
    return {"total": grid.count(rows), "rows": entries}


def _next(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`next?sheet=&view=&which=&at=&step=`."""
    place = grid.next(rows, _number("at", -1, LAST, -1), _number("step", -1, 1, 1))
    return {"found": place and place._asdict()}


def _find(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`find?sheet=&view=&which=&q=&from=`."""
    text = _text("q")
    if not text:
        raise UsageProblem(tr("there is no text to look for"))
    place = grid.find(rows, text, _number("from", 0, LAST, 0))
    return {"found": place and place._asdict()}


def _numbers(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`numbers?sheet=&view=&which=`: the rows' numbers in the sheet, such as `2-5,9`."""
    return {"rows": ranges_of(grid.rows_of(rows))}


ANSWERS: Mapping[str, Answer] = {
    "rows": _rows,
    "next": _next,
    "find": _find,
    "numbers": _numbers,
}


def _number(name: str, low: int, high: int, usual: int) -> int:
    """A number of the request; UsageProblem if it is invalid."""
    text = flask.request.args.get(name, "")
    if not text:
        return usual
    is_number = text.removeprefix("-").isdecimal() and len(text) <= LONGEST_NUMBER
    if is_number and low <= int(text) <= high:
        return int(text)
    raise UsageProblem(tr("{name} is a number from {low} to {high}", name=name, low=low, high=high))


def _text(name: str) -> str:
    """A text of the request; UsageProblem for one that is too long."""
    text = flask.request.args.get(name, "")
    if len(text) > LONGEST_ARGUMENT:
        raise UsageProblem(tr("{name} is too long", name=name))
    return text
