"""The valid files that are spoilt."""

from functools import cache

from tests.conftest import offer, table, update
from tests.corpus.books import BOOKS
from tests.corpus.measured import ROOT
from tests.corpus.test_workbooks import CASES

TEMPLATES = [name for name in BOOKS if name.startswith("templates/")]
SHAPES = {
    name: CASES[name].make
    for name in (
        *("shared strings", "rows and cells without references", "every part prefixed", "UTF-16"),
        *("a workbook in another folder", "labels above keys", "part names with backslashes"),
        *("a wrong dimension", "a hidden sheet first", "a lone cell in the last corner"),
        *("rows far apart", "a row that is hidden"),
    )
}


@cache
def workbooks() -> dict[str, bytes]:
    """The samples, a template, and workbooks of every program."""
    makers = {name: make for name, make in BOOKS.items() if name not in TEMPLATES[1:]}
    return {name: make() for name, make in (makers | SHAPES).items()}


@cache
def texts() -> dict[str, bytes]:
    """A CSV of every make."""
    upsert = table([offer(number) for number in range(1, 6)])
    updates = [update(number, price__price="9,99", quantity="3") for number in range(1, 9)]
    described = [
        update(1, price__price="5", comment='says "hello",\r\nand more'),
        update(2, price__price="1,234", comment="=1+1"),
        update(3, price__price="7", comment=""),
    ]
    mixed = [update(1, action="Update", quantity="3"), update(2, action="Delete")]
    return {
        "upsert": upsert.encode(),
        "semicolons": b"sep=;\r\n" + table(updates, ";").encode(),
        "tabs, marked": table(updates, "\t").encode("utf-8-sig"),
        "quotes": table(described).encode(),
        "pipes, old Mac": table(updates, "|").replace("\r\n", "\r").encode(),
        "UTF-16": table(described).encode("utf-16"),
        "Windows-1252": table([*updates, update(9, quantity="1", comment="été")]).encode("cp1252"),
        "actions": table(mixed).encode(),
        "titles": b"Our offers\n\n" + upsert.encode() + b"\n,,,\n",
        "sample": (ROOT / "samples" / "offers-fr.csv").read_bytes(),
    }
