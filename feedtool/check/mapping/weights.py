"""What each evidence is worth: `weights.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from feedtool.model.own_files import folder_of


class Evidence(NamedTuple):
    """What a measure of the cells says of a concept."""

    concept: str
    measure: str
    """A property of `SheetColumn`."""
    least: float
    below: float
    """It counts where the measure is from `least` on and below this."""
    times: float
    """What the likeness of the name is multiplied by."""
    floor: float
    """How sure it is by its content alone, at least."""
    told: str
    """Said of a column that is taken for it."""


class Weights(dict[str, float]):
    """A table of weights by their names."""

    def __getattr__(self, name: str) -> float:
        return self[name]


_TABLES: Mapping[str, Any] = tomllib.loads(
    (folder_of(__package__) / "weights.toml").read_text("utf-8")
)
NAMES = Weights(_TABLES["names"])
NEIGHBOURS = Weights(_TABLES["neighbours"])


@cache
def evidence(concept: str) -> Sequence[Evidence]:
    """All that the cells of a column may say of a concept."""
    weights = _TABLES["weights"]
    return [
        Evidence(concept, *row[1:])
        for row in weights["content"]
        if concept in weights["of"].get(row[0], [row[0]])
    ]
