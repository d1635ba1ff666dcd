"""Find recipes and the files that they join."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from feedtool.check.recipes.join_file import JoinFile, JoinUnusable, oldest
from feedtool.check.recipes.recipe import Recipe, parse_recipe, read_recipe
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.files import folder_of
from feedtool.model.text import did_you_mean, either, tr

FOLDER = "recipes"
"""The name of the folder, beside a sheet, and in the user's settings."""
PRESET = "preset:"
TEMPORARY = ("~$", ".")
"""The first characters of the names of temporary files beside an open one."""


class RecipeFolders(Struct, frozen=True):
    """The recipes of a command: the named one, else those of some folders."""

    clock: Callable[[], datetime]
    recipe: str | None = None
    """`--recipe`: a path, or `preset:NAME`."""
    profile: Path | None = None
    """The folder of the account's recipes and joined files."""
    user: Path | None = None
    """The folder in the user's settings."""
    is_dropped: bool = False
    """True if files beside the sheet do not count, since anybody may have put them there."""

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        """Return the named recipe or the account's, or else those beside the file and the user's.

        UsageProblem for an unusable one.
        """
        today = self.clock().date()
        if is_wanted and self.recipe:
            recipe = (
                preset(self.recipe.removeprefix(PRESET), today)
                if self.recipe.startswith(PRESET)
                else read_recipe(Path(self.recipe), today)
            )
            return [replace(recipe, is_wanted=True, must_fit=True)]
        if is_wanted:
            return [replace(recipe, is_wanted=True) for recipe in _in_folder(self.profile, today)]
        if self.recipe:
            return []
        beside = [] if self.is_dropped else _in_folder(path.parent / FOLDER, today)
        seen = {recipe.sha256 for recipe in (*_in_folder(self.profile, today), *beside)}
        user = [recipe for recipe in _in_folder(self.user, today) if recipe.sha256 not in seen]
        return [*beside, *user]

    def joined(self, recipe: Recipe, name: str, path: Path) -> list[JoinFile]:
        """Return the newest file for each name in a recipe's join.

        They are beside the sheet, else in the account's folder; for a dropped sheet only there.

        Raises:
            JoinUnusable: a file is missing, or too old.
            UsageProblem: the recipe's words for it cannot be understood.
        """
        files = recipe.file.join[name].files
        return [self.newest(recipe, name, file, path) for file in files]

    def newest(self, recipe: Recipe, name: str, file_name: str, path: Path) -> JoinFile:
        """Return the newest file that fits one of these names. Raises as `joined`."""
        join, place = recipe.file.join[name], recipe.place(f"join.{name}", "file")
        pattern = Path(file_name)
        if self.is_dropped and (pattern.is_absolute() or ".." in pattern.parts):
            raise UsageProblem(
                tr("{place}: {file} leaves the folder of recipes", place=place, file=file_name),
                tr("name a file in that folder"),
            )
        folders = [self.profile] if self.is_dropped else [path.parent, self.profile]
        groups = [max(_matching(folder, pattern, path), default=None) for folder in folders]
        newest_of_each = sorted(filter(None, groups), key=lambda group: not group[0])
        is_other, changed, newest = next(iter(newest_of_each), (False, 0.0, None))
        if newest and not (is_other or join.sheet):
            raise JoinUnusable(
                tr("{place}: {file} is the file that is read", place=place, file=path.name),
                tr('name the other file, or another sheet of this workbook: sheet = "Stock"'),
            )
        if newest is None:
            places = [str(folder.absolute()) for folder in folders if folder]
            where = either(places) if places else tr("a folder of recipes")
            raise JoinUnusable(
                tr(
                    "{place}: there is no {file} in {folder}",
                    place=place,
                    file=file_name,
                    folder=where,
                ),
                tr("bring it, or correct its name")
                if places
                else tr("name one as the profile's recipes"),
            )
        allowed = self.profile.resolve() if self.is_dropped and self.profile else None
        if allowed and not newest.resolve().is_relative_to(allowed):
            raise JoinUnusable(
                tr(
                    "{place}: {file} is a link that leaves the folder of recipes",
                    place=place,
                    file=newest.name,
                ),
                tr("put the file itself there"),
            )
        age = self.clock() - datetime.fromtimestamp(changed).astimezone()
        file = JoinFile(newest.name, newest, age)
        limit = oldest(join.too_old)
        if limit is not None and age > limit:
            raise JoinUnusable(
                tr(
                    "{file} is too old: [join.{name}] takes none older than {age}",
                    file=file.aged,
                    name=name,
                    age=join.too_old,
                ),
                tr("get a newer one, or change too_old in the recipe"),
            )
        return file

    def note_use(self, recipe: Recipe, path: Path) -> None:
        """Do nothing: this reading keeps no recipes."""


def _in_folder(folder: Path | None, today: date) -> list[Recipe]:
    paths = sorted(folder.glob("*.toml")) if folder and folder.is_dir() else []
    return [read_recipe(path, today) for path in paths]


def _matching(folder: Path | None, pattern: Path, sheet: Path) -> list[tuple[bool, float, Path]]:
    """Return the files of a pattern: whether each is another file, its last change, and its path.

    The file that is read counts only if there is no other, and a sheet of it is named. JoinUnusable
    if the folder cannot be read.
    """
    place = folder / pattern.parent if folder else None
    matching = []
    try:
        for file in place.iterdir() if place else ():
            if not fnmatchcase(file.name.casefold(), pattern.name.casefold()):
                continue
            with suppress(FileNotFoundError):  # it may vanish meanwhile
                if file.is_file() and not file.name.startswith(TEMPORARY):
                    is_other = not (sheet.exists() and file.samefile(sheet))
                    matching.append((is_other, file.stat().st_mtime, file))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise JoinUnusable(
            tr(
                "the folder {folder} of {file} cannot be read: {reason}",
                folder=str(place),
                file=str(pattern),
                reason=reason_of(error),
            ),
            tr("look at its name and its permissions"),
        ) from error
    return matching


# The recipes that come with feedtool.


def presets() -> list[str]:
    folder = folder_of("feedtool.check.recipes") / "presets"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir())


@lru_cache(64)
def preset(name: str, today: date) -> Recipe:
    """Return a preset; UsageProblem for an unknown name."""
    if name not in presets():
        raise UsageProblem(
            tr("there is no preset “{name}”", name=name), did_you_mean(name, presets())
        )
    text = (folder_of("feedtool.check.recipes") / "presets" / f"{name}.toml").read_text("utf-8")
    return parse_recipe(text, name, None, today)
