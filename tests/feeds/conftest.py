"""What a row becomes."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

import pytest

from feedtool.model.settings import Context, Dialect
from tests.conftest import Files, checked


class Sent(Protocol):
    """The request that a row becomes; the row is valid."""

    def __call__(
        self,
        row: Mapping[str, str],
        kind: str | None = None,
        dialect: Dialect | Context | None = None,
    ) -> dict[str, Any]: ...


@pytest.fixture
def sent(files: Files) -> Sent:
    def request(
        row: Mapping[str, str], kind: str | None = None, dialect: Dialect | Context | None = None
    ) -> dict[str, Any]:
        (sheet,) = checked(files.csv(row), kind=kind, dialect=dialect)
        assert sheet.is_clean(), list(sheet.problems())
        (item,) = sheet.valid_items()
        body: dict[str, Any] = json.loads(item.body)
        return body

    return request
