import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.model.cells import Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.sheets.read.others.xls import workbook_stream
from tests.sheets.read.others.conftest import ReadBytes
from tests.sheets.read.others.samples import sample


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


START = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
REFUSED = {
    "a password": (START + record(0x2F, bytes(6)), 0, "encrypted"),
    "cut off": (START, 0, "legacy-xls"),
    "too large": (START, (64 << 20) + 1, "legacy-xls"),
}
"""The beginning of a file, the size that it is filled up to, and the code."""


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_files_are_refused(read_bytes: ReadBytes, case: str) -> None:
    made, size, code = REFUSED[case]
    with pytest.raises(FileProblem) as caught:
        read_bytes(made.ljust(size))
    assert caught.value.code == code
    assert caught.value.hint


XF, SHOWN_AS_DATE = 0xE0, 167
"""The record of a cell's format, and the number of the sample's own format of dates."""
SEEN = 9
"""The column of dates in the sample."""


def with_dates_as(number: int, folder: Path) -> bytes:
    """The sample's workbook with another format of its dates."""
    records = bytearray(workbook_stream(sample("xls", folder).read_bytes()))
    at = 0
    while at + 8 <= len(records):
        kind, length, _, shown = struct.unpack_from("<4H", records, at)
        if (kind, shown) == (XF, SHOWN_AS_DATE):
            struct.pack_into("<H", records, at + 6, number)
        at += 4 + length
    return bytes(records)


ENDS = (27, 36, 50, 58)
"""Ends of the two ranges of these formats' numbers."""
INSIDE = [number for number in (*range(27, 37), *range(50, 59)) if number not in ENDS]


@pytest.mark.parametrize(
    "number", [*ENDS, *(pytest.param(number, marks=pytest.mark.long) for number in INSIDE)]
)
def test_built_in_formats_of_east_asia_are_dates(
    tmp_path: Path, read_bytes: ReadBytes, number: int
) -> None:
    sheets = read_bytes(with_dates_as(number, tmp_path))
    assert sheets["Offers", False][2][SEEN] == Cell(Kind.DATE, "2026-02-01")


LAST = 262
"""Steps from the first sector of the sample's workbook to its last."""
FREE, LAST_OF_CHAIN = 0xFFFFFFFF, 0xFFFFFFFE
Change = Callable[[bytearray, int], object]
"""Changes a compound file whose entry of the workbook is at this place."""


def next_sector(steps: int, number: int) -> Change:
    """Another sector behind the one that is so many steps behind the workbook's first."""

    def change(file: bytearray, entry: int) -> None:
        (at,) = struct.unpack_from("<I", file, entry + 116)
        for left in range(steps, -1, -1):
            (table,) = struct.unpack_from("<I", file, 76 + 4 * (at // 128))
            place = (table + 1) * 512 + 4 * (at % 128)
            if left:
                (at,) = struct.unpack_from("<I", file, place)
        struct.pack_into("<I", file, place, number)

    return change


def entry_of_root(first: int) -> Change:
    """Make small streams begin in this sector."""
    return lambda file, entry: struct.pack_into("<2I", file, entry - entry % 512 + 116, first, 1)


BESIDE: dict[str, Change] = {
    "small streams in a sector of the workbook": entry_of_root(0),
    "a chain that ends as if it were free": next_sector(LAST, FREE),
    "a chain that goes on behind the workbook": next_sector(LAST, 3),
    "a chain that goes on outside the file": next_sector(LAST, 1 << 20),
    "bytes behind the last sector": lambda file, *_: file.extend(b"x" * 99),
}
"""Changes that leave the sectors of the workbook as they are."""
BROKEN: dict[str, tuple[Change, str]] = {
    "a chain that ends early": (next_sector(9, LAST_OF_CHAIN), "it is cut off"),
    "a chain that leaves the file": (next_sector(9, 1 << 20), "it is cut off"),
    "a circle": (next_sector(9, 3), "the file is damaged"),
    "half of it": (lambda file, *_: file.__delitem__(slice(60_000, 120_000)), "cannot be read"),
}


def changed(change: Change, folder: Path) -> bytes:
    """The sample with a changed container."""
    file = bytearray(sample("xls", folder).read_bytes())
    change(file, file.index("Workbook".encode("utf-16-le")))
    return bytes(file)


def test_only_sectors_of_the_workbook_are_read(tmp_path: Path, read_bytes: ReadBytes) -> None:
    expected = read_bytes(sample("xls", tmp_path).read_bytes())
    for case, change in BESIDE.items():
        assert read_bytes(changed(change, tmp_path)) == expected, case


@pytest.mark.parametrize("case", BROKEN)
def test_broken_sectors_of_the_workbook_are_reported(
    tmp_path: Path, read_bytes: ReadBytes, case: str
) -> None:
    change, reason = BROKEN[case]
    with pytest.raises(FileProblem, match=reason) as caught:
        read_bytes(changed(change, tmp_path))
    assert caught.value.code == "legacy-xls"
    assert "==" not in caught.value.message
