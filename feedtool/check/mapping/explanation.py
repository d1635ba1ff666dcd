"""What a header that was not understood has, what its columns may be, and the way to say so."""

from collections.abc import Iterable, Mapping

from feedtool.check.headers import HeaderNotFound
from feedtool.check.kinds import HeaderMissing
from feedtool.check.mapping.header_row import WIDEST
from feedtool.check.mapping.own_sheet import OwnSheet, likeliest_sheet, no_header, read_columns
from feedtool.check.mapping.proposal import propose
from feedtool.check.mapping.weights import NAMES
from feedtool.model.cells import brief
from feedtool.model.header import Column
from feedtool.sheets import Source

SHOWN = 8
"""Headers, and guesses, that are told."""


def explain_missing(
    error: HeaderMissing, source: Source, sheet: str, file: str, known: Mapping[str, Column]
) -> None:
    """Adds to an error what the header has, what else it may have, and `feedtool map`."""
    header = error.header
    own = header and _own_sheet(source, sheet, header.row)
    if not header or not own:
        return
    names = _listed(f"“{brief(text)}”" for text in header.texts.values())
    error.message += f"; row {header.row} is taken as the header, with {names}"
    keys = {column.key for column in header.columns.values()}
    guesses = {text: key for text, key in _guesses(source, own, known).items() if key not in keys}
    error.hint = f"{_ways(guesses)}{error.hint}, or type: feedtool map {file}"


def header_not_found(source: Source, file: str, known: Mapping[str, Column]) -> HeaderNotFound:
    """The error of a file without a known header: the likeliest row, and what it may have."""
    own = likeliest_sheet(source)
    if own is None:
        return no_header(source, file)
    names = _listed(f"“{brief(text)}”" for _, text in sorted(own.texts.items()))
    return HeaderNotFound(
        f"no row looks like a header of ours; row {own.row.number} comes nearest, with {names}",
        f"{_ways(_guesses(source, own, known))}type: feedtool map {file}",
    )


def _own_sheet(source: Source, sheet: str, row: int) -> OwnSheet | None:
    head = source.sheet(sheet).head(row)
    at = next((at for at, found in enumerate(head) if found.number == row), None)
    return None if at is None else OwnSheet(sheet, head, at)


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
