import struct

import pytest

from feedtool.model.errors import FileProblem
from tests.sheets.read.others.conftest import ReadBytes


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


START = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
REFUSED = {
    "a password": (START + record(0x2F, bytes(6)), 0, "encrypted"),
    "cut off": (START, 0, "legacy-xls"),
    "too large": (START, (64 << 20) + 1, "legacy-xls"),
}
"""How a file begins, what size it is filled up to, and the code."""


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(read_bytes: ReadBytes, case: str) -> None:
    made, size, code = REFUSED[case]
    with pytest.raises(FileProblem) as caught:
        read_bytes(made.ljust(size))
    assert caught.value.code == code
    assert caught.value.hint
