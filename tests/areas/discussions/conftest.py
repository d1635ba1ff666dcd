"""Commands run in a folder of the test's own; that of `shop` has an export of discussions."""

from pathlib import Path
from typing import Any

import pytest

from tests.areas.conftest import Enter, rows_read_once
from tests.cli.conftest import enter


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch)


@pytest.fixture
def shop(enter_exported: Enter) -> list[dict[str, Any]]:
    """The rows of `discussions.xlsx` and `shop.csv`, beside the file that a reply is sent with."""
    export = "export discussions --sandbox"
    enter_exported(export, f"{export} --out shop.csv")
    Path("label.pdf").write_bytes(b"%PDF-1.7 a label")
    return discussions("discussions.xlsx")


def discussions(path: str) -> list[dict[str, Any]]:
    return rows_read_once(path, "Discussions")
