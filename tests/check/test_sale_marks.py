"""Columns of the user's own that say which rows are not for sale."""

import pytest

from feedtool.check.sale_marks import HEADERS, About, about_of
from feedtool.model.sheet import INVALID, VALID
from tests.conftest import Files, checked, offer, update

MARKS: dict[tuple[str, str], bool] = {
    # Header and cell: whether the row is for sale.
    ("Actif", "non"): False,
    ("Actif", "0"): False,
    ("Actif", "FAUX"): False,
    ("Actif", "inactif"): False,
    ("Actif (0/1)", "0"): False,
    ("Active", "FALSE"): False,
    ("Active", "No"): False,
    ("Activo", "no"): False,
    ("Aktiv", "nein"): False,
    ("En ligne", "Non"): False,
    ("Online", "n"): False,
    ("is_published", "false"): False,
    ("is_active", "f"): False,
    ("Produit actif", "non"): False,
    ("Article actif (O/N)", "N"): False,
    ("À vendre", "non"): False,
    ("deleted", "1"): False,
    ("deleted", "TRUE"): False,
    ("deleted_at", "2026-01-31"): False,
    ("Supprimé", "oui"): False,
    ("Supprimé", "x"): False,
    ("Inactive", "yes"): False,
    ("Désactivé", "1"): False,
    ("Gelöscht", "ja"): False,
    ("update-delete", "DELETE"): False,
    ("update_delete", " delete "): False,
    ("add-delete", "x"): False,
    ("add-delete", "d"): False,
    ("*Action(SiteID=France|Country=FR|Currency=EUR)", "Delete"): False,
    ("*Action(SiteID=France|Country=FR|Currency=EUR)", "End"): False,
    ("Statut", "inactif"): False,
    ("Statut", "Supprimé"): False,
    ("Statut", "archivé"): False,
    ("Status", "Draft"): False,
    ("Stato", "archiviato"): False,
    ("Actif", "0.0"): False,
    ("Actif", "✗"): False,
    ("Actif", "☐"): False,
    ("deleted", "1.0"): False,
    ("deleted", "✓"): False,
    ("Visible en ligne", "non"): False,
    ("Statut de vente", "archivé"): False,
    ("Date de suppression", "2026-01-31"): False,
    ("discontinued", "yes"): False,
    # They stay as they are.
    ("Actif", "oui"): True,
    ("Actif", "1"): True,
    ("Actif", "VRAI"): True,
    ("Actif", "1.0"): True,
    ("Actif", "✔\ufe0f"): True,
    ("deleted", "0.0"): True,
    ("deleted", "☐"): True,
    ("deleted", "-"): True,
    ("discontinued", "no"): True,
    ("Actif", ""): True,
    ("Active", "x"): True,
    ("En ligne", "Publié"): True,
    ("deleted", "0"): True,
    ("deleted", "no"): True,
    ("deleted", ""): True,
    ("deleted_at", ""): True,
    ("deleted_at", "NULL"): True,
    ("deleted_at", "0000-00-00 00:00:00"): True,
    ("is_active", "t"): True,
    ("Active", "NULL"): True,
    ("Inactive", "no"): True,
    ("Supprimé", "non"): True,
    ("update-delete", "update"): True,
    ("update-delete", ""): True,
    ("add-delete", "a"): True,
    ("*Action(SiteID=France|Country=FR|Currency=EUR)", "Revise"): True,
    ("Statut", "actif"): True,
    ("Status", "Active"): True,
    ("Status", "1"): True,
    ("Status", ""): True,
    ("State", "Very good"): True,
    ("Note", "supprimé"): True,
    ("Couleur", "non"): True,
    ("Promotion active", "non"): True,
    ("Visible", "0"): True,
    ("Supplier deleted stock", "1"): True,
    ("feedtool status", "Invalid"): True,
    ("Description", "delete"): True,
}


@pytest.mark.parametrize(("header", "cell"), MARKS)
def test_a_row_that_is_not_for_sale_is_invalid(files: Files, header: str, cell: str) -> None:
    (sheet,) = checked(files.csv({**offer(1), header: cell}, {**offer(2), header: ""}))
    (is_for_sale, codes) = (MARKS[header, cell], {problem.code for problem in sheet.problems()})
    assert [sheet.rows.marks[row] for row in (2, 3)] == [VALID if is_for_sale else INVALID, VALID]
    assert ("sale-mark" in codes, "sale-mark-unclear" in codes) == (not is_for_sale, False)


UNCLEAR = {
    ("Statut", "Nouveau"): 1,
    ("Statut", "Rupture"): 1,
    ("Actif", "peut-être"): 1,
    ("Published", "-1"): 1,
    ("deleted", "✗"): 1,
    ("update-delete", "?!7"): 1,
    ("State", "Neuf"): 0,
    ("Statut", "-"): 0,
}


@pytest.mark.parametrize(("header", "cell"), UNCLEAR)
def test_an_unclear_sale_mark_is_reported_once(files: Files, header: str, cell: str) -> None:
    (sheet,) = checked(files.csv(*({**offer(number), header: cell} for number in range(3))))
    told = [problem for problem in sheet.problems() if problem.code == "sale-mark-unclear"]
    assert (len(told), sheet.rows.marks.count(VALID)) == (UNCLEAR[header, cell], 3)
    assert all((problem.row, problem.severity) == (None, "warning") for problem in told)


ROWS = {
    "an action is given": ({**offer(), "action": "Upsert", "Statut": "supprimé"}, VALID),
    "a Delete": ({**offer(), "action": "Delete", "Statut": "supprimé"}, VALID),
    "no stock": ({**offer(quantity="0"), "Actif": "non"}, VALID),
    "no stock, and to be deleted": ({**offer(quantity="0"), "update-delete": "delete"}, INVALID),
    "a stock list": ({**update(quantity="5"), "Actif": "non"}, INVALID),
    "a stock list without stock": ({**update(quantity="0"), "Actif": "non"}, VALID),
}


@pytest.mark.parametrize(("row", "mark"), ROWS.values(), ids=ROWS)
def test_the_action_of_a_row_decides_about_its_mark(
    files: Files, row: dict[str, str], mark: int
) -> None:
    (sheet,) = checked(files.csv(row))
    assert sheet.rows.marks[2] == mark, list(sheet.problems())


def test_a_delete_may_have_a_sale_mark(files: Files) -> None:
    (sheet,) = checked(
        files.csv({"sellerExternalReference": "A", "Statut": "supprimé"}), kind="offers-delete"
    )
    assert sheet.rows.marks[2] == VALID


def test_the_message_names_the_column_and_the_ways_out(files: Files) -> None:
    (sheet,) = checked(files.csv({**offer(), "Actif": "non"}))
    (problem,) = [it for it in sheet.problems() if it.code == "sale-mark"]
    assert (problem.row, problem.header, problem.value) == (2, "Actif", "non")
    assert problem.message == "“Actif” in J says “non”: it is not for sale"
    for way in ("action", "feedtool map", "[not_for_sale]", '"Actif" = false'):
        assert way in problem.hint


def test_each_header_is_of_one_sort() -> None:
    every = [name for names in HEADERS.values() for name in names]
    assert len(every) == len(set(every))
    assert about_of("Action(x)") is About.ACTION
