"""The kind of a sheet, its header and its rows: shown with the result, and asked if unclear."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from io import StringIO
from itertools import product
from pathlib import Path
from sqlite3 import connect

import pytest

from feedtool.cli.validate import explained as header_of
from feedtool.model.settings import AccountSettings
from feedtool.model.text import Translator
from feedtool.report.explained_row import write_columns
from feedtool.report.sheet_result import SheetResult
from tests.cli.conftest import Feedtool, OnTerminal, applied
from tests.conftest import Files, checked, offer, update
from tests.pairs import sample

QUESTION = "New offers, or an update of existing ones?"
COMMANDS = (
    *("validate offers.csv", "submit offers.csv --sandbox --no-failed"),
    *("submit offers.csv --dry-run", "convert offers.csv out.xlsx"),
)


ANSWERS = {"update\n": 0, "new\n": 3, "what\nnew\n": 3}
WAYS = [(command, answer, code) for answer, code in ANSWERS.items() for command in COMMANDS]
USUAL = [*WAYS[:4], WAYS[4], WAYS[9]]
ASKED = sample([*USUAL, *(way for way in WAYS if way not in USUAL)], len(USUAL))
"""Each command with an answer, and each other answer with a command; the others in long runs."""


FORMS = sorted(product(COMMANDS, ("text", "json", "jsonl")), key=lambda way: way[1] != "text")
"""Each command with text, and then one of them with each other form."""


@pytest.fixture
def unclear(files: Files) -> Path:
    """Two offers without VAT, in `offers.csv`."""
    return files.csv(offer(1, taxes__VAT=None), offer(2, taxes__VAT=None))


def types_sent() -> list[str]:
    """The package types that the service got; it knows no offers, and refuses each Update."""
    return [package_type for _, package_type in applied()]


@pytest.mark.usefixtures("unclear")
@pytest.mark.parametrize(("command", "form"), sample(FORMS, 6))
def test_an_unclear_kind_is_refused_without_a_terminal(
    feedtool: Feedtool, command: str, form: str
) -> None:
    ran = feedtool(command, "--format", form)
    said = ran.out + ran.err
    assert ran.code == 3
    name = "VAT (%)" if form == "text" or command.startswith("convert") else "taxes.VAT"
    assert f"need the column {name}" in said
    assert "say --as offers-update" in said
    assert QUESTION not in said
    assert types_sent() == []


@pytest.mark.usefixtures("unclear")
@pytest.mark.parametrize(("command", "answer", "code"), ASKED)
def test_the_kind_is_asked_on_a_terminal(
    on_terminal: OnTerminal, command: str, answer: str, code: int
) -> None:
    # The service refuses the Updates, and an Update cannot hold all that `convert` is given.
    is_refused = "--sandbox" in command or command.startswith("convert")
    ended, said = on_terminal(answer, *command.split())
    assert ended == (code or is_refused), said
    assert QUESTION in said
    assert "need the column VAT (%)" in said
    is_sent = "--sandbox" in command and not code
    assert types_sent() == (["Update"] * 2 if is_sent else [])


@pytest.mark.usefixtures("unclear")
def test_a_script_gets_no_question(on_terminal: OnTerminal) -> None:
    for command in (
        "validate --format json",
        "submit --sandbox --format jsonl",
        "submit --dry-run --save-plan p",
    ):
        code, said = on_terminal("update\n", *command.split(), "offers.csv")
        assert (code, QUESTION in said) == (3, False)


@pytest.mark.usefixtures("unclear")
def test_the_kind_of_a_sheet_is_kept_with_the_run(
    feedtool: Feedtool, on_terminal: OnTerminal
) -> None:
    assert on_terminal("update\n", "submit", "offers.csv", "--sandbox")[0] == 1
    for forget in ("$.none", "$.kinds"):  # the second makes it a run of an older feedtool
        with closing(connect("home/ledger.sqlite")) as ledger, ledger:
            ledger.execute("UPDATE runs SET options = json_remove(options, ?)", [forget])
        Path("offers.result.csv").unlink()
        Path("offers.failed.xlsx").unlink()
        ran = feedtool("results 1")
        assert ran.code == 1, ran.err
        assert "offers-update" in ran.out
        assert Path("offers.result.csv").exists()
        ran = feedtool("validate offers.failed.xlsx")
        assert ran.code == 0
        assert "offers-update (as its template says)" in ran.out
    assert feedtool("results 1 --failed-only").code == 1


@pytest.mark.usefixtures("unclear")
def test_a_given_kind_is_not_asked(feedtool: Feedtool, files: Files) -> None:
    assert feedtool("submit offers.csv --sandbox --no-failed --as offers-update").code == 1
    files.text('[defaults]\nas = "offers-update"\n', "feedtool.toml")
    assert feedtool("submit offers.csv --sandbox --no-failed").code == 1
    assert types_sent() == ["Update"] * 4


FIRST = {
    "offers-upsert (every required column is there)": offer(),
    "offers-update (no column names a product)": update(price__price="5"),
    "offers-update (a stock list: no price, no condition)": update(product__gtin="1", quantity="5"),
    "offers-delete (its action column says so)": update(action="Delete"),
}


@pytest.mark.parametrize(("said", "row"), FIRST.items())
def test_the_first_line_names_kind_and_reason(
    feedtool: Feedtool, files: Files, said: str, row: dict[str, str]
) -> None:
    name = files.csv(row, name="first.csv").name
    lines = feedtool("validate", name).out.splitlines()
    assert lines[0] == f"first.csv  {said}, header in row 1"
    told = feedtool("validate", name, "--format", "json").only
    assert f"{told['kind']} ({told['kindReason']})" == said


# Headers: `--explain-columns`.

OWN = {"Réf. interne": "sellerExternalReference", "cost": "price.price"}
TRACKED = "deliveryModes.TrackedHomeDelivery.cost"
REASONS: dict[str, tuple[str | None, str]] = {
    "price.price": ("price.price", "its key"),
    "Prix (TTC)": ("price.price", "its label (fr)"),
    "EAN": ("product.gtin", "the alias “ean”"),
    "qty (optional)": ("quantity", "the alias “qty”"),
    "réf interne": ("sellerExternalReference", "the profile's [columns] table"),
    "Cost": ("price.price", "the profile's [columns] table"),
    "orgin price": (None, "unknown; did you mean price.originPrice?"),
    "colour": (None, "unknown; kept, not sent"),
    "feedtool status": (None, "written by feedtool; replaced"),
    "Suivi (1) - Principal": (TRACKED, "its label (fr)"),
}


def explained(files: Files, *lines: str, dialect: AccountSettings | None = None) -> list[str]:
    """The table's lines with single blanks; the first says where the header is."""
    (sheet,) = checked(files.text("\n".join(lines) + "\n"), dialect=dialect)
    out = StringIO()
    write_columns([SheetResult(sheet, explained=header_of(sheet))], out, Translator("en"))
    return [" ".join(line.split()) for line in out.getvalue().splitlines() if line]


