"""Tables of rows that pass a rule, and of rows that fail it with their problems."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from feedtool.model.nouns import Problem

Row = Mapping[str, str]
Rows = Row | Sequence[Row]
Passes = Mapping[str, Mapping[str, Rows]]
"""Code of the rule → name of the case → rows."""
Fails = Mapping[str, Mapping[str, tuple[Rows, str]]]
"""Code → case → rows, and row and field of each problem: `2 price.price, 3 price.price`."""


def listed(rows: Rows) -> Sequence[Row]:
    return [rows] if isinstance(rows, Mapping) else rows


def cases(tables: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """The cases of tables, for `pytest.mark.parametrize`."""
    return [
        pytest.param(code, *(case if isinstance(case, tuple) else (case,)), id=f"{code}: {name}")
        for code, table in tables.items()
        for name, case in table.items()
    ]


def places(problems: Sequence[Problem]) -> str:
    """Row and field of each problem; `-` for the whole sheet."""
    return ", ".join(f"{problem.row or '-'} {problem.field}" for problem in problems)
