"""Explain a header that was not understood: its columns, guesses, and the way to map it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from shlex import quote

from feedtool.check.headers import HeaderNotFound
from feedtool.check.kinds import HeaderMissing, KindUnclear, columns_listed
from feedtool.check.mapping.evidence import NAMES
from feedtool.check.mapping.proposal import propose
from feedtool.check.mapping.source_sheet import (
    WIDEST,
    OwnSheet,
    likeliest_sheet,
    no_header,
    read_columns,
)
from feedtool.model.cells import Column, brief
from feedtool.model.text import FieldName, MessageText, in_quotes, joined, nearest, tr
from feedtool.sheets import Source

SHOWN = 8
"""The most headers, and guesses, in a message."""


def explain_missing(
    error: HeaderMissing, source: Source, sheet: str, file: str, known: Mapping[str, Column]
) -> None:
    """Add to an error the known headers, guesses for others, and `feedtool map`."""
    header = error.header
    if not header:
        return
    columns = {index: column.key for index, column in header.columns.items()}
    understood = [
        _quoted(text)
        if columns[index] == text
        else tr("“{header}” as {field}", header=brief(text), field=_named(columns[index], known))
        for index, text in header.texts.items()
        if index in columns
    ]
    unknown = [header.texts[index] for index, _ in header.unknown]
    guesses = guessed_headers(source, sheet, header.row, unknown, known)
    lacks = [_perhaps(key, guesses.pop(key, "")) for key in error.lacks]
    parts = [
        error.describe(columns_listed(lacks)),
        tr("row {row} is taken as the header", row=header.row),
        tr("understood: {columns}", columns=_listed(understood)),
    ]
    if unknown:
        parts.append(tr("not understood: {columns}", columns=_listed(map(_quoted, unknown))))
    error.message = joined(parts, "; ")
    others = {text: key for key, text in guesses.items() if key not in columns.values()}
    if isinstance(error, KindUnclear):
        if unknown:
            way = tr("if the sheet is your own type: feedtool map {file}", file=quote(file))
            error.add_way(_with_guesses(others, known, way))
    else:
        hint = tr("{hint}, or type: feedtool map {file}", hint=error.hint, file=quote(file))
        error.hint = _with_guesses(others, known, hint)


def _named(key: str, known: Mapping[str, Column]) -> FieldName:
    return FieldName(key, known[key].labels if key in known else ())


def _quoted(text: str) -> str:
    return in_quotes(brief(text))


def _perhaps(name: str, header: str) -> str:
    return tr("{name} (perhaps “{header}”)", name=name, header=brief(header)) if header else name


def explain_renamed(
    lacks: Mapping[str, str | None], new: Sequence[str], guesses: Mapping[str, str]
) -> MessageText:
    """Return the headers that a row lacks for a recipe, each with its probable new name.

    `lacks` is header → its field, or None; `new` are the headers that are not in the recipe;
    `guesses` is field → the new header that probably means it.
    """
    return joined(
        _perhaps(in_quotes(header), guesses.get(key or "") or nearest(header, new) or "")
        for header, key in lacks.items()
    )


def header_not_found(source: Source, file: str, known: Mapping[str, Column]) -> HeaderNotFound:
    """Return the error of a file without a known header: the likeliest row, with guesses."""
    sheet = likeliest_sheet(source)
    if sheet is None:
        return no_header(source, file)
    names = _listed(_quoted(text) for _, text in sorted(sheet.texts.items()))
    way = tr("type: feedtool map {file}", file=quote(file))
    return HeaderNotFound(
        tr(
            "no row looks like one of feedtool's headers; row {row} is the most "
            "similar, with {columns}",
            row=sheet.row.number,
            columns=names,
        ),
        _with_guesses(_guesses(source, sheet, known), known, way),
    )


def guessed_headers(
    source: Source, sheet: str, row: int, texts: Collection[str], known: Mapping[str, Column]
) -> dict[str, str]:
    """Return field → the header, among `texts` in a row of a sheet, that probably means it."""
    head = source.sheet(sheet).head(row)
    position = next((i for i, item in enumerate(head) if item.number == row), None)
    if position is None or not texts:
        return {}
    guesses = _guesses(source, OwnSheet(sheet, head, position), known)
    return {key: text for text, key in guesses.items() if text in texts}


def _guesses(source: Source, sheet: OwnSheet, known: Mapping[str, Column]) -> Mapping[str, str]:
    """Return header → its probable field."""
    return {
        column.header: column.key
        for column in propose(read_columns(source, sheet, known)[:WIDEST], known, {}, sheet.above)
        if column.key and column.confidence >= NAMES.least
    }


def _with_guesses(
    guesses: Mapping[str, str], known: Mapping[str, Column], way: MessageText
) -> MessageText:
    """Return the solution, preceded by the best guesses."""
    if not guesses:
        return way
    listed = _listed(
        joined((_quoted(header), _named(key, known)), " → ") for header, key in guesses.items()
    )
    return tr("the best guesses are {guesses}; {way}", guesses=listed, way=way)


def _listed(texts: Iterable[str]) -> MessageText:
    texts = list(texts)
    more = [tr("{count} more", count=len(texts) - SHOWN)] if len(texts) > SHOWN else []
    return joined([*texts[:SHOWN], *more])
