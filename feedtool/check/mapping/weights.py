"""The weights of evidence, from `weights.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from feedtool.model.own_files import folder_of


class Evidence(NamedTuple):
    """The weight of a measure of cells as evidence for a concept."""

    concept: str
    measure: str
    """The property of `SheetColumn`."""
    least: float
    below: float
    """The evidence counts if `least` <= measure < `below`."""
    times: float
    """The factor for the likeness of the name."""
    floor: float
    """The least confidence by content alone."""
    reason: str
    """The reason in messages; empty for none."""


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
    """Return the evidence that the cells of a column may be for a concept."""
    weights = _TABLES["weights"]
    return [
        Evidence(concept, *row[1:])
        for row in weights["content"]
        if concept in weights["of"].get(row[0], [row[0]])
    ]
