"""Where recipes and the files that they join are found, and kept with a run or a plan."""

import gzip
import hashlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from feedtool.check import RecipeBook
from feedtool.check.recipes.join import JoinFile, JoinUnusable
from feedtool.check.recipes.recipe import Recipe, parse_recipe, read_recipe
from feedtool.check.recipes.recipe_file import oldest
from feedtool.model.errors import FileProblem, UsageProblem, reason_of
from feedtool.model.sheet import CheckedSheet
from feedtool.model.spool import temporary_folder
from feedtool.model.text import either, tr
from feedtool.runs.presets import preset

FOLDER = "recipes"
"""Beside a sheet, and in the user's settings."""
PRESET = "preset:"
TEMPORARY = ("~$", ".")
"""The beginnings of the names of files that programs keep beside an open one."""


@dataclass(frozen=True)
class RecipeFolders:
    """The recipes of a command: the one that is named, else those of some folders."""

    clock: Callable[[], datetime]
    named: str | None = None
    """`--recipe`: a path, or `preset:NAME`."""
    profile: Path | None = None
    """The folder of the account's recipes and joined files."""
    user: Path | None = None
    """The folder in the user's settings."""
    is_dropped: bool = False
    """True if nothing that lies beside a file counts, since anybody may have dropped it."""

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        """The named recipe or the account's, or else those beside the file and the user's.

        UsageProblem for one that cannot be used.
        """
        today = self.clock().date()
        if is_wanted and self.named:
            return [replace(_named(self.named, today), is_wanted=True, must_fit=True)]
        if is_wanted:
            return [replace(recipe, is_wanted=True) for recipe in _in_folder(self.profile, today)]
        if self.named:
            return []
        beside = [] if self.is_dropped else _in_folder(path.parent / FOLDER, today)
        seen = {recipe.sha256 for recipe in (*_in_folder(self.profile, today), *beside)}
        user = [recipe for recipe in _in_folder(self.user, today) if recipe.sha256 not in seen]
        return [*beside, *user]

    def joined(self, recipe: Recipe, name: str, path: Path) -> JoinFile:
        """The newest file that a recipe's join names.

        It is beside the sheet, else in the account's folder; of a dropped sheet only there.

        Raises:
            JoinUnusable: there is none, or it is too old.
            UsageProblem: the recipe's words for it cannot be understood.
        """
        join, place = recipe.file.join[name], recipe.place(f"join.{name}", "file")
        pattern = Path(join.file)
        if self.is_dropped and (pattern.is_absolute() or ".." in pattern.parts):
            raise UsageProblem(
                tr("{place}: {file} leaves the folder of recipes", place=place, file=join.file),
                tr("name a file in that folder"),
            )
        folders = [self.profile] if self.is_dropped else [path.parent, self.profile]
        matching = next(
            filter(None, (_matching(folder, pattern, path) for folder in folders)), None
        )
        if not matching:
            places = [str(folder.absolute()) for folder in folders if folder]
            where = either(places) if places else tr("a folder of recipes")
            raise JoinUnusable(
                tr(
                    "{place}: there is no {file} in {folder}",
                    place=place,
                    file=join.file,
                    folder=where,
                ),
                tr("bring it, or correct its name")
                if places
                else tr("name one as the profile's recipes"),
            )
        changed, newest = max(matching)
        if self.is_dropped and self.profile and not _is_inside(newest, self.profile):
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
                tr("bring a newer one, or change too_old in the recipe"),
            )
        return file

    def note_use(self, recipe: Recipe, path: Path) -> None:
        """Nothing is kept."""


def _named(name: str, today: date) -> Recipe:
    if name.startswith(PRESET):
        return preset(name.removeprefix(PRESET), today)
    return read_recipe(Path(name), today)


def _in_folder(folder: Path | None, today: date) -> list[Recipe]:
    paths = sorted(folder.glob("*.toml")) if folder and folder.is_dir() else []
    return [read_recipe(path, today) for path in paths]


def _matching(folder: Path | None, pattern: Path, sheet: Path) -> list[tuple[float, Path]]:
    """The files of a pattern but for the sheet itself, each with the time of its last change.

    JoinUnusable where their folder cannot be read.
    """
    place = folder / pattern.parent if folder else None
    matching = []
    try:
        for file in place.iterdir() if place else ():
            if not fnmatchcase(file.name.casefold(), pattern.name.casefold()):
                continue
            with suppress(FileNotFoundError):  # it may vanish meanwhile
                is_other = file.is_file() and not (sheet.exists() and file.samefile(sheet))
                if is_other and not file.name.startswith(TEMPORARY):
                    matching.append((file.stat().st_mtime, file))
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


def _is_inside(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())


class KeptJoin(NamedTuple):
    """A joined file of a run or a plan."""

    file: str
    """Its name."""
    sha256: str
    seconds: float
    """Its age when it was chosen."""


class KeptRecipe(NamedTuple):
    """A recipe by which a file of a run or a plan was read."""

    file: str
    """The name of the file that was read."""
    name: str
    path: str | None
    sha256: str
    today: str
    """The day for `days_since`."""
    joins: Mapping[str, KeptJoin]
    is_wanted: bool
    must_fit: bool

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "KeptRecipe":
        """From what `_asdict` made, once it was JSON."""
        joins = {name: KeptJoin(*join) for name, join in kept["joins"].items()}
        return cls(**{**kept, "joins": joins})

    def digests(self) -> Iterator[str]:
        """The digests of all that it needs."""
        yield self.sha256
        yield from (join.sha256 for join in self.joins.values())


