"""What an export has written, told."""

from typing import TextIO

from feedtool.report.fields import Fields, dumped
from feedtool.report.plain import clean, counted
from feedtool.runs.export import Exported


def write_exported(exported: Exported, out: TextIO, form: str) -> None:
    """The file that was written: for people, as a list of one object, or as an event."""
    if form == "text":
        sheet = f", sheet {exported.sheet}" if exported.sheet else ""
        header = f"header in row {exported.header_row}"
        out.write(clean(f"{exported.file}  {exported.kind}{sheet}, {header}") + "\n")
        skipped = f", {exported.skipped:,} left out" if exported.skipped else ""
        out.write(f"{counted(exported.rows, 'row')}{skipped}\n")
    elif form == "json":
        members = ",\n".join(
            f'    "{name}": {dumped(value)}' for name, value in _fields(exported).items()
        )
        out.write(f"[\n  {{\n{members}\n  }}\n]\n")
    else:
        out.write(dumped({"type": "summary", **_fields(exported)}) + "\n")


def _fields(exported: Exported) -> Fields:
    return {
        "file": str(exported.file),
        "kind": exported.kind,
        "sheet": exported.sheet,
        "headerRow": exported.header_row,
        "rows": exported.rows,
        "skipped": exported.skipped,
        "notes": [{"message": note.text, "hint": note.hint} for note in exported.notes],
    }
