"""The places of recipes and joined files, and their copies in runs and plans."""

import gzip
import os
from base64 import b64encode
from pathlib import Path

import pytest
from msgspec.structs import replace

from feedtool.areas.registry import load as areas
from feedtool.check import Input, ReadOptions, check
from feedtool.check.recipes.join_file import JoinUnusable
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import UsageProblem
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.corrections import write_corrections
from feedtool.runs.kept_recipes import (
    KeptJoin,
    KeptRecipe,
    KeptRecipes,
    RecordedRecipes,
    read_recipe_lines,
)
from feedtool.runs.outputs import Outputs
from feedtool.runs.plan_file import Account, conditions_of, load, save
from feedtool.runs.recipes import RecipeFolders, preset, presets
from feedtool.runs.submit import submit
from feedtool.runs.workspace import check_again, options_of
from tests.check.recipes.conftest import HEADER, NOW, RECIPE, bodies, row, stock_file
from tests.conftest import Files, offer, planned
from tests.runs.conftest import Desk, statuses

JOIN = """[join.stock]
file = "stock-*.csv"
key = { "Réf" = "ref" }
take = { quantity = "free" }
"""
STOCK = "ref;free\nSKU-1;20\n"


def supplier(files: Files, more: str = JOIN, *rows: str) -> Path:
    """A list, its recipe beside it, and the stock that the recipe joins."""
    files.text(RECIPE + more, "recipes/dupont.toml")
    stock_file(files, STOCK)
    return files.text("\n".join([HEADER, *(rows or (row(),))]) + "\n", "list.csv")


def folders() -> RecipeFolders:
    """The recipe folders of a command: only those beside its files."""
    return RecipeFolders(lambda: NOW)


@pytest.mark.parametrize("name", presets())
def test_the_recipes_that_ship_can_be_read(name: str) -> None:
    assert preset(name, NOW.date()).shown == f"preset:{name}"


def test_a_preset_that_is_not_there(files: Files) -> None:
    with pytest.raises(UsageProblem, match="no preset “shopfy”") as caught:
        replace(folders(), recipe="preset:shopfy").recipes(
            files.folder / "list.csv", is_wanted=True
        )
    assert caught.value.hint == "did you mean shopify?"


def watched_recipes(files: Files, file: str) -> RecipeFolders:
    """A watched folder whose account has a recipe that joins this file."""
    files.text(RECIPE + JOIN.replace("stock-*.csv", file), "mine/dupont.toml")
    return RecipeFolders(lambda: NOW, profile=files.folder / "mine", is_dropped=True)


def test_in_a_watched_folder_only_the_account_s_recipes_and_files_count(files: Files) -> None:
    path, book = supplier(files), watched_recipes(files, "stock-*.csv")
    (recipe,) = book.recipes(path, is_wanted=True)
    assert recipe.path == files.folder / "mine" / "dupont.toml"
    with pytest.raises(JoinUnusable, match=r"there is no stock-\*\.csv in .*/mine$"):
        book.joined(recipe, "stock", path)  # though one is beside the list
    kept = stock_file(files, STOCK, "mine/stock-0.csv", hours=4)
    (joined,) = book.joined(recipe, "stock", path)
    assert joined.path == kept
    assert list(replace(book, profile=None).recipes(path, is_wanted=True)) == []


@pytest.mark.parametrize("file", ["../stock-1.csv", "a/../../stock-1.csv", "/srv/stock-1.csv"])
def test_a_join_of_a_watched_folder_never_leaves_it(files: Files, file: str) -> None:
    path, book = supplier(files), watched_recipes(files, file)
    with pytest.raises(UsageProblem, match=r"\[join\.stock\] file: .* leaves the folder"):
        book.joined(book.recipes(path, is_wanted=True)[0], "stock", path)


def test_nor_by_a_link(files: Files) -> None:
    path, book = supplier(files), watched_recipes(files, "stock-*.csv")
    (files.folder / "mine" / "stock-1.csv").symlink_to(files.folder / "stock-1.csv")
    with pytest.raises(JoinUnusable, match="is a link that leaves the folder"):
        book.joined(book.recipes(path, is_wanted=True)[0], "stock", path)


