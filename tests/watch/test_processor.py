"""Results of a file: its answers, its error, and the same content again."""

import os
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from zipfile import is_zipfile

import pytest
from openpyxl import load_workbook

from feedtool.ledger.claims import Claim, ClaimState
from feedtool.model.errors import Exit
from feedtool.model.text import LanguageChoice
from feedtool.service.auth import StaticToken
from feedtool.watch.folder import Folder
from tests.check.recipes.conftest import HEADER, RECIPE
from tests.check.recipes.conftest import row as row_of
from tests.conftest import offer, table
from tests.pairs import sample
from tests.watch.conftest import DAY, NOON, RunsOut, World


def test_a_file_is_answered_and_filed_away(world: World) -> None:
    assert world.send("a.csv", offer(1), offer(2, quantity="-1")) is Exit.ROWS
    answers = ["results/a.failed.xlsx", "results/a.result.csv", "results/a.summary.json"]
    assert world.files() == [f"{DAY}/a.csv", *answers]
    told = world.summary("a")
    assert (told["file"], told["run"], told["exitCode"]) == ("a.csv", "1", 1)
    (sheet,) = told["sheets"]
    assert (sheet["rows"], sheet["valid"], sheet["invalid"]) == (2, 1, 1)
    assert sheet["statuses"] == {"Invalid": 1, "Integrated": 1}
    assert (sheet["annotated"], sheet["failed"]) == ("a.result.csv", "a.failed.xlsx")
    assert world.claimed() == []
    assert world.watch() is Exit.NOTHING


def test_a_spreadsheet_of_another_format_is_answered_by_a_workbook(world: World) -> None:
    rows = [list(offer(1)), list(offer(1).values())]
    lines = "".join(f"<tr>{''.join(f'<td>{text}' for text in row)}" for row in rows)
    assert world.send("a.xls", content=f"<html><table>{lines}</table>".encode()) is Exit.OK
    assert world.files() == [f"{DAY}/a.xls", "results/a.result.xlsx", "results/a.summary.json"]
    assert world.summary("a")["sheets"][0]["statuses"] == {"Integrated": 1}


def correct(path: Path, **values: str) -> bytes:
    """The workbook with these in its rows, by their keys."""
    book, content = load_workbook(path), BytesIO()
    sheet = book["Offers"]
    keys = [str(cell.value) for cell in sheet[2]]
    for row in sheet.iter_rows(min_row=3):
        for name, value in values.items():
            row[keys.index(name)].value = value
    book.save(content)
    return content.getvalue()


def test_corrected_failed_rows_are_dropped_again(world: World) -> None:
    """Those left by a crash are replaced, but not while somebody corrects them."""

    def crash_before_it_was_noted() -> None:
        with world.ledger() as ledger:
            ledger.claims.settle(1, ClaimState.TAKEN, "")

    rows = (offer(1), offer(2, quantity="-1"), offer(3, quantity="-1"))
    assert world.send("a.csv", *rows) is Exit.ROWS
    failed, numbered = (world.folder.results / f"a.failed{end}.xlsx" for end in ("", "-2"))
    crash_before_it_was_noted()
    assert world.watch() is Exit.ROWS
    assert not numbered.exists()
    corrected = correct(failed, quantity="x")
    failed.write_bytes(corrected)
    crash_before_it_was_noted()
    assert world.watch() is Exit.ROWS
    assert failed.read_bytes() == corrected
    assert is_zipfile(numbered)
    assert world.summary("a")["sheets"][0]["failed"] == numbered.name
    numbered.unlink()
    # They are dropped, still wrong, and then right.
    assert world.send("a.failed.xlsx", content=corrected) is Exit.ROWS
    assert world.summary("a.failed")["sheets"][0]["failed"] == numbered.name
    assert world.send("a.failed.xlsx", content=correct(numbered, quantity="5")) is Exit.OK
    assert world.sent() == ["SKU-1", "SKU-2", "SKU-3"]


NOT_UTF8 = os.fsdecode(b"caf\xe9")
SOME = table([offer(1)]).encode()
BAD: dict[str, tuple[str, bytes, str, str]] = {
    "no header": ("a.xlsx", b"x,y\n1,2\n", "a.xlsx", ""),
    "empty": ("empty.xlsx", b"", "empty.xlsx", ""),
    "cut": ("cut.xlsx", b"PK\x03\x04 and no more", "cut.xlsx", ""),
    "not UTF-8": (f"{NOT_UTF8}.csv", SOME, f"{NOT_UTF8}.csv", "not UTF-8"),
    "no room for the answers": (f"{'x' * 243}.csv", SOME, f"{'x' * 235}.csv", "too long"),
    "more bytes than letters": (f"{'é' * 125}.csv", SOME, f"{'é' * 117}.csv", "too long"),
    "all of it an ending": (f"x.{'y' * 250}", SOME, f"x.{'y' * 237}", "too long"),
    "nobody's folder": (
        "nobody/a.csv",
        SOME,
        "nobody/a.csv",
        "“nobody” is not a profile or a kind",
    ),
    "one that is not UTF-8": (f"{NOT_UTF8}/a.csv", SOME, f"{NOT_UTF8}/a.csv", "is not a profile"),
    "long, in it": (f"no/{'x' * 251}.csv", SOME, f"no/{'x' * 235}.csv", "is not a profile"),
}


