import struct

import pytest

from feedtool.model.errors import FileProblem
from tests.sheets.read.others.conftest import ReadBytes


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


START = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
REFUSED = {
    "a password": (START + record(0x2F, bytes(6)), "encrypted"),
    "cut off": (START, "legacy-xls"),
    "too large": (START.ljust((64 << 20) + 1), "legacy-xls"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(read_bytes: ReadBytes, case: str) -> None:
    made, code = REFUSED[case]
    with pytest.raises(FileProblem) as caught:
        read_bytes(made)
    assert caught.value.code == code
    assert caught.value.hint
