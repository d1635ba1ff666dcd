from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.sheets import open_source
from tests.sheets.conftest import Rows, rows_of

Sheets = dict[tuple[str, bool], Rows]
ReadBytes = Callable[[bytes], Sheets]


@pytest.fixture
def read_bytes(tmp_path: Path) -> ReadBytes:
    """The cells of each sheet of a file, by its name and whether it is hidden."""

    def read(content: bytes) -> Sheets:
        path = tmp_path / "export.xls"
        path.write_bytes(content)
        with open_source(path) as source:
            return {
                (entry.name, entry.hidden): rows_of(source.sheet(entry.name).blocks())
                for entry in source.sheets
            }

    return read
