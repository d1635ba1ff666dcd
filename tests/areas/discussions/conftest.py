"""Commands run in a folder of the test's own."""

from pathlib import Path

import pytest

from tests.cli.conftest import enter


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)
