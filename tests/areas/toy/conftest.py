from collections.abc import Iterator
from unittest import mock

import pytest

from feedtool.model.nouns import AREA_STATUSES


@pytest.fixture(autouse=True)
def _only_here() -> Iterator[None]:
    """The toy's status is forgotten after each test."""
    with mock.patch.dict(AREA_STATUSES):
        yield
