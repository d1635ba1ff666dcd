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
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, PackageType
from feedtool.model.settings import Dialect
from feedtool.model.sheet import VALID, CheckedSheet
from feedtool.model.spool import Spool
from feedtool.runs.convert.ways import Form
from feedtool.runs.request_files import write_requests
from feedtool.service.wire import UploadBody, products_body, upload
from feedtool.sheets.annotate.check import NotAsWritten
from feedtool.sheets.annotate.place import placed

BY_HAND = "give OUT no ending: a folder takes as many packages as there are"


@dataclass(frozen=True, slots=True)
class About:
    """What an Offers.xml said of itself, as far as the one that is made of it says the same."""

    name: str = "feedtool"
    pools: tuple[Pool, ...] = ()
    """Where it says; else the one of the rows' channel."""


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


def _write_json(
    target: Path, items: Iterable[Item], package_type: PackageType, dialect: Dialect
) -> None:
    bodies = [item.body for item in items]
    body = products_body(bodies)
    if package_type is not PackageType.PRODUCTS:
        body = upload("package", bodies, UploadBody(dialect.upload_body)).body or b""
    with placed(target) as place:
        place.write_bytes(body)


def _head(package_type: PackageType, channel: str, about: About, dialect: Dialect) -> Head:
    pools = about.pools
    if not pools and channel:
        number = dialect.legacy_pools.get(channel)
        pools = (Pool(number, "Id") if number else Pool(channel),)
    is_full = package_type is PackageType.FULL
    return Head(
        about.name,
        package_type,
        pools=pools if is_full else (),
        document_type=dialect.legacy_document_type,
    )


def _write_legacy(target: Path, form: Form, items: Spool[Item], head: Head) -> None:
    make = write_zip if form is Form.ZIP else write_xml
    with placed(target) as place:
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