@pytest.mark.parametrize("header", REASONS)
def test_why(files: Files, header: str) -> None:
    key, reason = REASONS[header]
    known = ("SKU", "sellerExternalReference"), ("Stock", "quantity"), ("Prix", "price.price")
    others = [name for name, meant in known if meant != key]
    lines = (",".join((header, *others)), ",".join(("1", *("2" for _ in others))))
    first, line, *rest = explained(files, *lines, dialect=AccountSettings(columns=OWN))
    assert first == "offers.csv: header in row 1"
    assert line.startswith(f"A {header} {key or '-'} ")
    assert reason in line
    assert len(rest) == len(others)


SHEETS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "below titles": (
        ("Our offers", "", "sku,stock", "A,1"),
        (
            "offers.csv: header in row 3",
            "A sku sellerExternalReference the alias “sku”",
            "B stock quantity its label (en)",
        ),
    ),
    "a header over two rows": (
        ("sku,Suivi,", ",Principal,Additionnel", "A,1,2"),
        (
            "offers.csv: header in row 2",
            "A sku sellerExternalReference the alias “sku”",
            "B Suivi Principal deliveryModes.TrackedHomeDelivery.cost its label (fr)",
            "C Suivi Additionnel deliveryModes.TrackedHomeDelivery.additionalCost its label (fr)",
        ),
    ),
    "nothing that is known": (("Ref,Amount", "A,1"), ()),
}


@pytest.mark.parametrize(("lines", "told"), SHEETS.values(), ids=SHEETS)
def test_a_table(files: Files, lines: Sequence[str], told: Sequence[str]) -> None:
    assert explained(files, *lines) == list(told)


