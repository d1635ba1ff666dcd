"""What is asked of a grid: the part of a page that shows it, and what its script brings."""

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
"""Rows of one answer."""
LONGEST_ARGUMENT = 200
"""Characters of a text that is looked for, or of a filter."""
LAST, LONGEST_NUMBER = 10**9, 10
"""More rows than a sheet can have, and its digits."""

Answer = Callable[[Grid, RowFilter], Mapping[str, Any]]
OpenGrid = Callable[..., Grid]
"""Gives the grid that is meant by what stands in an address; it is closed after the answer."""


def add_grid_routes(blueprint: flask.Blueprint, prefix: str, open_grid: OpenGrid) -> None:
    """Adds the addresses that a grid's script asks below a prefix, such as `rows`.

    Args:
        blueprint: The one to add them to.
        prefix: As `/files/<id_>`.
        open_grid: Is called with what stands in the address, `id_`.
    """
    for name, answer in ANSWERS.items():
        view = partial(_answer, answer, open_grid)
        blueprint.add_url_rule(f"{prefix}/{name}", f"grid_{name}", view)


def grid_part(grid: Grid, view: str, address: str, explain: str) -> GridPart:
    """What a page shows of a grid, as the request asks for it; UsageProblem where it cannot.

    Args:
        grid: The grid.
        view: What is said of the rows.
        address: The one below which `add_grid_routes` has added its own.
        explain: The address of the page of a code, with `CODE` in its place.
    """
    rows, start, is_plain = _filter(grid, view), _number("from", 0, LAST, 0), bool(_text("plain"))
    return GridPart(grid, rows, codes(), address, explain, start=start, is_plain=is_plain)


def _answer(answer: Answer, open_grid: OpenGrid, **address: Any) -> flask.Response:
    """An answer as JSON; 400, with the reason, where something else was asked than can be."""
    with open_grid(**address) as grid:
        try:
            found, status = answer(grid, _filter(grid, _text("view") or CHECK)), 200
        except UsageProblem as error:
            found, status = {"error": codes().say(error.message)}, 400
    return flask.Response(orjson.dumps(found), status, mimetype="application/json")


def _filter(grid: Grid, view: str) -> RowFilter:
    """The rows that are asked for."""
    sheet = _number("sheet", 0, len(grid.sheets) - 1, 0)
    if view != CHECK and view not in grid.views(sheet):
        raise UsageProblem(tr("there is nothing called {view} here", view=view))
    return RowFilter(sheet, view, _text("which") or ALL)


def _rows(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`rows?sheet=&view=&which=&from=&count=`."""
    start, count = _number("from", 0, LAST, 0), _number("count", 1, MOST_ROWS, MOST_ROWS)
    words = RowWords(grid.sheets[rows.sheet], codes())
    found = grid.rows(rows, start, count)
    return {"total": grid.count(rows), "rows": [words.row(row) for row in found]}


def _next(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`next?sheet=&view=&which=&at=&step=`."""
    found = grid.next(rows, _number("at", -1, LAST, -1), _number("step", -1, 1, 1))
    return {"found": found and found._asdict()}


def _find(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`find?sheet=&view=&which=&q=&from=`."""
    wanted = _text("q")
    if not wanted:
        raise UsageProblem(tr("there is no text to look for"))
    found = grid.find(rows, wanted, _number("from", 0, LAST, 0))
    return {"found": found and found._asdict()}


def _numbers(grid: Grid, rows: RowFilter) -> Mapping[str, Any]:
    """`numbers?sheet=&view=&which=`: the sheet's own numbers of its rows, as `2-5,9`."""
    return {"rows": ranges_of(grid.rows_of(rows))}


ANSWERS: Mapping[str, Answer] = {
    "rows": _rows,
    "next": _next,
    "find": _find,
    "numbers": _numbers,
}


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
