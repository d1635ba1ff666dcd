"""Which sheets of a file are read, and as which kind of feed each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from feedtool.areas.products.feeds import listed
from feedtool.areas.registry import all_feeds
from feedtool.check.headers import (
    ENOUGH,
    Header,
    HeaderDuplicate,
    HeaderNotFound,
    Names,
    SheetAmbiguous,
    find,
    laid_out,
    most_known,
)
from feedtool.check.kinds import HeaderMissing, KindUnclear, families, recognise
from feedtool.check.markers import CORRECTS, HEADINGS, OURS, ROW, STAMP, SUMMARY
from feedtool.check.read_options import Asked
from feedtool.feeds.feed import Feed
from feedtool.model.errors import Exit, FileProblem
from feedtool.model.settings import Dialect
from feedtool.sheets import Sheet, Source

SEARCHED = 40
"""Non-blank rows among which the header is looked for."""


class SheetMissing(FileProblem):
    """The workbook has no sheet of the name that `--sheet` asks for.

    The message names the sheets that it has; capitals do not matter.

    Example: `--sheet Offer` for a workbook with the sheet Offers.

    To mend it, choose one of them, or leave `--sheet` out.
    """

    code = "sheet-missing"
    exit = Exit.USAGE


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sheet that will be read, and as what."""

    sheet: Sheet
    header: Header
    feed: Feed
    reason: str
    """Why it is read as that."""
    is_certain: bool
    """Whether rows without an `action` are of this kind."""
    corrects: str
    """What the workbook says of the sheet whose rows it corrects; empty where it is none such."""


def choose(source: Source, asked: Asked, file: str) -> list[Chosen]:
    """The sheets of a file that are feeds, and of which kind each is; `file` is its name.

    Raises:
        KindUnclear: one may be of two kinds, and nobody says of which.
        SheetMissing: `--sheet` names none of them.
        HeaderNotFound: none has a known header.
        HeaderMissing, HeaderDuplicate: the only candidate is no complete feed.
        SheetAmbiguous: several are of one kind.
    """
    names = _sheet_names(source, asked)
    candidates, reasons = _candidates(source, names, asked, file, ENOUGH)
    if not candidates and not reasons:  # a Delete that was asked for needs a single column
        candidates, reasons = _candidates(source, names, asked, file, 1)
    if not candidates:
        raise reasons[0] if reasons else _no_header(source, names)
    return _unambiguous(candidates, source)


def _candidates(
    source: Source, names: Sequence[str], asked: Asked, file: str, enough: int
) -> tuple[list[Chosen], list[FileProblem]]:
    """The sheets with a header that names so many columns, and why others are no feeds.

    Raises:
        KindUnclear: one may be of two kinds: to pass over it is as much of a guess as to send it.
            Beside the sheet of a template it is passed over.
    """
    candidates: list[Chosen] = []
    reasons: list[FileProblem] = []
    for name in names:
        try:
            chosen = _recognise(source, source.sheet(name), asked, enough)
        except KindUnclear as unclear:
            if _stamped_sheet_name(source) in names:  # a sheet of the user's own beside it
                reasons.append(unclear)
                continue
            if len(names) > 1:
                unclear.message = f"sheet “{name}”: {unclear.message}"
                unclear.add_way("if it is no feed remove the sheet, or name another with --sheet")
            kind = asked.settle(file, name, unclear)
            if kind is None:
                raise
            told = replace(asked, kind=kind)
            chosen = _recognise(source, source.sheet(name), told, enough)
            candidates += [chosen] if chosen else []
        except (HeaderMissing, HeaderDuplicate) as reason:
            reasons.append(reason)
        else:
            candidates += [chosen] if chosen else []
    return candidates, reasons


def _sheet_names(source: Source, asked: Asked) -> list[str]:
    visible = [entry.name for entry in source.sheets if not entry.hidden and entry.name != SUMMARY]
    if asked.sheet is None or source.format == "csv":  # a CSV is one table without a name
        return visible
    wanted = asked.sheet.casefold()
    named = [entry.name for entry in source.sheets if entry.name.casefold() == wanted]
    if not named:
        raise SheetMissing(
            f"there is no sheet “{asked.sheet}”", f"choose one of: {', '.join(visible)}"
        )
    return named


