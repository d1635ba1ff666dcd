"""Sheets of few rows: a supplier's own list, and offers with a different problem each."""

from html.parser import HTMLParser
from pathlib import Path

from flask.testing import FlaskClient
from openpyxl import Workbook
from werkzeug.test import TestResponse

from tests.conftest import gtin, offer, table

HEADER = "Réf;Code barre;PV TTC;PA HT;Qté dispo;Etat;TVA;Delai;Foo"
ROWS = (
    "A-1;3760452700039;11,90;5,10;7;Neuf;20;2;x",
    "A-2;4006381333931;5,49;2,20;0;2nd choix;20;2;y",
    "A-3;5901234123457;129,00;77,40;3;Neuf;20;3;z",
)
LIST = "\n".join((HEADER, *ROWS)) + "\n"
COST = "default:deliveryModes.TrackedHomeDelivery.cost"
ADDITIONAL = "default:deliveryModes.TrackedHomeDelivery.additionalCost"
CONDITION = "word:5:condition:c8e7153a5b88"
"""The field for the meaning of `2nd choix`."""
SHIPPING = {COST: "4.90", ADDITIONAL: "2", CONDITION: "UsedAverageState"}
"""Values that no column holds, and that meaning."""


def mixed_offers(path: Path) -> Path:
    """A workbook of offers: valid, refused, wrong twice, trimmed and hidden ones, and a total."""
    rows = [
        offer(1),
        offer(2, product__gtin=gtin(2, first=2)),
        offer(3, price__price="-1", quantity="many"),
        offer(4, condition=" New"),
        offer(5),
        {"sellerExternalReference": "Total", "quantity": "28"},
    ]
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Offers"
    for line in table(rows).splitlines():
        sheet.append(line.split(","))
    sheet.row_dimensions[6].hidden = True
    book.save(path)
    return path


def two_sheets(path: Path) -> Path:
    """A workbook with the list in two sheets, and a text in a third."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name in ("Tarif", "Soldes"):
        sheet = book.create_sheet(name)
        for line in LIST.splitlines():
            sheet.append(line.split(";"))
    book.create_sheet("Notes").append(["read me"])
    book.save(path)
    return path


class FormReader(HTMLParser):
    """The fields that a browser would send of the form about columns."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._is_in, self._select = False, ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes in a field."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_in = given.get("class") == "columns"
        elif self._is_in and tag == "select":
            self._select = given["name"]
            self.values[self._select] = ""
        elif self._is_in and tag == "option" and "selected" in given:
            self.values[self._select] = given["value"]
        elif self._is_in and tag == "input":
            self.values[given["name"]] = given.get("value", "")


def form_of(client: FlaskClient, file: str, **query: str) -> dict[str, str]:
    """The proposed form of a file's columns."""
    answer = client.get(f"/en/files/{file}/columns", query_string=query)
    assert answer.status_code == 200, answer.text
    return FormReader(answer.text).values


def answer_columns(client: FlaskClient, file: str, form: dict[str, str]) -> TestResponse:
    """The answer to a form of a file's columns."""
    return client.post(f"/en/files/{file}/columns", data=form)