def test_bad_files_go_to_error_and_never_stop_the_next(world: World) -> None:
    for name, content, _, _ in BAD.values():
        world.drop(name, content=content)
    assert world.send("b.csv", offer(2)) is Exit.FILE
    refused = [f"error/{kept}{end}" for *_, kept, _ in BAD.values() for end in ("", ".reason.txt")]
    answered = [f"{DAY}/b.csv", "results/b.result.csv", "results/b.summary.json"]
    assert world.files() == sorted([*refused, *answered])
    for case, (*_, kept, reason) in BAD.items():
        assert reason in world.reason(kept)[0], case
    assert world.sent() == ["SKU-2"]
    assert world.claimed() == []


@pytest.mark.parametrize(
    "case", sample(("nobody's folder", "no header", "not UTF-8", "all of it an ending"), 1)
)
def test_only_a_bad_file_is_refused(world: World, case: str) -> None:
    name, content, kept, reason = BAD[case]
    assert world.send(name, content=content) is Exit.FILE
    assert world.files() == [f"error/{kept}", f"error/{kept}.reason.txt"]
    assert reason in world.reason(kept)[0]


def test_names_that_can_be_used(world: World) -> None:
    names = ("two\nlines", "bell\x07\x1b[31m", "x" * 242)
    world.drop_each(*(f"{name}.csv" for name in names))
    assert world.watch() is Exit.OK
    answers = [f"results/{name}.{end}" for name in names for end in ("result.csv", "summary.json")]
    done = [f"{DAY}/{name}.csv" for name in names]
    assert world.files() == sorted([*done, *answers])
    # A day does not fit behind the longest name.
    for number, name in enumerate(names[1:], 11):
        world.drop(f"{name}.csv", offer(number))
    assert world.watch() is Exit.FILE
    assert world.sent() == ["SKU-1", "SKU-2", "SKU-3", "SKU-11"]


@pytest.mark.parametrize(
    ("language", "copy", "reason"),
    sample(
        [
            (LanguageChoice(default="fr"), "Invalide\u00a0: ", "Le fichier est vide"),
            (LanguageChoice("es", "es"), "No válida: ", "El archivo está vacío"),
            (LanguageChoice(), "I quantity: -3", "The file is empty"),
        ],
        2,
    ),
)
def test_written_texts_are_in_the_account_s_language(
    world: World, language: LanguageChoice, copy: str, reason: str
) -> None:
    world.language = language
    world.drop("a.csv", offer(1, quantity="-3"))
    world.drop("b.csv", content=b"")
    assert world.watch() is Exit.FILE
    assert copy in (world.folder.results / "a.result.csv").read_text("utf-8")
    assert reason in world.reason("b.csv")[0]


def test_the_error_of_an_unclear_kind_names_its_folder(world: World) -> None:
    world.sellers = {"shop": "seller-1"}
    routes = ("", "shop/")
    for route in routes:
        world.drop(f"{route}a.csv", offer(1, taxes__VAT=None))
    assert world.watch() is Exit.FILE
    for route in routes:
        why, way = world.reason(f"{route}a.csv")
        assert "need the column VAT (%)" in why
        assert f"drop it into inbox/{route}offers-update/" in way
        assert "--as" not in way
    world.send("shop/offers-update/a.csv", offer(1, taxes__VAT=None))
    (sheet,) = world.summary("shop/offers-update/a")["sheets"]
    assert sheet["kind"] == "offers-update"


def test_a_bad_file_may_come_again(world: World) -> None:
    for _ in range(2):
        assert world.send("a.csv", content=b"x,y\n") is Exit.FILE
    bad = [place for place in world.files() if not place.endswith(".txt")]
    assert bad == ["error/a-2.csv", "error/a.csv"]


def test_the_hint_names_the_new_place_of_a_bad_file(world: World) -> None:
    for name in ("a.csv", "a-2.csv"):
        world.send("a.csv", content=b"Libelle;Couleur\nx;y\nz;w\n")
        assert f"feedtool map error/{name}" in world.reason(name)[1]


def test_a_bug_is_reported_and_the_next_file_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer_of(folder: Folder, claim: Claim, ending: str) -> Path:
        if claim.name == "a":
            raise ValueError(claim)
        return folder.results / f"{claim.name}{ending}"

    monkeypatch.setattr(Folder, "answer_of", answer_of)
    world.drop_each("a.csv", "b.csv")
    assert world.watch() is Exit.BUG
    assert world.reason("a.csv") == [
        "This is a bug in feedtool: ValueError.",
        "Please report it with the contents of report of ValueError",
    ]
    assert f"{DAY}/b.csv" in world.files()


