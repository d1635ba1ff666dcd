"""What one rule says of a few rows."""

from collections.abc import Mapping
from typing import Protocol

import pytest

from feedtool.model.nouns import Problem
from feedtool.model.settings import Context, Dialect
from tests.conftest import Files, checked, told


class Find(Protocol):
    """The problems of one code in a CSV of some rows, the first of which is row 2."""

    def __call__(
        self,
        code: str,
        *rows: Mapping[str, str],
        kind: str | None = None,
        dialect: Dialect | Context | None = None,
    ) -> list[Problem]: ...


@pytest.fixture
def find(files: Files) -> Find:
    def problems(
        code: str,
        *rows: Mapping[str, str],
        kind: str | None = None,
        dialect: Dialect | Context | None = None,
    ) -> list[Problem]:
        (sheet,) = checked(files.csv(*rows), dialect=dialect, kind=kind)
        assert sheet.error is None, sheet.error
        return told(sheet, code)

    return problems
