"""A cache of catalogues in the test's folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from feedtool.catalog.cache import Cache


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    with Cache(path) as opened:
        yield opened
