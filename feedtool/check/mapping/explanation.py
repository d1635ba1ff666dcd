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
from feedtool.model.text import FieldName, MessageText, in_quotes, joined, tr
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
        _quoted(text)
        if columns[at] == text
        else tr("“{header}” as {field}", header=brief(text), field=_named(columns[at], known))
        for at, text in header.texts.items()
        if at in columns
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
    """The headers that a recipe asks for and a row lacks, each with the new one that may be it.

    Args:
        lacks: Header → its field, None where it has none.
        new: The headers that the recipe does not know.
        guesses: Field → the new header that seems to be it.
    """
    return joined(
        _perhaps(in_quotes(header), guesses.get(key or "") or nearest(header, new) or "")
        for header, key in lacks.items()
    )


def header_not_found(source: Source, file: str, known: Mapping[str, Column]) -> HeaderNotFound:
    """The error of a file without a known header: the likeliest row, and what it may have."""
    own = likeliest_sheet(source)
    if own is None:
        return no_header(source, file)
    names = _listed(_quoted(text) for _, text in sorted(own.texts.items()))
    way = tr("type: feedtool map {file}", file=quote(file))
    return HeaderNotFound(
        tr(
            "no row looks like a header of ours; row {row} comes nearest, with {columns}",
            row=own.row.number,
            columns=names,
        ),
        _with_guesses(_guesses(source, own, known), known, way),
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
        for column in propose(read_columns(source, own, known)[:WIDEST], known, {}, own.above)
        if column.key and column.confidence >= NAMES.least
    }


def _with_guesses(
    guesses: Mapping[str, str], known: Mapping[str, Column], way: MessageText
) -> MessageText:
    """The way out, behind the best guesses."""
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
