"""The recipe of a file on the shelf, and of all files of an account.

What was said of the columns of a file counts for that file. Kept in the account's folder of recipes
it counts for every file with the same columns. What it takes the place of there stays beside it
under another name, and so does what is taken back.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check.recipes.recipe import Recipe
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import chosen
from feedtool.page.columns import FileReading, reading_of
from feedtool.page.session import PageSession
from feedtool.page.uploads import Choices, FileUpload, NotHere
from feedtool.runs.mapping import is_recognised
from feedtool.runs.recipe_text import free_place, write_recipe
from feedtool.runs.recipes import RecipeFolders
from feedtool.sheets.atomic_write import cannot_write

BEFORE, TAKEN_BACK = ".before", ".taken-back"
"""The ends of the names of recipes that do not count any more."""


def use_recipe(session: PageSession, file: FileUpload, text: str, choices: Choices) -> FileUpload:
    """Reads a file by a recipe from now on."""
    write_recipe(session.uploads.recipe(file), text)
    choices = msgspec.structs.replace(choices, has_recipe=True, as_in=None)
    return session.uploads.choose(file, choices, is_read_anew=True)


def use_none(session: PageSession, file: FileUpload) -> FileUpload:
    """Reads a file without a recipe of its own."""
    choices = msgspec.structs.replace(file.choices, has_recipe=False, kind=None)
    return session.uploads.choose(file, choices, is_read_anew=True)


def read_as_before(session: PageSession, file: FileUpload, before: FileUpload) -> FileUpload:
    """Reads a corrected file as the one whose place it takes.

    It is no corrected file, but a workbook of the rows to correct, if it is read without that and
    not with it.
    """
    was = before.choices
    if was.has_recipe:
        write_recipe(
            session.uploads.recipe(file), session.uploads.recipe(before).read_text("utf-8")
        )
    choices = Choices(kind=was.kind, sheets=was.sheets, has_recipe=was.has_recipe)
    again = msgspec.structs.replace(file, choices=choices)
    is_other = _reading(session, again).trouble and not _reading(session, file).trouble
    return file if is_other else session.uploads.save(again)


class RecipeInForce(NamedTuple):
    """The recipe by which a file is read, and its place among those of the account."""

    recipe: Recipe
    place: Path | None
    """Where it is kept for all files; None where it counts for one file alone."""
    earlier: Path | None
    """The recipe whose place it would take."""
    is_of_all: bool
    """True if what is kept counts for all accounts that have no folder of recipes."""

    @property
    def lines(self) -> Sequence[str]:
        """What it says."""
        return self.recipe.text.splitlines()


def recipe_in_force(session: PageSession, file: FileUpload) -> RecipeInForce:
    """The recipe by which a file is read; NotHere where there is none."""
    folders = session.accounts.recipes(file.account)
    folder = _folder(folders)
    recipe = _reading(session, file).recipe
    if recipe is None:
        raise NotHere(tr("this file is read without a recipe"))
    without = msgspec.structs.replace(file.choices, has_recipe=False)
    usual = _reading(session, msgspec.structs.replace(file, choices=without)).recipe
    is_in_folder = usual is not None and usual.path is not None and usual.path.parent == folder
    place = usual.path if usual and is_in_folder else None
    is_kept = place is not None and usual is not None and usual.text == recipe.text
    return RecipeInForce(
        recipe,
        place if is_kept else None,
        None if is_kept else place,
        folders.profile is None,
    )


def _reading(session: PageSession, file: FileUpload) -> FileReading:
    with session.accounts.reading(file.account) as base:
        return reading_of(session.uploads.input(file), chosen(session, base, file))


def _folder(folders: RecipeFolders) -> Path:
    """The folder in which recipes of an account are kept."""
    folder = folders.profile or folders.user
    if folder is None:
        raise ValueError("only accounts of a watched folder have none")
    return folder


def keep(session: PageSession, file: FileUpload) -> Path:
    """Keeps the recipe of a file for every file with the same columns; where.

    Raises:
        UsageProblem: such a file would be read otherwise all the same.
        CannotWrite: it cannot be written.
    """
    in_force = recipe_in_force(session, file)
    if in_force.place:
        return in_force.place
    folders = session.accounts.recipes(file.account)
    place = in_force.earlier or free_place(_folder(folders), Path(file.name))
    if in_force.earlier:
        _rename(place, _ended(place, BEFORE))
    try:
        write_recipe(place, in_force.recipe.text)
        _refuse_unread(session, file, place)
    except FeedtoolError:
        place.unlink(missing_ok=True)
        _bring_back(place)
        raise
    return place


def _refuse_unread(session: PageSession, file: FileUpload, place: Path) -> None:
    """UsageProblem where a file with the same columns would not be read by a kept recipe."""
    with session.accounts.reading(file.account) as base:
        options = replace(base, recipes=session.accounts.recipes(file.account))
        if not is_recognised(session.uploads.input(file), options, load(), place.stem):
            raise UsageProblem(
                tr("files with these columns are known without it, and would not be read by it"),
                tr("name a folder of recipes in the profile: what is kept there always counts"),
            )


def take_back(place: Path) -> None:
    """Makes a kept recipe count no more; the one whose place it took counts again."""
    _rename(place, _ended(place, TAKEN_BACK))
    _bring_back(place)


def _bring_back(place: Path) -> None:
    if (before := _ended(place, BEFORE)).exists():
        _rename(before, place)


def _ended(place: Path, end: str) -> Path:
    return place.with_name(place.name + end)


def _rename(place: Path, target: Path) -> None:
    try:
        place.replace(target)
    except OSError as error:
        raise cannot_write(target, error) from error
