"""Recipes, and the files that they join, kept with a run or a plan."""

import gzip
import hashlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.check import RecipeBook
from feedtool.check.recipes.join_file import JoinFile
from feedtool.check.recipes.recipe import Recipe, parse_recipe
from feedtool.model.disk_list import temporary_folder
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.sheet import CheckedSheet
from feedtool.model.text import tr


class KeptJoin(NamedTuple):
    """A joined file of a run or a plan."""

    file: str
    sha256: str
    seconds: float
    """The age of the file when it was chosen."""


class KeptRecipe(NamedTuple):
    """A recipe by which a file of a run or a plan was read."""

    file: str
    """The name of the file that was read."""
    name: str
    path: str | None
    sha256: str
    today: str
    """The day for `days_since`."""
    joins: Mapping[str, Sequence[KeptJoin]]
    """The files of each join."""
    is_wanted: bool
    must_fit: bool

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "KeptRecipe":
        """Return the recipe of the JSON of `_asdict`."""
        joins = {
            # Older versions kept a single file for a join, without a list.
            name: [KeptJoin(*join) for join in ([files] if isinstance(files[0], str) else files)]
            for name, files in kept["joins"].items()
        }
        return cls(**{**kept, "joins": joins})

    def digests(self) -> Iterator[str]:
        yield self.sha256
        yield from (join.sha256 for joins in self.joins.values() for join in joins)


class RecordedRecipes(Struct):
    """The recipes of a command; each that is used is kept, with the files that it joins."""

    book: RecipeBook
    keep: Callable[[Path], str]
    """Keeps a file, and returns its SHA-256."""
    path_of: Callable[[str], Path]
    """Returns the kept file of a SHA-256."""
    _joins: dict[tuple[Path, str], dict[str, Sequence[JoinFile]]] = field(default_factory=dict)
    _possible: dict[Path, dict[bool, Sequence[Recipe]]] = field(default_factory=dict)
    """The recipes that were read, by file, and by whether they count for any sheet."""
    _used: dict[tuple[Path, str], Recipe] = field(default_factory=dict)

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        recipes = self.book.recipes(path, is_wanted=is_wanted)
        self._possible.setdefault(path, {})[is_wanted] = recipes
        return recipes

    def joined(self, recipe: Recipe, name: str, path: Path) -> Sequence[JoinFile]:
        """Return the files of a join, as copies that do not change."""
        joins = self._joins.setdefault((path, recipe.shown), {})
        if name not in joins:
            files = self.book.joined(recipe, name, path)
            joins[name] = [file._replace(path=self.path_of(self.keep(file.path))) for file in files]
        return joins[name]

    def note_use(self, recipe: Recipe, path: Path) -> None:
        self._used[path, recipe.shown] = recipe

    def kept(self, sheets: Iterable[CheckedSheet]) -> list[KeptRecipe]:
        """Keep the recipes by which sheets were read, each with its joined files.

        For a file that could not be read, keep all possible recipes: later it must not be read
        without them.
        """
        failed = {Path(sheet.file) for sheet in sheets if sheet.error}
        kept = []
        for path, groups in self._possible.items():
            possible = list(chain.from_iterable(groups.values()))
            used = [recipe for recipe in possible if (path, recipe.shown) in self._used]
            meant = used or (possible if path in failed else ())
            kept += [self._kept(recipe, path) for recipe in meant]
        return kept

    def _kept(self, recipe: Recipe, path: Path) -> KeptRecipe:
        with temporary_folder() as folder:
            text = folder / "recipe.toml"
            text.write_text(recipe.text, "utf-8", newline="")
            sha256 = self.keep(text)
        joins = {
            name: [KeptJoin(file.name, file.path.name, file.age.total_seconds()) for file in files]
            for name, files in self._joins.get((path, recipe.shown), {}).items()
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


class KeptRecipes(Struct, frozen=True):
    """The recipes of a run or a plan, unchanged since, and the files that they joined."""

    kept: Sequence[KeptRecipe]
    path_of: Callable[[str], Path]
    """Returns the kept file of a SHA-256; FileProblem if it is gone."""

    def recipes(self, path: Path, *, is_wanted: bool) -> Sequence[Recipe]:
        """Return the recipes by which the file was read."""
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

    def joined(self, recipe: Recipe, name: str, path: Path) -> Sequence[JoinFile]:
        for kept in self.kept:
            if kept.file == str(path) and kept.sha256 == recipe.sha256 and name in kept.joins:
                return [
                    JoinFile(join.file, self.path_of(join.sha256), timedelta(seconds=join.seconds))
                    for join in kept.joins[name]
                ]
        raise FileProblem(
            tr("the file of [join.{name}] was not kept", name=name), tr("send the file again")
        )

    def note_use(self, recipe: Recipe, path: Path) -> None:
        """Do nothing: the recipe is kept already."""


def recipe_lines(
    recipes: RecordedRecipes, sheets: Iterable[CheckedSheet]
) -> Iterator[dict[str, Any]]:
    """Yield the recipes that were used, and the files kept with them, as the lines of a plan."""
    if kept := recipes.kept(sheets):
        yield {"recipes": [recipe._asdict() for recipe in kept]}
    for sha256 in dict.fromkeys(digest for recipe in kept for digest in recipe.digests()):
        packed = gzip.compress(recipes.path_of(sha256).read_bytes(), mtime=0)
        yield {"kept": sha256, "gzip": b64encode(packed).decode()}


def read_recipe_lines(
    lines: Iterable[Mapping[str, Any]], folder: Path, names: Mapping[str, str]
) -> KeptRecipes:
    """Return the recipes of the lines of a plan; their files are written into a folder.

    `names` are those of the files that the recipes read: the former names, and the present ones.
    UsageProblem if the content of a kept file differs from its digest.
    """
    now = {str(Path(then)): str(Path(name)) for then, name in names.items()}
    kept: list[KeptRecipe] = []
    for line in lines:
        if "recipes" in line:
            kept = [KeptRecipe.from_json(recipe) for recipe in line["recipes"]]
            kept = [recipe._replace(file=now.get(recipe.file, recipe.file)) for recipe in kept]
        else:
            content = gzip.decompress(b64decode(line["gzip"]))
            if hashlib.sha256(content).hexdigest() != line["kept"]:
                raise UsageProblem(
                    tr("a file that the plan keeps is not what its digest says"),
                    tr("make the plan anew"),
                )
            (folder / line["kept"]).write_bytes(content)
    return KeptRecipes(kept, folder.joinpath)
