"""Adapt a recipe to a later delivery whose columns have some other headers."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from feedtool.check.mapping.names import DECISIVE, name_score
from feedtool.check.mapping.proposal import SHOWN, ColumnProposal
from feedtool.check.mapping.weights import NEIGHBOURS
from feedtool.check.mapping.words import concepts, words_of
from feedtool.check.recipes.recipe import LETTERS, Recipe
from feedtool.model.header import folded
from feedtool.model.nearest import nearest
from feedtool.model.text import tr


def read_headers(recipe: Recipe) -> list[str]:
    """Return the headers that a recipe reads, in a field or otherwise."""
    file = recipe.file
    headers = (
        *(header for header, key in file.columns.items() if key),
        *file.names.values(),
        *chain.from_iterable(join.key for join in file.join.values()),
        *chain.from_iterable(file.fill_down.items()),
    )
    return [header for header in dict.fromkeys(headers) if not header.startswith(LETTERS)]


def missing_headers(recipe: Recipe, headers: Iterable[str]) -> dict[str, str]:
    """Return the headers that a recipe reads and a sheet lacks, each with its field.

    The field is "" if only names in expressions, joins or `[fill_down]` read the header.
    """
    known, columns = set(map(folded, headers)), recipe.file.columns.items()
    fields = {folded(header): key for header, key in columns if isinstance(key, str)}
    read = read_headers(recipe)
    return {
        header: fields.get(folded(header), "") for header in read if folded(header) not in known
    }


def with_renamed(
    columns: Sequence[ColumnProposal], recipe: Recipe, missing: Mapping[str, str], least: int
) -> list[ColumnProposal]:
    """Return the proposals, with new headers taken for those that a recipe misses.

    A header with a field is followed by the field's column. Another is followed by a column with an
    equivalent or similar name; without one the user is asked about new columns without use.
    """
    known = set(map(folded, (*recipe.file.columns, *read_headers(recipe))))
    new = {column.index: column for column in columns if folded(column.header) not in known}
    keys = {column.key for column in columns if column.key}
    unfollowed = [header for header, key in missing.items() if key not in keys]
    for header in unfollowed:
        free = [
            column
            for column in new.values()
            if not column.replaces and (column.key is None or column.confidence < least)
        ]
        words, scores = words_of(header), dict[int, float]()
        for column in free:
            now = words_of(column.header)
            alike = [min(name_score(words, item), name_score(now, item)) for item in concepts()]
            near = NEIGHBOURS.doubtful if nearest(header, [column.header]) else 0
            is_other = words.groups & DECISIVE != now.groups & DECISIVE
            scores[column.index] = 0 if is_other else max(*alike, near)
        best = max(scores, key=lambda index: scores[index], default=None)
        if best is None or not scores[best]:
            continue
        is_tied = sum(score > scores[best] - NEIGHBOURS.close for score in scores.values()) > 1
        confidence = min(scores[best], NEIGHBOURS.tied if is_tied else 100)
        new[best] = replace(
            new[best],
            key=missing[header] or None,
            confidence=round(confidence),
            is_useless=not missing[header],
            reason=tr("“{header}” of the recipe", header=header),
            replaces="" if missing[header] else header,
        )
    keys = {column.key for column in new.values() if column.key}
    followed = {column.replaces for column in new.values()}
    open_keys = [key for key in dict.fromkeys(missing.values()) if key and key not in keys]
    is_open = any(not missing[header] and header not in followed for header in unfollowed)
    for index, column in new.items():
        if column.is_useless and not column.replaces and is_open:
            new[index] = replace(column, confidence=min(column.confidence, least - 1))
        elif column.key is None and open_keys:
            others = dict.fromkeys((*open_keys, *column.alternatives))
            new[index] = replace(column, alternatives=tuple(others)[:SHOWN])
    return [new.get(column.index, column) for column in columns]


def renamed(recipe: Recipe, renames: Mapping[str, str]) -> Recipe:
    """Return a recipe that reads the new headers."""
    by_fold = {folded(header): text for header, text in renames.items()}

    def new(header: str) -> str:
        return by_fold.get(folded(header), header)

    file = recipe.file
    return replace(
        recipe,
        file=msgspec.structs.replace(
            file,
            columns={new(header): key for header, key in file.columns.items()},
            names={name: new(header) for name, header in file.names.items()},
            fill_down={new(header): new(by) for header, by in file.fill_down.items()},
            join={
                name: msgspec.structs.replace(
                    join, key={new(header): other for header, other in join.key.items()}
                )
                for name, join in file.join.items()
            },
        ),
    )
