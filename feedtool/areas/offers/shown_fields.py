"""An offer as the service shows it, laid flat: a column for each dotted path.

The paths are those of `fields` (specification, part "Offers (read)"): a node stands for all that
is in it, and a list for each of its items, whose values are told in one cell.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from feedtool.model.cells import Value

SEPARATOR = "; "
MOST = 200
"""Items of a list that are told, and names of one node."""
DEEPEST = 12

Leaf = tuple[str, Value]


def flatten(item: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Value]:
    """The values under the paths, by their whole paths; a path without any has none."""
    values: dict[str, Value] = {}
    for path in paths:
        values.update(_leaves(_pick(item, path.split(".")), ""))
    return values


def order_columns(columns: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The columns that are needed: as they were asked for, and then as they were met.

    A path under which nothing ever came has a column of its own, which stays empty.
    """
    ordered: dict[str, None] = {}
    for path in paths:
        below = [column for column in columns if column == path or column.startswith(f"{path}.")]
        ordered.update(dict.fromkeys(below or [path]))
    return list(ordered)


def _pick(node: Any, steps: Sequence[str]) -> Any:
    """The part of a node that a path leads to, under the names of the path."""
    if not steps:
        return node
    if isinstance(node, list):
        return [_pick(entry, steps) for entry in node]
    if not isinstance(node, dict) or steps[0] not in node:
        return None
    return {steps[0]: _pick(node[steps[0]], steps[1:])}


def _leaves(node: Any, path: str) -> Iterator[Leaf]:
    if path.count(".") > DEEPEST:
        return
    if isinstance(node, dict):
        for name, entry in islice(node.items(), MOST):
            yield from _leaves(entry, f"{path}.{name}" if path else str(name))
    elif isinstance(node, list):
        together: dict[str, list[str]] = {}
        for entry in islice(node, MOST):
            for below, value in _leaves(entry, path):
                together.setdefault(below, []).append(_text(value))
        yield from ((below, SEPARATOR.join(texts)) for below, texts in together.items())
    elif node is not None:
        yield path, _value(node)


def _value(node: Any) -> Value:
    if isinstance(node, bool):
        return "true" if node else "false"
    if isinstance(node, int | str):
        return node
    return node if isinstance(node, Decimal) and node.is_finite() else str(node)


def _text(value: Value) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else str(value)
