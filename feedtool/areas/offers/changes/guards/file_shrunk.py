"""The file has far fewer rows than the one before it.

A job that was cut short leaves a file that can be read and is not whole. All of its rows are held
back. The one before is the last file of the same name and kind that was sent for the seller. A name
that was not sent before is compared with what differs from it but by a date or a time: so
`stock-2026-03-01.csv` comes before `stock-2026-03-02.csv`, but no `part1.csv` before `part2.csv`.
`fewer_rows` in the profile's [guards] table says by how many percent a file may be shorter; without
it, or with 0, any file may. With a predecessor of less than `least` rows, 20, it says nothing.

Example: `fewer_rows = 40`; yesterday's stock.csv had 1,204 rows, and today's has 310.

To mend it, look whether the file is whole; if it is, send it with --release file-shrunk.
"""

from collections.abc import Iterator

from feedtool.areas.offers.changes.guards import Holding, SheetSummary, code, issue, rounded
from feedtool.model.settings import Guards

CODE = code(__name__, __doc__)


def check_file(file: SheetSummary, settings: Guards) -> Iterator[Holding]:
    """Compare the number of rows with the predecessor's."""
    before = file.earlier
    if not settings.fewer_rows or before is None or before.rows < max(settings.least, 1):
        return
    percent = (before.rows - file.rows) / before.rows * 100
    if percent > settings.fewer_rows:
        text = (
            f"the file has {file.rows:,} rows, and its predecessor, of run {before.run_id}, had"
            f" {before.rows:,}: {rounded(percent)} % fewer (allowed: {settings.fewer_rows} %)"
        )
        yield Holding(issue(CODE, text))
