"""Commands of these tests run in a folder and a home of their own; a desk is only read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import enter
from tests.sandbox.desk import Desk


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    """A desk with the shop's past, which takes long to make, and which no test changes."""
    with Desk() as desk:
        yield desk
