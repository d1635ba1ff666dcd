"""`feedtool export invoice-imports`: imports of invoices, made here or elsewhere, file by file."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from feedtool.areas.invoices import wire
from feedtool.areas.plain_list import DATE, Table, flat_row, no_loss, nothing
from feedtool.feeds.export import Export, KeyedRow, ListPage, ServiceList
from feedtool.feeds.package_ref import PackageRef
from feedtool.feeds.template import TEXT
from feedtool.model.call import Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import items_of, next_call, text

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
HINT = tr("look at --seller; nothing was written")

flat = partial(flat_row, known=KNOWN)


def files_in(document: Mapping[str, Any]) -> Iterator[KeyedRow]:
    """A row for each file of an import; one without a file where it lists none."""
    common = flat({name: value for name, value in document.items() if name != "files"})
    files = document.get("files")
    listed = [item for item in files if isinstance(item, dict)] if isinstance(files, list) else []
    for file in listed or [{}]:
        order = wire.order_of(text(file.get("name"))) or None
        yield {**common, "orderId": order, **flat(file, prefix="file.")}


def imports_in(reply: Reply, _: Call) -> ListPage:
    """A page of imports, with a row for each file."""
    imports = [item for item in items_of(reply, tr("imports")) if isinstance(item, dict)]
    # Without a key: a ZIP may hold two files of one name.
    rows = [(None, row) for document in imports for row in files_in(document)]
    return ListPage(rows, next_call(reply), progress=len(imports))


EXPORTS = (
    Export(
        "invoice-imports",
        """Export which invoices the service was sent, and what it made of each, into a table.

        A row for each file of an import, the newest first; other programs' imports are here, too.
        """,
        lambda _: (
            ServiceList(
                tr("imports"),
                lambda query, _: [
                    wire.read_imports(
                        PackageRef(wire.PACKAGE_TYPE, "", query.language, query.dialect)
                    )
                ],
                lambda _: imports_in,
                nothing(tr("there are no imports of invoices"), HINT),
                HINT,
                unit=tr("imports"),
            ),
        ),
        Table(tr("Imports of invoices"), KNOWN).sheet,
        no_loss,
    ),
)