def test_the_error_of_an_unreadable_folder_names_the_reason(files: Files) -> None:
    path = supplier(files, JOIN.replace("stock-*", f"{'x' * 300}/stock-*"))
    (recipe,) = folders().recipes(path, is_wanted=False)
    with pytest.raises(JoinUnusable, match=r"cannot be read: File name too long$"):
        folders().joined(recipe, "stock", path)


def test_a_joined_file_that_vanishes_meanwhile_is_skipped(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, gone = supplier(files), stock_file(files, STOCK, "stock-2.csv", hours=0)
    (recipe,) = folders().recipes(path, is_wanted=False)
    is_file = Path.is_file

    def vanishing(file: Path) -> bool:
        was_there = is_file(file)
        if file == gone:
            file.unlink()
        return was_there

    monkeypatch.setattr(Path, "is_file", vanishing)
    assert [file.name for file in folders().joined(recipe, "stock", path)] == ["stock-1.csv"]


def read(path: Path, options: ReadOptions) -> list[CheckedSheet]:
    return check([Input(str(path), path)], options, areas())


def test_a_run_is_checked_again_by_the_same_recipe(desk: Desk, files: Files) -> None:
    """Recipe, defaults, joined file and day; and a file that no recipe fitted is not sent then."""
    days = "[compute]\npreparationTime = \"days_since('2026-11-18')\"\n"
    path = supplier(files, days.partition("\n")[2] + JOIN)
    unfit = files.text(path.read_text("utf-8").replace("EAN", "Barcode"), "unfit.csv")
    inputs = [Input(str(file), file) for file in (path, unfit)]
    options = ReadOptions(recipes=folders(), defaults={"price.originPrice": "90"})
    sent = submit(inputs, options, Outputs(), desk.session, desk.workspace)
    assert statuses(sent) == [[(2, "Integrated")], []]
    files.text(RECIPE.replace("* 2", "* 9"), "recipes/dupont.toml")
    (files.folder / "stock-1.csv").unlink()
    again, other = check_again(options_of(1, desk.workspace), desk.workspace)
    (body,) = bodies(again).values()
    assert (body["quantity"], body["preparationTime"]) == (20, 2)
    assert body["price"]["originPrice"] == 90
    assert again.kind_reason == sent.outcomes[0].checked.kind_reason
    assert (other.error and other.error.message) == (
        sent.outcomes[1].checked.error and sent.outcomes[1].checked.error.message
    )


def test_a_run_is_judged_again_by_all_files_of_a_join(desk: Desk, files: Files) -> None:
    several = JOIN.replace('"stock-*.csv"', '["stock-1.csv", "more.csv"]')
    path = supplier(files, several + 'pick = "sum free"\n')
    stock_file(files, "ref;free\nSKU-1;3\n", "more.csv", hours=2)
    options = ReadOptions(recipes=folders())
    sent = submit([Input(str(path), path)], options, Outputs(), desk.session, desk.workspace)
    for name in ("stock-1.csv", "more.csv"):
        (files.folder / name).unlink()
    (again,) = check_again(options_of(1, desk.workspace), desk.workspace)
    assert [body["quantity"] for body in bodies(again).values()] == [23]
    assert again.kind_reason == sent.outcomes[0].checked.kind_reason
    assert again.kind_reason.endswith("stock-1.csv (1 h old), more.csv (2 h old)")


def test_a_join_that_an_earlier_version_kept_is_of_one_file() -> None:
    kept = KeptRecipe("list.csv", "a", None, "1", "2026-11-20", {}, is_wanted=True, must_fit=False)
    for joins in (["stock.csv", "2", 60.0], [["stock.csv", "2", 60.0]]):
        read = KeptRecipe.from_json({**kept._asdict(), "joins": {"stock": joins}})
        assert read.joins == {"stock": [KeptJoin("stock.csv", "2", 60.0)]}
        assert list(read.digests()) == ["1", "2"]


def test_a_snapshot_that_is_gone_is_named(desk: Desk, files: Files) -> None:
    path = supplier(files)
    submit(
        [Input(str(path), path)],
        ReadOptions(recipes=folders()),
        Outputs(),
        desk.session,
        desk.workspace,
    )
    options = options_of(1, desk.workspace)
    (kept,) = options.snapshots.recipes
    desk.workspace.snapshots.path_of(kept.joins["stock"][0].sha256).unlink()
    (sheet,) = check_again(options, desk.workspace)
    assert sheet.error is not None
    assert "cannot be read" in sheet.error.message


def test_a_plan_has_the_recipe_and_the_joined_file_in_it(files: Files) -> None:
    path, place = supplier(files), files.folder / "plan.jsonl"
    kept = Snapshots(files.folder / "kept")
    recorded = RecordedRecipes(folders(), kept.keep, kept.path_of)
    sheets = read(path, ReadOptions(recipes=recorded))
    conditions = conditions_of([(str(path), "aa")], ReadOptions(), Account())
    save(place, conditions, planned(sheets), words={}, effects={}, now=NOW, recipes=recorded)
    digest = load(place).digest
    stock_file(files, STOCK.replace("20", "30"))
    (files.folder / "recipes" / "dupont.toml").unlink()
    moved = path.rename(files.folder / "moved.csv")
    (folder := files.folder / "unpacked").mkdir()
    book = load(place).recipes(folder, [str(moved)])
    again = read(moved, ReadOptions(recipes=book))
    load(place).refuse_changes(planned(again))
    # Another recipe is another plan.
    supplier(files)
    files.text(RECIPE + JOIN + "# more\n", "recipes/dupont.toml")
    path = moved.rename(path)
    recorded = RecordedRecipes(folders(), kept.keep, kept.path_of)
    sheets = read(path, ReadOptions(recipes=recorded))
    save(place, conditions, planned(sheets), words={}, effects={}, now=NOW, recipes=recorded)
    assert load(place).digest != digest


def test_a_plan_without_recipes_has_none(files: Files) -> None:
    assert read_recipe_lines([], files.folder, {}) == KeptRecipes([], files.folder.joinpath)


def test_a_plan_writes_no_file_but_by_its_digest(files: Files) -> None:
    packed = b64encode(gzip.compress(b"ref;dispo")).decode()
    with pytest.raises(UsageProblem, match="its digest"):
        read_recipe_lines([{"kept": "../stock.csv", "gzip": packed}], files.folder, {})


def test_rows_to_correct_are_written_as_in_the_list(desk: Desk, files: Files) -> None:
    """The same recipe reads them, and answers are at the cells of the computed values."""
    path = supplier(files, JOIN, row(1), row(2, cost="n/a"))
    target = files.folder / "list.result.csv"
    options = ReadOptions(recipes=folders())
    submit(
        [Input(str(path), path)],
        options,
        Outputs({str(path): target}),
        desk.session,
        desk.workspace,
    )
    place = files.folder / "list.failed.xlsx"
    write_corrections(1, desk.workspace, NOW, out=place)
    os.utime(files.folder / "stock-1.csv", (NOW.timestamp(), NOW.timestamp()))
    (sheet,) = read(place, options)
    (problem,) = [problem for problem in sheet.problems() if problem.row]
    assert (problem.row, problem.column, problem.code) == (3, "C", "recipe-failed")
    assert sheet.kind_reason.startswith("recipe dupont; 7 fields from it; 0 of 1 rows")


def test_rows_to_correct_have_the_defaults_that_they_were_sent_with(
    desk: Desk, files: Files
) -> None:
    """Their workbook is a template's, and can be sent without the defaults."""
    rows = [offer(1, quantity="-1", preparationTime=None), offer(2, preparationTime=None)]
    path = files.csv(*rows, name="list.csv")
    options = ReadOptions(defaults={"preparationTime": "4"})
    submit([Input(str(path), path)], options, Outputs(), desk.session, desk.workspace)
    place = files.folder / "list.failed.xlsx"
    write_corrections(1, desk.workspace, NOW, out=place)
    (sheet,) = read(place, ReadOptions())
    assert [problem.code for problem in sheet.problems()] == ["number-range"]
    assert sheet.header is not None
    assert sheet.header.index_of("preparationTime") is not None
