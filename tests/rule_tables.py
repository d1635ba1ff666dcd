"""Tables of rows that pass a rule, and of rows that fail it with what is said of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from feedtool.model.nouns import Problem

Row = Mapping[str, str]
Rows = Row | Sequence[Row]
Passes = Mapping[str, Mapping[str, Rows]]
"""By the rule's code and the name of the case."""
Fails = Mapping[str, Mapping[str, tuple[Rows, str]]]
"""The same, with the row and the field of each problem: `2 price.price, 3 price.price`."""


def listed(rows: Rows) -> Sequence[Row]:
    """One row, or several, as several."""
    return [rows] if isinstance(rows, Mapping) else rows


def cases(tables: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """The cases of some tables, for `pytest.mark.parametrize`."""
    return [
        pytest.param(code, *(case if isinstance(case, tuple) else (case,)), id=f"{code}: {name}")
        for code, table in tables.items()
        for name, case in table.items()
    ]


def places(problems: Sequence[Problem]) -> str:
    """Where they are; `-` stands for the whole sheet."""
    return ", ".join(f"{problem.row or '-'} {problem.field}" for problem in problems)
