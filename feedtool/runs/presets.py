"""The recipes that come with feedtool."""

from datetime import date
from functools import lru_cache

from feedtool.check.recipes.recipe import Recipe, parse_recipe
from feedtool.model.errors import UsageProblem
from feedtool.model.nearest import did_you_mean
from feedtool.model.own_files import folder_of
from feedtool.model.text import tr


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