def test_the_same_content_is_refused_for_some_days(world: World) -> None:
    assert world.send("a.csv", offer(1)) is Exit.OK
    world.same_within = timedelta(days=7, seconds=2)
    for days in (0, 7):
        world.today = NOON + timedelta(days=days, seconds=1)
        assert world.send(f"{days}.csv", offer(1)) is Exit.ROWS
        first, second = world.reason(f"{days}.csv")
        assert "was sent as a.csv on 2026-03-02" in first
        assert "run 1" in first
        assert "feedtool results 1" in second
    assert len(world.applied()) == 1
    world.today = NOON + timedelta(days=8, seconds=1)
    assert world.send("b.csv", offer(1)) is Exit.OK
    world.same_within = timedelta()
    world.today += timedelta(seconds=1)
    assert world.send("c.csv", offer(1)) is Exit.OK
    assert len(world.applied()) == 3


@pytest.mark.parametrize(
    ("names", "is_sent"), sample([("aaa", True), ("aba", False), ("abc", False)], 2)
)
def test_a_value_may_return_after_a_change(world: World, names: str, *, is_sent: bool) -> None:
    """A stock of ten, then of nine, then of ten, each in a file of this name."""
    for name, quantity in zip(names, ("10", "9", "10"), strict=True):
        world.send(f"{name}.csv", offer(1, quantity=quantity))
        world.today += timedelta(hours=1)
    assert len(world.applied()) == 2 + is_sent


def test_the_older_of_two_equal_files_is_sent(world: World) -> None:
    world.drop("b.csv", offer(1))
    assert world.send("a.csv", offer(1)) is Exit.ROWS
    assert {f"{DAY}/b.csv", "error/a.csv"} < set(world.files())
    for kind in ("offers-update", "offers-delete"):  # as another kind it is another
        world.send(f"{kind}/a.csv", {"sellerExternalReference": "SKU-1", "quantity": "3"})
    assert not [place for place in world.files() if place.startswith("error/offers-")]


def test_answers_of_one_name_never_overwrite_each_other(world: World) -> None:
    for number in range(1, 4):
        world.send("a.csv", offer(number))
    world.today += timedelta(days=1)
    world.drop("a.csv", offer(9))
    assert world.send("a.txt", offer(10)) is Exit.OK
    names = ("a", "a.2026-03-02", "a.2026-03-02-2", "a.2026-03-03", "a.2026-03-03-2")
    assert [world.summary(name)["run"] for name in names] == ["1", "2", "3", "4", "5"]
    assert len([place for place in world.files() if ".result." in place]) == 5
    assert "done/2026-03-03/a.2026-03-03-2.txt" in world.files()


LIST = f"{HEADER}\n{row_of(1)}\n{row_of(2)}\n".encode()
JOIN = """[join.stock]
file = "stock.csv"
key = { "Réf" = "ref" }
take = { quantity = "free" }
"""


def with_recipe(world: World, *, quantity: int = 20) -> Path:
    """The account's recipe, and the stock that it joins."""
    world.recipes = world.root / "mine"
    world.recipes.mkdir(exist_ok=True)
    (world.recipes / "dupont.toml").write_text(RECIPE + JOIN, "utf-8")
    stock = world.recipes / "stock.csv"
    stock.write_text(f"ref;free\nSKU-1;{quantity}\nSKU-2;{quantity}\n", "utf-8")
    return stock


def test_a_list_is_sent_by_the_recipe_of_its_account(world: World) -> None:
    with_recipe(world)
    assert world.send("a.csv", content=LIST) is Exit.OK
    assert [(request.reference, request.body["quantity"]) for request in world.applied()] == [
        ("SKU-1", 20),
        ("SKU-2", 20),
    ]
    (sheet,) = world.summary("a")["sheets"]
    assert sheet["recipe"]["path"] == str(world.root / "mine" / "dupont.toml")


def test_a_recipe_dropped_beside_a_file_is_ignored(world: World) -> None:
    world.folder.inbox.joinpath("recipes").mkdir()
    world.folder.inbox.joinpath("recipes/dupont.toml").write_text(RECIPE, "utf-8")
    world.send("a.csv", content=LIST)
    assert world.applied() == []
    assert "a.csv" in [path.name for path in world.folder.error.iterdir()]


def test_a_missing_stock_file_holds_the_file(world: World) -> None:
    with_recipe(world).unlink()
    assert world.send("a.csv", content=LIST) is Exit.FILE
    assert "[join.stock] file: there is no stock.csv in " in world.reason("a.csv")[0]


def test_another_machine_goes_on_with_the_first_recipe_and_stock(world: World) -> None:
    with_recipe(world)
    world.token = RunsOut("sandbox")
    world.drop("a.csv", content=LIST)
    assert world.watch() is Exit.AUTH
    world.token = StaticToken("sandbox")
    with_recipe(world, quantity=30).rename(world.root / "gone.csv")
    world.snapshots = "another"
    assert world.watch() is Exit.OK
    assert {request.body["quantity"] for request in world.applied()} == {20}
    left = [path.name for path in world.folder.processing.rglob("*") if path.is_file()]
    assert left == []
