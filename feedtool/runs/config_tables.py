"""Tables and values of a configuration, and the error of a place in it."""

import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.settings import read_toml
from feedtool.model.text import joined, tr
from feedtool.report.plain import shorten

LONGEST = 80
"""Characters of a name or value that an error shows at most."""


def read_tables(path: Path, unreadable: str) -> dict[str, Any]:
    """Return the tables of a file; UsageProblem, with the hint `unreadable` for an OSError."""
    try:
        return read_toml(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            why, hint = reason_of(error), unreadable
        elif isinstance(error, UnicodeDecodeError):
            why, hint = tr("it is not UTF-8"), tr("save it as UTF-8")
        elif isinstance(error, tomllib.TOMLDecodeError):
            why, hint = tr("it is not TOML: {error}", error=error), tr("correct the file")
        else:
            why, hint = error.args[0], tr("correct the file")
        raise UsageProblem(
            tr("the configuration {path} cannot be read: {why}", path=path, why=why), hint
        ) from error


def table_of(tables: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    """Return the named table, empty if it is missing; UsageProblem if it is no table."""
    value = tables.get(name, {})
    if not isinstance(value, Mapping):
        hint = tr("write [{name}] above its lines", name=name)
        raise config_problem(where, tr("{name} must be a table", name=name), hint)
    return value


def typed_like(default: object, value: Any, where: str) -> Any:
    """Return the value in the type of its default; UsageProblem if it has another type."""
    expected: str = tr("a whole number")
    match default:
        case Decimal():
            expected, number = tr("a number"), isinstance(value, int | float)
            if number and not isinstance(value, bool) and Decimal(str(value)).is_finite():
                return Decimal(str(value))
        case tuple():
            expected = tr("a list of texts")
            if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
                return tuple(value)
        case Mapping():
            expected = tr("a table of texts")
            entries = value.values() if isinstance(value, Mapping) else [None]
            if all(isinstance(entry, str) for entry in entries):
                return value
        case _:
            expected = tr("a text") if isinstance(default, str) else expected
            # A bool is an int in Python, and no setting takes one for a number.
            kind = int if default is None else type(default)
            if isinstance(value, kind) and not isinstance(value, bool):
                return value
    raise UsageProblem(
        tr(
            "{where} = {value} must be {wanted}",
            where=where,
            value=shorten(repr(value), LONGEST),
            wanted=expected,
        ),
        tr("correct it in the file"),
    )


def config_problem(where: str, reason: str, hint: str) -> UsageProblem:
    return UsageProblem(joined((where, reason), ": "), hint)


def refuse_unknown(names: Iterable[str], known: Iterable[str], where: str) -> None:
    """Raise UsageProblem for an unknown name, with the nearest known one."""
    for name in names:
        if name not in (known := list(known)):
            short = shorten(name, LONGEST)
            near = get_close_matches(short, known, n=1)
            hint = tr("use one of: {choices}", choices=", ".join(known))
            if near:
                hint = tr("did you mean {choice}?", choice=near[0])
            raise config_problem(where, tr("nobody knows “{name}”", name=short), hint)
