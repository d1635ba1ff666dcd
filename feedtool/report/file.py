"""A report as a file: its form follows its name, and it is whole or not there at all."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from feedtool.model.errors import UsageProblem
from feedtool.report.as_json import write_json
from feedtool.report.codes import Codes
from feedtool.report.sheet_result import SheetResult
from feedtool.report.table import write_csv

Write = Callable[[Iterable[SheetResult], TextIO, Codes], None]


def write_report(path: Path, results: Iterable[SheetResult], codes: Codes) -> None:
    """Writes a report beside its place and renames it, so that no half of one is ever seen.

    Raises:
        UsageProblem: the name says no known form, or the file cannot be written.
    """
    write = writer_for(path)
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="") as out:
            write(results, out, codes)
        beside.replace(path)
    except OSError as reason:
        raise UsageProblem(
            f"the report {path} cannot be written: {reason.strerror}",
            "name another file with --report, in a folder that exists and may be written to",
        ) from reason
    finally:
        with suppress(OSError):
            beside.unlink()


def writer_for(path: Path) -> Write:
    """The function that writes the form of a file's name, `.json`, `.csv` or `.html` in any case.

    Raises:
        UsageProblem: the name says no known form; to be found out before a long command starts.
    """
    match path.suffix.casefold():
        case ".html":
            from feedtool.report.html import write_html  # jinja2 is not worth its time elsewhere

            return write_html
        case ".json":
            return lambda results, out, _: write_json(results, out)
        case ".csv":
            return lambda results, out, _: write_csv(results, out)
    raise UsageProblem(
        f"{path.name}: a report's name says what it is", "end it in .json, .csv or .html"
    )