def _recognise(source: Source, sheet: Sheet, asked: Asked, enough: int) -> Chosen | None:
    """What a sheet is, None where nothing looks like a header.

    Less than `ENOUGH` is a header only where the kind is known from `--as` or the stamp.

    Raises:
        HeaderMissing, HeaderDuplicate: it looks like one and is none of any kind.
        KindUnclear: it is of one of two kinds.
    """
    head = [(row.number, row.cells) for row in sheet.head(SEARCHED)]
    dialect, stamp = asked.dialect, _stamped(source, sheet)
    kind = asked.kind or stamp
    named = [(family, _names(family, dialect)) for family in _possible(kind, enough)]
    # Whoever knows the most of its columns comes first; of equals the one that is in front.
    named.sort(key=lambda one: -most_known(head, one[1]))
    reasons: list[FileProblem] = []
    for family, names in named:
        try:
            header = find(head, names, enough)
            if header is None:
                continue
            keys = {index: column.key for index, column in header.columns.items()}
            layout = family[0].layout(head, header.row, keys, dialect)
            header = replace(header, stamp=_stamp_of(source, sheet, kind))
            header = laid_out(header, layout, head, names)
            found = recognise(header, family, dialect, sheet.name, asked=asked.kind, stamp=stamp)
        except (HeaderMissing, HeaderDuplicate) as reason:
            reasons.append(reason)
            continue
        if found:
            return Chosen(sheet, header, *found, _corrects(source, sheet))
    if reasons:  # what may be of two kinds tells more than what it lacks for a third
        raise next((one for one in reasons if isinstance(one, KindUnclear)), reasons[0])
    return None


def _possible(kind: str | None, enough: int) -> list[list[Feed]]:
    """The families that a sheet may be of; any, where its kind is not known beforehand."""
    if kind is None:
        every = families() if enough == ENOUGH else []
        return [family for family in every if not all(feed.needs_asking for feed in family)]
    return [family for family in families() if kind in {feed.kind for feed in family}]


def _names(family: Sequence[Feed], dialect: Dialect) -> Names:
    return Names(family[0].understood(dialect), dialect, (*HEADINGS, ROW))


def _stamped(source: Source, sheet: Sheet) -> str | None:
    """The kind that the workbook's stamp gives to this sheet."""
    return source.properties[STAMP] if sheet.name == _stamped_sheet_name(source) else None


def _stamped_sheet_name(source: Source) -> str | None:
    """The name of the sheet to fill in of the template that a workbook was made from."""
    feed = all_feeds().get(source.properties.get(STAMP, ""))
    return feed.sheet if feed else None


def _stamp_of(source: Source, sheet: Sheet, kind: str | None) -> dict[str, str]:
    """What the workbook says of this sheet, if it was made from the template of its kind."""
    stamp = source.properties.get(STAMP)
    if stamp is None or kind != stamp or sheet.name != all_feeds()[stamp].sheet:
        return {}
    return {name: text for name, text in source.properties.items() if name.startswith(OURS)}


def _corrects(source: Source, sheet: Sheet) -> str:
    """Which rows this sheet has the corrections of, whatever it is called if it is the only one."""
    said = listed(source.properties, CORRECTS)
    if len(said) == 1:
        return said[0]
    return next((one for one in said if one.endswith(f":{sheet.name}")), "")


def _unambiguous(candidates: list[Chosen], source: Source) -> list[Chosen]:
    """One sheet of each kind; the stamped sheet's name wins over others of its kind.

    So does, where there is no stamp, the name that the channel operator's templates give it.
    """
    stamp = source.properties.get(STAMP)
    chosen: dict[str, list[Chosen]] = {}
    for candidate in candidates:
        chosen.setdefault(candidate.feed.kind, []).append(candidate)
    for kind, several in chosen.items():
        if len(several) == 1 or several[0].feed.takes_several:
            continue
        named = [one for one in several if one.sheet.name == _template_sheet(one.feed, stamp)]
        if len(named) != 1:
            sheets = ", ".join(one.sheet.name for one in several)
            raise SheetAmbiguous(
                f"several sheets could be meant: {sheets}", "name one of them with --sheet"
            )
        chosen[kind] = named
    return [one for several in chosen.values() for one in several]


def _template_sheet(feed: Feed, stamp: str | None) -> str | None:
    """The name of a feed's sheet in the template that a workbook was made from, if in any."""
    if stamp is None:
        return feed.operator_sheet
    return feed.sheet if feed.kind == stamp else None


def _no_header(source: Source, names: Sequence[str]) -> HeaderNotFound:
    looked = f" (looked at {', '.join(names)})" if source.format == "xlsx" else ""
    return HeaderNotFound(
        f"no row looks like a header{looked}",
        "start from `feedtool template`, or map your headers in the profile's [columns] table",
    )
