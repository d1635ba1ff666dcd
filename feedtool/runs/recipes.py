"""Where recipes and the files that they join are found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

from feedtool.check.recipes.join import JoinUnusable
from feedtool.check.recipes.recipe import Recipe, did_you_mean, parse_recipe, read_recipe
from feedtool.model.errors import UsageProblem

FOLDER = "recipes"
"""Beside a sheet, and in the user's settings."""
PRESET = "preset:"
_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True)
class RecipeFolders:
    """The recipes of a command: the one that is named, else those of some folders."""

    now: datetime
    named: str | None = None
    """`--recipe`: a path, or `preset:NAME`."""
    profile: Path | None = None
    """The folder of the account's recipes and joined files."""
    user: Path | None = None
    """The folder in the user's settings."""
    is_watch: bool = False
    """True if nothing that lies beside a file counts, since anybody may have dropped it."""

    def recipes(self, path: Path) -> Sequence[Recipe]:
        """The recipes that may be meant for a file; UsageProblem for one that cannot be used."""
        if self.named:
            return [replace(self._named(self.named), is_wanted=True, must_fit=True)]
        own = [replace(recipe, is_wanted=True) for recipe in self._in_folder(self.profile)]
        beside = None if self.is_watch else path.parent / FOLDER
        return [*own, *self._in_folder(beside), *self._in_folder(self.user)]

    def _named(self, name: str) -> Recipe:
        if name.startswith(PRESET):
            return preset(name.removeprefix(PRESET), self.now)
        return read_recipe(Path(name), self.now.date())

    def _in_folder(self, folder: Path | None) -> list[Recipe]:
        paths = sorted(folder.glob("*.toml")) if folder and folder.is_dir() else []
        return [read_recipe(path, self.now.date()) for path in paths]

    def joined(self, recipe: Recipe, name: str, path: Path) -> Path:
        """The newest file that a recipe's join names.

        Raises:
            JoinUnusable: there is none, or it is too old.
            UsageProblem: the recipe's words for it cannot be understood.
        """
        join, place = recipe.file.join[name], recipe.place(f"join.{name}", "file")
        folder = (self.profile or path.parent) if self.is_watch else path.parent
        pattern = Path(join.file)
        if pattern.is_absolute() or ".." in pattern.parts:
            raise UsageProblem(
                f"{place}: {join.file} leaves its folder", "name a file beside the sheet"
            )
        found = [
            (file.stat().st_mtime, file)
            for file in folder.glob(join.file)
            if file.is_file() and file.resolve().is_relative_to(folder.resolve())
        ]
        if not found:
            raise JoinUnusable(
                f"{place}: there is no {join.file} in {folder}", "bring it, or correct its name"
            )
        changed, newest = max(found)
        age = self.now - datetime.fromtimestamp(changed, self.now.tzinfo)
        if join.too_old and age > _age(join.too_old, place):
            raise JoinUnusable(
                f"{newest.name} is {age.total_seconds() / 3600:.0f} h old, and [join.{name}] takes"
                f" none older than {join.too_old}",
                "bring a newer one, or change too_old in the recipe",
            )
        return newest


def _age(text: str, place: str) -> timedelta:
    match = _AGE.fullmatch(text.strip())
    if not match:
        raise UsageProblem(f"{place}: too_old = “{text}” is no age", 'write "26h", for example')
    return timedelta(**{_UNITS[match[2]]: float(match[1])})


def presets() -> list[str]:
    """The names of the recipes that ship."""
    folder = files("feedtool.check.recipes") / "presets"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir())


def preset(name: str, now: datetime) -> Recipe:
    """A recipe that ships. UsageProblem where there is none of that name."""
    if name not in presets():
        raise UsageProblem(f"there is no preset “{name}”", did_you_mean(name, presets()))
    text = (files("feedtool.check.recipes") / "presets" / f"{name}.toml").read_text("utf-8")
    return parse_recipe(text, name, None, now.date())
