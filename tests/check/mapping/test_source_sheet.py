"""The header row of a merchant's own sheet."""

import pytest

from feedtool.check.mapping.source_sheet import Row, header_row, is_continued
from feedtool.model.cells import BLANK, Cell, Kind

HEADER = "Réf;Désignation;EAN;PA HT;PV TTC;Stock"
ROWS = (
    "D-1;Lampe;4006381333931;12,40;19,90;3|D-2;Vase;3760452700039;22,40;29,90;0"
    "|D-3;Tapis;5901234123457;32,40;39,90;7"
)
CASES: dict[str, tuple[str, int]] = {
    "first": (f"{HEADER}|{ROWS}", 0),
    "below an address": (f"Code client;12345|Date;12/03/2026|{HEADER}|{ROWS}", 2),
    "below names in a title": (f"Prix;Stock;Référence|Tarif;2026|{HEADER}|{ROWS}", 2),
    "below groups": (f"Article;;;Prix;;Quantité|{HEADER}|{ROWS}", 1),
    "below letters": (f"A;B;C;D;E;F|{HEADER}|{ROWS}", 1),
    "above units": (f"{HEADER}|;;;EUR;EUR;pcs|{ROWS}", 0),
    "on each page": (f"{HEADER}|{ROWS}|{HEADER}|{ROWS}|Total;;;;;20", 0),
    "with sizes": ("Réf;Désignation;EAN;36;37;38|" + ROWS, 0),
    "of texts alone": ("SKU;Description|red;A lamp|blue;A vase", 0),
    "of unknown names": (f"Foo;Bar;Baz;Qux;Quux;Corge|{ROWS}", 0),
    "of another script": (f"商家编码;名称;条形码;采购价;售价;库存|{ROWS}", 0),
    "of another script below a title": (
        f"Прайс-лист;Ромашка|Дата;12.03.2026|Код;Имя;Штрихкод;Закуп;Цена;Остаток|{ROWS}",
        2,
    ),
    "of unknown names above a blank column": ("Foo;Bar;Baz|x;1,50;|y;2,50;|z;3,50;", 0),
    "of unknown names above a total": ("Foo;Bar;Baz|x;1,50;2|y;2,50;2|z;3,50;2|w;4,5;1|;;7", 0),
}
CONTINUED = {
    "below merged cells": ("Réf;Prix;;Stock|;Achat;Vente;|A;1,50;2,90;3", True),
    "with blanks below": ("Réf;Prix;;Stock|;Achat;Vente;|A;1,50;;|B;;2,90;3", True),
    "units": ("Réf;Achat;Vente;Stock|;EUR;EUR;|A;1,50;2,90;3", False),
    "a row of texts": ("Nom;;Prix;Stock|Chaise;rouge;;|Table;bleue;10;5", False),
    "a row of values": ("Réf;Prix;;Stock|;1,50;2,90;|A;1,50;2,90;3", False),
    "a single name": ("Réf;Prix;;Stock|;;Vente;|A;1,50;2,90;3", False),
    "not right below": ("Réf;Prix;;Stock||;Achat;Vente;|A;1,50;2,90;3", False),
    "nothing below": ("Réf;Prix;;Stock|;Achat;Vente;", False),
}
NONE = {
    "values alone": ROWS,
    "a name twice that nobody knows": f"Foo;Bar;Baz;Qux;Quux;Foo|{ROWS}",
    "fewer names than columns": f"Foo;Bar;Baz;Qux;Quux|{ROWS}",
    "rows that are not alike": "Foo;Bar;Baz|x;1;2|y|z|w;2;3;4",
    "a single row below": "Foo;Bar;Baz|x;1;2",
    "texts alone": "Foo;Bar|red;A lamp|blue;A vase|green;A rug",
    "an address": "Jane Doe;High Street|Lyon;France|Mobile;555 1234 567",
    "prose": "Dear all, price|please find our list, stock|Kind regards",
    "nothing below": HEADER,
    "nothing": "",
}


def rows_of(sheet: str) -> list[Row]:
    return [
        (number, [Cell(Kind.TEXT, text) if text else BLANK for text in row.split(";")])
        for number, row in enumerate(sheet.split("|"), 1)
        if row
    ]


@pytest.mark.parametrize(("sheet", "expected"), CONTINUED.values(), ids=CONTINUED)
def test_a_header_that_goes_on_in_the_next_row(sheet: str, *, expected: bool) -> None:
    assert is_continued(rows_of(sheet), 0) is expected


@pytest.mark.parametrize("case", CASES)
def test_the_header_is_found(case: str) -> None:
    sheet, at = CASES[case]
    score, position = header_row(rows_of(sheet))
    assert (score > 0, position) == (True, at)


@pytest.mark.parametrize("case", NONE)
def test_no_row_is_taken_for_a_header(case: str) -> None:
    assert header_row(rows_of(NONE[case])) == (0, 0)
