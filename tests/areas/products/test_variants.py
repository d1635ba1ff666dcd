"""The group of a variant, as the service has it: asked for by GTIN, and only where it is needed."""

import csv
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

from feedtool.areas.products.wire import group_of
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.call import Call, Reply
from feedtool.model.errors import Exit
from feedtool.service.answers import Unreadable
from tests.answers import reply
from tests.catalogues import CATALOG, product, shirt
from tests.cli.conftest import SAMPLES, Feedtool, rows_of
from tests.conftest import gtin, table

T = TypeVar("T")
GROUP = "variantGroupReference"
FOUND, INCOMPLETE = "variant-group-found", "variant-incomplete"
OWN, OTHER, NEW = gtin(1), gtin(2), gtin(99)
GROUPS = {OWN: "SHIRT-7", OTHER: "SHIRT-8"}


class Service:
    """Tells the groups of some products, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, _: str, call: Call, read: Callable[[Reply], T]) -> T:
        """The product of this GTIN, if there is one."""
        ((name, asked),) = call.query
        assert (call.target, name) == ("/products", "Gtin")
        self.asked.append(asked)
        found = {"gtin": asked, "groupReference": GROUPS.get(asked)}
        return read(reply({"items": [found] if asked in GROUPS else []}))


def judged(folder: Path, ask: Service | None, *rows: Mapping[str, str]) -> tuple[list[str], Any]:
    """The groups that are sent, and of each group's problems code and hint."""
    path = folder / "products.csv"
    path.write_text(table(rows), "utf-8")
    options = ReadOptions(catalog=lambda _: CATALOG, ask=ask)
    (sheet,) = check([Input(path.name, path)], options, load())
    groups = [json.loads(item.body).get(GROUP, "") for item in sheet.valid_items()]
    problems = [
        (problem.code, problem.hint) for problem in sheet.problems() if problem.field == GROUP
    ]
    return groups, problems


def blank(number: int = 1, **changes: str | None) -> dict[str, str]:
    return shirt(number, **{GROUP: "", **changes})


CASES: dict[str, tuple[dict[str, str], list[str], list[str], list[str]]] = {
    "blank, and the service has it in a group": (blank(), [OWN], ["SHIRT-7"], [FOUND]),
    "blank, and the service has it in none": (blank(99), [NEW], [], [INCOMPLETE]),
    "another member of the family": (shirt(99, **{GROUP: OTHER}), [OTHER], ["SHIRT-8"], [FOUND]),
    "a GTIN that nobody has": (shirt(99, **{GROUP: NEW}), [NEW], [NEW], []),
    "a group of its own": (shirt(), [], ["SHIRT-7"], []),
    "a number that is no GTIN": (shirt(**{GROUP: "12345678"}), [], ["12345678"], []),
    "a product that stands alone": (blank(p4001="", p4002=""), [], [""], []),
    "a category without variants": (product(), [], [""], []),
}


@pytest.mark.parametrize(("row", "asked", "sent", "codes"), CASES.values(), ids=CASES)
def test_group(
    tmp_path: Path, row: dict[str, str], asked: list[str], sent: list[str], codes: list[str]
) -> None:
    service = Service()
    groups, problems = judged(tmp_path, service, row)
    assert (service.asked, groups, [code for code, _ in problems]) == (asked, sent, codes)


def test_a_member_is_asked_for_once(tmp_path: Path) -> None:
    service = Service()
    rows = [shirt(number, **{GROUP: OTHER, "p4002": colour}) for number, colour in NEW_COLOURS]
    assert judged(tmp_path, service, *rows)[0] == ["SHIRT-8"] * 3
    assert service.asked == [OTHER]


NEW_COLOURS = ((97, "Blue"), (98, "Black"), (99, "Brown"))


def test_an_offline_check_reports_missing_properties(tmp_path: Path) -> None:
    groups, ((code, hint),) = judged(tmp_path, None, blank())
    assert (groups, code) == ([], INCOMPLETE)
    assert "submit asks the service" in hint


ANSWERS: dict[str, tuple[Any, str]] = {
    "a group": ([{"gtin": "123", "groupReference": "G"}], "G"),
    "by its name in a submission": ([{"gtin": "00123", GROUP: "G"}], "G"),
    "none": ([{"gtin": "123", "groupReference": None}], ""),
    "another product": ([{"gtin": "124", "groupReference": "G"}], ""),
    "no product": ([], ""),
}


@pytest.mark.parametrize(("items", "group"), ANSWERS.values(), ids=ANSWERS)
def test_group_of(items: Any, group: str) -> None:
    assert group_of(reply({"items": items}), "123") == group


def test_a_hidden_group_is_unknown() -> None:
    assert group_of(Reply(404, {}, b"{}"), "123") == ""
    with pytest.raises(Unreadable):
        group_of(reply({"title": "?"}), "123")


# From the command line.


@cache
def first_shirt() -> dict[str, Any]:
    """The first T-shirt of the samples."""
    return next(row for row in rows_of(SAMPLES / "products.xlsx", "Products") if row.get(GROUP))


def tee(**changes: str) -> dict[str, str]:
    return {key: str(value) for key, value in first_shirt().items()} | changes


def submitted(feedtool: Feedtool, folder: Path, *rows: dict[str, str]) -> list[dict[str, str]]:
    """The rows of the annotated copy."""
    path = folder / "tees.csv"
    path.write_text(table(rows), "utf-8")
    code, out, err = feedtool(f"submit {path} --sandbox --as products --yes")
    assert code == Exit.OK, out + err
    with (folder / "tees.result.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("catalogue")
def test_a_new_member_gets_the_group_of_its_family(feedtool: Feedtool, tmp_path: Path) -> None:
    submitted(feedtool, tmp_path, tee())
    again = tee(**{GROUP: "", "description": "Now of organic cotton."})
    new = tee(
        gtin=gtin(77, 2), sellerProductReference="TEE-XL", **{"4152": "XL", GROUP: again["gtin"]}
    )
    for row in submitted(feedtool, tmp_path, again, new):
        assert row["feedtool status"] == "Integrated"
        assert f"has {again['gtin']} in the group TEE-ORGANIC" in row["feedtool message"]
    path = tmp_path / "all.csv"
    assert feedtool(f"export products --sandbox --out {path}").code == Exit.OK
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert {(row["gtin"], row[GROUP]) for row in csv.DictReader(file)} == {
            (again["gtin"], "TEE-ORGANIC"),
            (new["gtin"], "TEE-ORGANIC"),
        }
