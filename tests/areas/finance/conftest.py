"""Commands of these tests run in a folder and a home of their own."""

from pathlib import Path

import pytest

from tests.cli.conftest import enter


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)