@dataclass
class RecordedRecipes:
    """The recipes of a command, where each that is used is kept, and each file that it joins."""

    book: RecipeBook
    keep: Callable[[Path], str]
    """Keeps a file; its SHA-256."""
    path_of: Callable[[str], Path]
    """The kept file of a SHA-256."""
    _joins: dict[tuple[Path, str], dict[str, JoinFile]] = field(default_factory=dict)
    _possible: dict[Path, dict[bool, Sequence[Recipe]]] = field(default_factory=dict)
    """Those that were asked for, by their file and whether they count for any sheet."""
    _used: dict[tuple[Path, str], Recipe] = field(default_factory=dict)

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        """Those of the command."""
        recipes = self.book.recipes(path, is_wanted=is_wanted)
        self._possible.setdefault(path, {})[is_wanted] = recipes
        return recipes

    def joined(self, recipe: Recipe, name: str, path: Path) -> JoinFile:
        """The file of a join, of which a copy is read that stays as it is."""
        joins = self._joins.setdefault((path, recipe.shown), {})
        if name not in joins:
            file = self.book.joined(recipe, name, path)
            joins[name] = file._replace(path=self.path_of(self.keep(file.path)))
        return joins[name]

    def note_use(self, recipe: Recipe, path: Path) -> None:
        """Remember that a file is read by a recipe."""
        self._used[path, recipe.shown] = recipe

    def kept(self, sheets: Iterable[CheckedSheet]) -> list[KeptRecipe]:
        """The recipes by which sheets were read, each kept with its joined files.

        Of a file that could not be read, all that might have been meant: later it must not be read
        without them.
        """
        failed = {Path(sheet.file) for sheet in sheets if sheet.error}
        kept = []
        for path, groups in self._possible.items():
            possible = list(chain.from_iterable(groups.values()))
            used = [recipe for recipe in possible if (path, recipe.shown) in self._used]
            meant = used or (possible if path in failed else ())
            kept += [self._kept(recipe, path, recipe.shown) for recipe in meant]
        return kept

    def _kept(self, recipe: Recipe, path: Path, shown: str) -> KeptRecipe:
        with temporary_folder() as folder:
            text = folder / "recipe.toml"
            text.write_text(recipe.text, "utf-8", newline="")
            sha256 = self.keep(text)
        joins = {
            name: KeptJoin(file.name, file.path.name, file.age.total_seconds())
            for name, file in self._joins.get((path, shown), {}).items()
        }
        place = str(recipe.path) if recipe.path else None
        return KeptRecipe(
            str(path),
            recipe.name,
            place,
            sha256,
            recipe.today.isoformat(),
            joins,
            recipe.is_wanted,
            recipe.must_fit,
        )


@dataclass(frozen=True)
class KeptRecipes:
    """The recipes of a run or a plan as they were, and the files that they joined."""

    kept: Sequence[KeptRecipe]
    path_of: Callable[[str], Path]
    """The kept file of a SHA-256; FileProblem where it is gone."""

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        """Those by which the file was read."""
        return [
            self._recipe(kept)
            for kept in self.kept
            if kept.file == str(path) and kept.is_wanted is is_wanted
        ]

    def _recipe(self, kept: KeptRecipe) -> Recipe:
        place = Path(kept.path) if kept.path else None
        text = self.path_of(kept.sha256).read_bytes().decode()
        recipe = parse_recipe(text, kept.name, place, date.fromisoformat(kept.today))
        return replace(recipe, is_wanted=kept.is_wanted, must_fit=kept.must_fit)

    def joined(self, recipe: Recipe, name: str, path: Path) -> JoinFile:
        """The file that was joined then."""
        for kept in self.kept:
            if kept.file == str(path) and kept.sha256 == recipe.sha256 and name in kept.joins:
                join = kept.joins[name]
                age = timedelta(seconds=join.seconds)
                return JoinFile(join.file, self.path_of(join.sha256), age)
        raise FileProblem(
            tr("the file of [join.{name}] was not kept", name=name), tr("send the file again")
        )

    def note_use(self, recipe: Recipe, path: Path) -> None:
        """It is kept already."""


def lines_of(recipes: RecordedRecipes, sheets: Iterable[CheckedSheet]) -> Iterator[dict[str, Any]]:
    """The recipes that were used, and what they were kept with, as the lines of a plan."""
    if kept := recipes.kept(sheets):
        yield {"recipes": [recipe._asdict() for recipe in kept]}
    for sha256 in dict.fromkeys(digest for recipe in kept for digest in recipe.digests()):
        packed = gzip.compress(recipes.path_of(sha256).read_bytes(), mtime=0)
        yield {"kept": sha256, "gzip": b64encode(packed).decode()}


def recipes_of(
    lines: Iterable[Mapping[str, Any]], folder: Path, names: Mapping[str, str]
) -> KeptRecipes:
    """The recipes of the lines of a plan, their files written into a folder.

    `names` are those of the files that were read by them: the names then, and now.
    """
    now = {str(Path(then)): str(Path(name)) for then, name in names.items()}
    kept: list[KeptRecipe] = []
    for line in lines:
        if "recipes" in line:
            kept = [KeptRecipe.from_json(recipe) for recipe in line["recipes"]]
            kept = [recipe._replace(file=now.get(recipe.file, recipe.file)) for recipe in kept]
        else:
            _unpack(line, folder)
    return KeptRecipes(kept, folder.joinpath)


def _unpack(line: Mapping[str, Any], folder: Path) -> None:
    """Writes a kept file into a folder, by its digest; UsageProblem where it is another file."""
    content = gzip.decompress(b64decode(line["gzip"]))
    if hashlib.sha256(content).hexdigest() != line["kept"]:
        raise UsageProblem(
            tr("a file that the plan keeps is not what its digest says"), tr("make the plan anew")
        )
    (folder / line["kept"]).write_bytes(content)
