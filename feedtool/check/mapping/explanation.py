"""What a header that was not understood has, what its columns may be, and the way to say so."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from shlex import quote

from feedtool.check.headers import HeaderNotFound
from feedtool.check.kinds import HeaderMissing, KindUnclear, columns_listed
from feedtool.check.mapping.header_row import WIDEST
from feedtool.check.mapping.own_sheet import OwnSheet, likeliest_sheet, no_header, read_columns
from feedtool.check.mapping.proposal import propose
from feedtool.check.mapping.weights import NAMES
from feedtool.model.cells import brief
from feedtool.model.header import Column
from feedtool.model.nearest import nearest
from feedtool.sheets import Source

SHOWN = 8
"""Headers, and guesses, that are told."""


def explain_missing(
    error: HeaderMissing, source: Source, sheet: str, file: str, known: Mapping[str, Column]
) -> None:
    """Adds to an error what the header has, what else it may have, and `feedtool map`."""
    header = error.header
    if not header:
        return
    columns = {index: column.key for index, column in header.columns.items()}
    understood = [
        f"“{brief(text)}”" + (f" as {columns[at]}" if columns[at] != text else "")
        for at, text in header.texts.items()
        if at in columns
    ]
    unknown = [header.texts[index] for index, _ in header.unknown]
    guesses = guessed_headers(source, sheet, header.row, unknown, known)
    lacks = [_perhaps(key, guesses.pop(key, "")) for key in error.lacks]
    error.message = error.message.replace(columns_listed(error.lacks), columns_listed(lacks))
    error.message += f"; row {header.row} is taken as the header; understood: {_listed(understood)}"
    if unknown:
        error.message += f"; not understood: {_listed(f'“{brief(text)}”' for text in unknown)}"
    others = {text: key for key, text in guesses.items() if key not in columns.values()}
    if isinstance(error, KindUnclear):
        if unknown:
            way = f"if the sheet is your own type: feedtool map {quote(file)}"
            error.add_way(f"{_ways(others)}{way}")
    else:
        error.hint = f"{_ways(others)}{error.hint}, or type: feedtool map {quote(file)}"


def _perhaps(name: str, header: str) -> str:
    return f"{name} (perhaps “{brief(header)}”)" if header else name


def explain_renamed(
    lacks: Mapping[str, str | None], new: Sequence[str], guesses: Mapping[str, str]
) -> str:
    """The headers that a recipe asks for and a row lacks, each with the new one that may be it.

    Args:
        lacks: Header → its field, None where it has none.
        new: The headers that the recipe does not know.
        guesses: Field → the new header that seems to be it.
    """
    return ", ".join(
        _perhaps(f"“{header}”", guesses.get(key or "") or nearest(header, new) or "")
        for header, key in lacks.items()
    )


def header_not_found(source: Source, file: str, known: Mapping[str, Column]) -> HeaderNotFound:
    """The error of a file without a known header: the likeliest row, and what it may have."""
    own = likeliest_sheet(source)
    if own is None:
        return no_header(source, file)
    names = _listed(f"“{brief(text)}”" for _, text in sorted(own.texts.items()))
    return HeaderNotFound(
        f"no row looks like a header of ours; row {own.row.number} comes nearest, with {names}",
        f"{_ways(_guesses(source, own, known))}type: feedtool map {quote(file)}",
    )


def guessed_headers(
    source: Source, sheet: str, row: int, texts: Collection[str], known: Mapping[str, Column]
) -> dict[str, str]:
    """Field → the header, of some in a row of a sheet, that seems to be it."""
    head = source.sheet(sheet).head(row)
    at = next((at for at, found in enumerate(head) if found.number == row), None)
    if at is None or not texts:
        return {}
    guesses = _guesses(source, OwnSheet(sheet, head, at), known)
    return {key: text for text, key in guesses.items() if text in texts}


def _guesses(source: Source, own: OwnSheet, known: Mapping[str, Column]) -> Mapping[str, str]:
    """Header → the field that it may be."""
    return {
        column.header: column.key
        for column in propose(read_columns(source, own)[:WIDEST], known, {}, own.above)
        if column.key and column.confidence >= NAMES.least
    }


def _ways(guesses: Mapping[str, str]) -> str:
    listed = _listed(f"“{brief(header)}” → {key}" for header, key in guesses.items())
    return f"the best guesses are {listed}; " if guesses else ""


def _listed(texts: Iterable[str]) -> str:
    texts = list(texts)
    more = [f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    return ", ".join([*texts[:SHOWN], *more])
