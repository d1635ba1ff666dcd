"""The recipe of an upload, and of all files of an account.

The recipe of an upload's columns counts for that file. Kept in the account's folder of recipes
it counts for every file with the same columns. A recipe that it replaces there stays beside it
under another name, and so does a recipe that is taken back.
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
from feedtool.page.checks import options_for
from feedtool.page.columns import FileReading, reading_of
from feedtool.page.session import PageSession
from feedtool.page.uploads import Choices, FileUpload, NotHere
from feedtool.runs.mapping import is_recognised
from feedtool.runs.recipe_text import free_place, write_recipe
from feedtool.runs.recipes import RecipeFolders
from feedtool.sheets.atomic_write import cannot_write

BEFORE, TAKEN_BACK = ".before", ".taken-back"
"""The endings of recipes that do not count any more."""


def use_recipe(session: PageSession, file: FileUpload, text: str, choices: Choices) -> FileUpload:
    write_recipe(session.uploads.recipe(file), text)
    choices = msgspec.structs.replace(choices, has_recipe=True, as_in=None)
    return session.uploads.choose(file, choices, is_read_anew=True)


def drop_recipe(session: PageSession, file: FileUpload) -> FileUpload:
    choices = msgspec.structs.replace(file.choices, has_recipe=False, kind=None)
    return session.uploads.choose(file, choices, is_read_anew=True)


def read_as_before(session: PageSession, file: FileUpload, before: FileUpload) -> FileUpload:
    """Read a corrected file with the choices of its predecessor.

    If it can only be read without them, it is a workbook of the rows to correct, and keeps its own.
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
    """The recipe of a file, and its place in the account's folder."""

    recipe: Recipe
    place: Path | None
    """Its place if it is kept for all files; None if it counts for one file."""
    earlier: Path | None
    """The kept recipe that it would replace."""
    is_of_all: bool
    """True if kept recipes count for all accounts without a folder of recipes."""

    @property
    def lines(self) -> Sequence[str]:
        return self.recipe.text.splitlines()


def recipe_in_force(session: PageSession, file: FileUpload) -> RecipeInForce:
    """The recipe of a file; NotHere if it has none."""
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
        return reading_of(session.uploads.input(file), options_for(session, base, file))


def _folder(folders: RecipeFolders) -> Path:
    folder = folders.profile or folders.user
    if folder is None:
        raise ValueError("only accounts of a watched folder have none")
    return folder


def keep(session: PageSession, file: FileUpload) -> Path:
    """Keep the recipe of a file for every file with the same columns; return its place.

    Raises:
        UsageProblem: such a file would still be read without the recipe.
        CannotWrite: the recipe cannot be written.
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
    """Raise UsageProblem if a kept recipe would not be used for the file's columns."""
    with session.accounts.reading(file.account) as base:
        options = replace(base, recipes=session.accounts.recipes(file.account))
        if not is_recognised(session.uploads.input(file), options, load(), place.stem):
            raise UsageProblem(
                tr("files with these columns are known without it, and would not be read by it"),
                tr("name a folder of recipes in the profile: what is kept there always counts"),
            )


def take_back(place: Path) -> None:
    """Take back a kept recipe; the one that it replaced counts again."""
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
