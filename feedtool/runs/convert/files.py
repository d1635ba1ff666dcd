"""Writes what was converted: a workbook or a CSV, an Offers.xml or its zip, JSON requests.

The same rows give the same bytes, and every file takes its place whole or not at all. A legacy
zip is read again before it is kept.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from feedtool.areas.legacy.offers_xml import Offer
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.writer import Head, Pool, offer_of, write_xml
from feedtool.areas.legacy.writer import write as write_zip
from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.wire.packages import UploadBody, upload
from feedtool.areas.products.wire.submissions import products_body
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item
from feedtool.model.settings import Dialect
from feedtool.model.sheet import VALID, CheckedSheet
from feedtool.model.spool import Spool
from feedtool.runs.convert.ways import Form
from feedtool.runs.export.gathered import Gathered
from feedtool.runs.export.written import unfolded, write
from feedtool.runs.request_files import write_requests
from feedtool.sheets import NotAsWritten
from feedtool.sheets.atomic_write import atomic_write
from feedtool.templates.contents import Contents

BY_HAND = "give OUT no ending: a folder takes as many packages as there are"


@dataclass(frozen=True, slots=True)
class About:
    """What an Offers.xml said of itself, as far as the one that is made of it says the same."""

    name: str = "feedtool"
    pools: tuple[Pool, ...] = ()
    """Where it says; else the one of the rows' channel."""


# Rows and columns.


def write_sheet(target: Path, contents: Contents, rows: Gathered, dialect: Dialect) -> None:
    """A workbook of the template's shape, or a CSV of the same columns.

    Raises what `export.written.write` raises.
    """
    write(target, unfolded(contents, rows, frozenset()), rows, dialect.reading)


# Requests.


def write_items(
    target: Path, form: Form, sheets: Sequence[CheckedSheet], about: About, dialect: Dialect
) -> None:
    """Requests as they travel: in one file, or in a folder of packages.

    Raises:
        UsageProblem: one file cannot hold them, or cannot be written.
        NotAsWritten: it does not read back as it was written.
    """
    if form is Form.FOLDER:
        write_requests(target, sheets, dialect)
        return
    (sheet,) = sheets
    groups = {(item.package_type, item.channel) for item in sheet.items}
    if len(groups) > 1:
        told = ", ".join(sorted(f"{kind} for {channel}" for kind, channel in groups))
        raise UsageProblem(f"{target.name} would hold several packages: {told}", BY_HAND)
    [(package_type, channel)] = groups
    if form is Form.JSON:
        _write_json(target, sheet.items, package_type, dialect)
    else:
        _write_legacy(target, form, sheet.items, _head(package_type, channel, about, dialect))


def _write_json(target: Path, items: Iterable[Item], package_type: str, dialect: Dialect) -> None:
    bodies = [item.body for item in items]
    body = products_body(bodies)
    if package_type != "Products":
        body = upload("package", bodies, UploadBody(dialect.upload_body)).body or b""
    with atomic_write(target) as place:
        place.write_bytes(body)


def _head(package_type: str, channel: str, about: About, dialect: Dialect) -> Head:
    pools = about.pools
    if not pools and channel:
        number = dialect.legacy_pools.get(channel)
        pools = (Pool(number, "Id") if number else Pool(channel),)
    is_full = package_type == PackageType.FULL
    return Head(
        about.name,
        package_type,
        pools=pools if is_full else (),
        document_type=dialect.legacy_document_type,
    )


def _write_legacy(target: Path, form: Form, items: Spool[Item], head: Head) -> None:
    make = write_zip if form is Form.ZIP else write_xml
    with atomic_write(target) as place:
        with place.open("wb") as file:
            make(file, head, _offers(items), len(items))
        read = (found.offer for found in OffersXml(place).read())
        if any(one != other for one, other in zip_longest(read, _offers(items))):
            raise NotAsWritten(
                f"{target} was written, and does not read back like that",
                "run it again; if it stays so, look at the disk",
            )


def _offers(items: Iterable[Item]) -> Iterator[Offer]:
    return (offer_of(json.loads(item.body)) for item in items)


def valid_sheet(checked: CheckedSheet, kind: str, items: Spool[Item]) -> CheckedSheet:
    """A sheet of nothing but rows that can be sent."""
    sheet = CheckedSheet(checked.file, checked.sheet, kind, checked.header, items=items)
    for item in items:
        sheet.marks[item.row] = VALID
    return sheet
