"""A file's annotated copy: nothing differs but what is ours, and it reads as the file does."""

from contextlib import suppress
from pathlib import Path

from feedtool.check import ReadOptions
from feedtool.model.errors import FileProblem
from tests.agreement.again import annotate_and_compare, annotate_and_compare_csv
from tests.fuzz.trial import judge

NO_ROOM = "rows, no copy: NoRoom"
"""The sheet's last columns are used."""


def assert_copied(file: Path, folder: Path, asked: ReadOptions | None = None) -> str:
    """Annotates a file twice: with a note on every row of any sheet, and with what checking says.

    Returns:
        `rows`, NO_ROOM, or the code of the error that checking the file ends in.
    """
    folder.mkdir()
    outcome = judge(file, folder, asked)
    if outcome == NO_ROOM:
        return outcome
    fallback = asked.dialect.csv_fallback if asked else "cp1252"
    with suppress(FileProblem):
        if file.read_bytes().startswith(b"PK"):
            annotate_and_compare(file, folder)
        elif fallback == "cp1252":
            annotate_and_compare_csv(file, folder)
    return outcome