@pytest.mark.usefixtures("unclear")
def test_each_header_of_an_unclear_sheet_is_explained(feedtool: Feedtool) -> None:
    ran = feedtool("validate offers.csv --explain-columns")
    assert ran.code == 3
    assert "product.gtin" in ran.out.partition("error[kind-unclear]")[0]


def test_each_header_of_a_sheet_that_lacks_one_is_explained(
    feedtool: Feedtool, files: Files
) -> None:
    path = files.csv(offer(sellerExternalReference=None))
    ran = feedtool("validate", path.name, "--as", "offers-upsert", "--explain-columns")
    table, _, error = ran.out.partition("error[header-missing]")
    assert (ran.code, "product.gtin" in table) == (3, True)
    assert "Seller reference" in error


# Rows: totals and repeated headers are skipped, unless `--as-row` takes them.

TOTAL = offer(3, sellerExternalReference="Total")
REASON = "this row is a total by its reference"


@pytest.fixture
def totalled(files: Files) -> Path:
    """Two offers, and a row of totals below them."""
    return files.csv(offer(1), offer(2), TOTAL)


def test_a_total_is_skipped_with_its_reason(feedtool: Feedtool, totalled: Path) -> None:
    ran = feedtool("submit", totalled, "--sandbox", "--format", "json")
    assert (ran.code, ran.statuses) == (0, ["Integrated", "Integrated", "Skipped"])
    assert ran.counts == [3, 2, 0, 1, 1]
    assert [package["rows"] for package in ran.only["packages"]] == [2]
    last = ran.only["results"][-1]
    (message,) = last["messages"]
    assert (last["row"], last["sellerExternalReference"]) == (4, "Total")
    assert message["resultCode"] == "not-a-row"
    assert message["message"].startswith(REASON)
    copy = Path("offers.result.csv").read_text("utf-8").splitlines()[3]
    assert ",Skipped," in copy
    assert copy.count(REASON) == 1
    assert copy.endswith(",not-a-row")
    assert "1 Skipped" in feedtool("status 1").out
    shown = feedtool("validate", totalled).out
    assert "3 rows: 2 valid, 0 invalid, 1 skipped, 1 warning\n" in shown
    assert f"offers.csv:4 “Total”: {REASON}" in shown


@pytest.mark.parametrize("command", ["validate", "submit --sandbox", "submit --dry-run"])
def test_a_sheet_of_only_totals_has_no_rows(feedtool: Feedtool, files: Files, command: str) -> None:
    ran = feedtool(command, files.csv(TOTAL), "--format", "json")
    assert (ran.code, ran.counts) == (9, [1, 0, 0, 1, 1])


def test_a_row_of_totals_is_taken_on_request(feedtool: Feedtool, totalled: Path) -> None:
    for words in ("--as-row 4", "--as-row 9 --as-row=4"):
        ran = feedtool(f"validate {totalled.name} --format json {words}")
        assert ran.counts == [3, 3, 0, 0, 0]
    ran = feedtool(f"submit {totalled.name} --sandbox --format json --as-row 9,4")
    assert (ran.code, ran.statuses) == (0, ["Integrated"] * 3)
    assert ran.counts == [3, 3, 0, 0, 0]
    assert feedtool("results 1 --format json").only["results"] == ran.only["results"]


def test_a_plan_keeps_rows_taken_on_request(feedtool: Feedtool, totalled: Path) -> None:
    making = ("--sandbox", "--dry-run", "--as-row", "4", "--save-plan", "plan")
    assert feedtool("submit", totalled, *making).code == 0
    other = feedtool("submit --plan plan --as-row 3")
    assert other.code == 2
    assert "--as-row was [4], and is [3, 4]" in other.error()[0]
    ran = feedtool("submit --plan plan --format json")
    assert (ran.code, ran.statuses) == (0, ["Integrated"] * 3)


def test_a_converted_file_is_without_it(feedtool: Feedtool, totalled: Path) -> None:
    ran = feedtool("convert", totalled, "out.csv", "--format", "json")
    assert ran.code == 1
    assert f"left out: {REASON} (row 4)" in ran.err
    assert feedtool("convert", totalled, "all.json", "--as-row", "4").code == 0
    assert feedtool("validate out.csv --format json").counts == [2, 2, 0, 0, 0]
