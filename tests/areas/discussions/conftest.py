"""Commands run in a folder of the test's own; that of `shop` has an export of discussions."""

from pathlib import Path
from typing import Any

import pytest

from tests.areas.conftest import Enter
from tests.cli.conftest import enter, rows_of


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)


@pytest.fixture
def shop(enter_exported: Enter) -> list[dict[str, Any]]:
    """The rows of `discussions.xlsx`; beside it is the file that a reply is sent with."""
    enter_exported("export discussions --sandbox")
    Path("label.pdf").write_bytes(b"%PDF-1.7 a label")
    return discussions("discussions.xlsx")


def discussions(path: str) -> list[dict[str, Any]]:
    return rows_of(path, "Discussions", header=2)
