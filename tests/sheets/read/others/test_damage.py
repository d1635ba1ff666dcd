"""Any damage of a spreadsheet in another format is reported in one line."""

import random
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem, Interrupted
from feedtool.sheets import open_source
from feedtool.sheets.read.errors import LegacyXls
from feedtool.sheets.read.others.rows import Damage, refusing
from tests.sheets.read.others.samples import FORMATS, sample

FEW = {"html": 1, "html.xls": 1}
"""Damaged files of formats that take long to read."""
OTHERS = sorted({*FORMATS} - {"xlsx"})


def read_all(path: Path) -> int:
    """The number of all cells of all sheets."""
    with open_source(path) as source:
        return sum(
            len([block.decode(key) for key in block.column(index)])
            for entry in source.sheets
            for block in source.sheet(entry.name).blocks()
            for index in range(block.width)
        )


def damaged(content: bytes, dice: random.Random) -> bytes:
    """A few bytes are others, or missing, or there twice."""
    new = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        # The beginning and the end say the most about the rest.
        spot = dice.choice([dice.randrange(len(new)), dice.randrange(600), -dice.randint(1, 600)])
        at = spot % len(new)
        match dice.randrange(4):
            case 0:
                new[at] ^= 1 << dice.randrange(8)
            case 1:
                new[at] = dice.choice(b"\0\xff\x7f\x80<>&\"'09")
            case 2:
                del new[at : at + dice.randint(1, 50)]
            case _:
                new[at:at] = new[at : at + dice.randint(1, 50)]
    return bytes(new)


def damaged_parts(content: bytes, dice: random.Random) -> bytes:
    """A package of which one part is damaged before it is packed."""
    result = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as old, zipfile.ZipFile(result, "w") as new:
        wanted = [name for name in old.namelist() if name.endswith((".bin", "content.xml"))]
        chosen = dice.choice(wanted)
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, damaged(part, dice) if name == chosen and part else part)
    return result.getvalue()


def try_all(ending: str, count: int, folder: Path, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  # not for secrets
    content = sample(ending, folder).read_bytes()
    path = folder / f"damaged.{ending}"
    for number in range(count):
        is_package = content.startswith(b"PK") and number % 4
        path.write_bytes((damaged_parts if is_package else damaged)(content, dice))
        problem = None
        try:
            read_all(path)
        except FileProblem as error:
            problem = error
        if problem:
            assert "\n" not in f"{problem.message}{problem.hint}"
            assert len(problem.message) < 400
            assert problem.hint


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AssertionError(), "the file is damaged"),
        (ValueError("Workbook corruption: seen[0] == 4"), "the file is damaged"),
        (TypeError("expected string or bytes-like object"), "the file is damaged"),
        (Damage("it is cut off"), "it is cut off"),
    ],
)
def test_the_words_of_a_library_are_no_reason(error: Exception, reason: str) -> None:
    with pytest.raises(LegacyXls) as caught, refusing(LegacyXls, "It is an .xls"):
        raise error
    assert caught.value.message == f"It is an .xls, and cannot be read: {reason}."


def test_a_stopped_command_reports_no_damage() -> None:
    with pytest.raises(Interrupted), refusing(LegacyXls, "It is an .xls"):
        raise Interrupted("stopped by SIGTERM")


@pytest.mark.parametrize("ending", OTHERS)
def test_damage_is_reported_in_one_line(tmp_path: Path, ending: str) -> None:
    try_all(ending, FEW.get(ending, 3), tmp_path, 1)


@pytest.mark.long
@pytest.mark.parametrize("ending", OTHERS)
def test_much_damage_is_reported_in_one_line(tmp_path: Path, ending: str) -> None:
    try_all(ending, 500, tmp_path, 2)
