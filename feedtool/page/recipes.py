"""The recipe of a file on the shelf, and of all files of an account.

What was said of the columns of a file counts for that file. Kept in the account's folder of recipes
it counts for every file with the same columns. What it takes the place of there stays beside it
under another name, and so does what is taken back.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from feedtool.areas.registry import load
from feedtool.check.recipes.recipe import Recipe
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import tr
from feedtool.page.checks import chosen
from feedtool.page.columns import reading_of
from feedtool.page.desk import Desk
from feedtool.page.shelf import Choices, NotHere, ShelfFile
from feedtool.runs.mapping import is_found
from feedtool.runs.recipe_text import free_place, write_recipe
from feedtool.runs.recipes import RecipeFolders
from feedtool.sheets.atomic_write import cannot_write

BEFORE, TAKEN_BACK = ".before", ".taken-back"
"""The ends of the names of recipes that do not count any more."""


def use_recipe(at: Desk, file: ShelfFile, text: str, choices: Choices) -> ShelfFile:
    """Reads a file by a recipe from now on."""
    write_recipe(at.shelf.recipe(file), text)
    choices = msgspec.structs.replace(choices, has_recipe=True)
    return at.shelf.choose(file, choices, is_read_anew=True)


def use_none(at: Desk, file: ShelfFile) -> ShelfFile:
    """Reads a file without a recipe of its own."""
    choices = msgspec.structs.replace(file.choices, has_recipe=False, kind=None)
    return at.shelf.choose(file, choices, is_read_anew=True)


def read_as_before(at: Desk, file: ShelfFile, before: ShelfFile) -> ShelfFile:
    """Reads a corrected file as the one whose place it takes."""
    was = before.choices
    if was.has_recipe:
        write_recipe(at.shelf.recipe(file), at.shelf.recipe(before).read_text("utf-8"))
    choices = Choices(kind=was.kind, sheets=was.sheets, has_recipe=was.has_recipe)
    return at.shelf.choose(file, choices, is_read_anew=True)


class Keeping(NamedTuple):
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


def keeping_of(at: Desk, file: ShelfFile) -> Keeping:
    """The recipe by which a file is read; NotHere where there is none."""
    folders = at.accounts.recipes(file.account)
    folder = _folder(folders)
    recipe = _recipe_in_force(at, file)
    if recipe is None:
        raise NotHere(tr("this file is read without a recipe"))
    without = msgspec.structs.replace(file.choices, has_recipe=False)
    usual = _recipe_in_force(at, msgspec.structs.replace(file, choices=without))
    is_in_folder = usual is not None and usual.path is not None and usual.path.parent == folder
    place = usual.path if usual and is_in_folder else None
    is_kept = place is not None and usual is not None and usual.text == recipe.text
    return Keeping(
        recipe,
        place if is_kept else None,
        None if is_kept else place,
        folders.profile is None,
    )


def _recipe_in_force(at: Desk, file: ShelfFile) -> Recipe | None:
    with at.accounts.reading(file.account) as base:
        return reading_of(at.shelf.input(file), chosen(at, base, file)).recipe


def _folder(folders: RecipeFolders) -> Path:
    """The folder in which recipes of an account are kept; UsageProblem where it has none."""
    if folder := folders.profile or folders.user:
        return folder
    raise UsageProblem(tr("there is no folder of recipes"), tr("name one in the profile: recipes"))


def keep(at: Desk, file: ShelfFile) -> Path:
    """Keeps the recipe of a file for every file with the same columns; where.

    Raises:
        UsageProblem: such a file would be read otherwise all the same.
        CannotWrite: it cannot be written.
    """
    keeping = keeping_of(at, file)
    if keeping.place:
        return keeping.place
    folders = at.accounts.recipes(file.account)
    place = keeping.earlier or free_place(_folder(folders), Path(file.name))
    if keeping.earlier:
        _rename(place, place.with_name(place.name + BEFORE))
    write_recipe(place, keeping.recipe.text)
    try:
        with at.accounts.reading(file.account) as base:
            options = replace(base, recipes=folders)
            is_taken = is_found(at.shelf.input(file), options, load(), place.stem)
    except FeedtoolError:
        take_back(place)
        raise
    if not is_taken:
        take_back(place)
        raise UsageProblem(
            tr("a file with these columns is known without it, so that it would not be read by it"),
            tr("name a folder of recipes in the profile: what is kept there always counts"),
        )
    return place


def take_back(place: Path) -> None:
    """Makes a kept recipe count no more; the one whose place it took counts again."""
    before = place.with_name(place.name + BEFORE)
    _rename(place, place.with_name(place.name + TAKEN_BACK))
    if before.exists():
        _rename(before, place)


def _rename(place: Path, target: Path) -> None:
    try:
        place.replace(target)
    except OSError as error:
        raise cannot_write(target, error) from error
