"""`feedtool export invoice-imports`: imports of invoices, made here or elsewhere, file by file."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from feedtool.areas.invoices import wire
from feedtool.areas.listing import Empty, Entries, Listing, export_of
from feedtool.areas.plain_list import DATE, Table, flat_row
from feedtool.feeds.export import KeyedRow, Query
from feedtool.feeds.package_ref import PackageRef
from feedtool.feeds.template import TEXT
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr
from feedtool.service.answers import text

KNOWN = {
    "importId": (tr("Import"), TEXT),
    "createdAt": (tr("Created"), DATE),
    "status": (tr("Status of the import"), TEXT),
    "orderId": (tr("Order"), TEXT),
    "file.name": (tr("Name of the file"), TEXT),
    "file.status": (tr("Status"), TEXT),
    "file.integrationStatus": (tr("Step"), TEXT),
    "file.message": (tr("Reason"), TEXT),
}

flat = partial(flat_row, known=KNOWN)


def _file_rows(document: Mapping[str, Any], _: Query) -> Iterator[KeyedRow]:
    """A row for each file of an import; a row without a file if it lists none."""
    common = flat({name: value for name, value in document.items() if name != "files"})
    files = document.get("files")
    listed = [item for item in files if isinstance(item, dict)] if isinstance(files, list) else []
    for file in listed or [{}]:
        order = wire.order_of(text(file.get("name"))) or None
        yield {**common, "orderId": order, **flat(file, prefix="file.")}


IMPORT_LIST = Listing(
    "invoice-imports",
    """Export which invoices the service was sent, and what it made of each, into a table.

    A row for each file of an import, the newest first; other programs' imports are here, too.
    """,
    noun=tr("imports"),
    page=wire.read_imports(PackageRef(wire.PACKAGE_TYPE, "", "en", AccountSettings())),
    sheet=Table(tr("Imports of invoices"), KNOWN),
    empty=Empty(tr("there are no imports of invoices")),
    # Without a key: a ZIP may hold two files of one name.
    entries=Entries(rows=_file_rows),
    in_language=True,
)
EXPORTS = (export_of(IMPORT_LIST),)
