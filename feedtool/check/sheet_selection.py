"""Choose the sheets of a file to read, each with its kind of feed."""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from feedtool.check.headers import (
    ENOUGH,
    SEARCHED,
    Candidates,
    HeaderDuplicate,
    HeaderNotFound,
    Names,
    SheetAmbiguous,
    with_layout,
)
from feedtool.check.kinds import HeaderMissing, KindUnclear, NeverSent, families, recognise
from feedtool.check.read_options import ALL_SHEETS, ReadOptions
from feedtool.check.recipe_selection import HALF, NEAR, Chosen, RecipeSelection
from feedtool.check.recipes.apply import check_defaults, with_defaults
from feedtool.feeds.area import Areas
from feedtool.feeds.feed import Feed, Layout
from feedtool.model.cells import STAMP_LANGUAGE, Column
from feedtool.model.errors import Exit, FileProblem
from feedtool.model.files import HEADINGS, LISTED, OURS, ROW, STAMP, SUMMARY
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, Translator, tr
from feedtool.sheets import Source

ALIAS = "the alias"
"""The beginning of the reason for a header that is neither a key nor a label."""


class SheetMissing(FileProblem):
    """The workbook has no sheet with the name in `--sheet`."""

    code = "sheet-missing"
    exit = Exit.USAGE


def choose(source: Source, options: ReadOptions, areas: Areas, file: str) -> list[Chosen]:
    """Return the sheets of a file that are feeds, with their kinds; `file` is its name.

    Raises:
        KindUnclear: one may be of two kinds, and the user has not chosen.
        SheetMissing: there is no sheet with the name in `--sheet`.
        HeaderNotFound: no sheet has a known header.
        HeaderMissing, HeaderDuplicate: the only candidate is not a complete feed.
        NeverSent: it is the list of an export.
        SheetAmbiguous: several sheets are of one kind, and `--sheet` does not choose.
    """
    return _Selection(source, options, areas, file).choose()


def sheet_names(source: Source, requested: Sequence[str]) -> list[str]:
    """Return the sheets of a file in `--sheet`; without it all visible sheets.

    Raises SheetMissing for an unknown name.
    """
    entries = source.sheets
    visible = [entry.name for entry in entries if not entry.hidden and entry.name != SUMMARY]
    if not requested or _are_all(source, requested) or source.format == "csv":  # one table, no name
        return visible
    by_name = {entry.full_name.casefold(): entry.name for entry in entries if entry.full_name}
    by_name |= {entry.name.casefold(): entry.name for entry in entries}
    for name in requested:
        if name.casefold() not in by_name:
            raise SheetMissing(
                tr("there is no sheet “{name}”", name=name),
                tr("choose one of: {sheets}", sheets=", ".join(visible)),
            )
    return list(dict.fromkeys(by_name[name.casefold()] for name in requested))


def _are_all(source: Source, requested: Sequence[str]) -> bool:
    names = {entry.name.casefold() for entry in source.sheets}
    is_all = ALL_SHEETS in {name.casefold() for name in requested} - names
    return is_all and source.format != "csv"


@lru_cache(128)
def names_of(feed: Feed, settings: bytes) -> Names:
    """Return all headers of a feed's family, cached for files with the same settings."""
    decoded = msgspec.json.decode(settings, type=AccountSettings)
    columns = feed.sheet.understood(decoded)
    return Names(columns, decoded, (*HEADINGS, ROW))


class _Selection:
    """The choice of the sheets of one file that are feeds."""

    def __init__(self, source: Source, options: ReadOptions, areas: Areas, file: str) -> None:
        self._source, self._options, self._file = source, options, file
        self._families = families(areas)
        self._recipes = RecipeSelection(source, options, self._families, file)
        self._stamp = source.properties.get(STAMP)
        """The kind of the workbook's template."""
        stamped = areas.feeds.get(self._stamp or "")
        self._stamped_sheet = self._named(stamped.sheet.name) if stamped else None
        """The name of the sheet to fill in that template."""
        self._are_all = _are_all(source, options.sheets)
        self._settings = msgspec.json.encode(options.context.settings)
        self._seen: dict[tuple[str, int, str | None], Chosen | FileProblem | None] = {}
        """The result for each sheet: chosen, None, or its problem."""

    def choose(self) -> list[Chosen]:
        names = sheet_names(self._source, self._options.sheets)
        if len(names) == 1 or not self._options.sheets:
            return self._choose(names)
        chosen: list[Chosen] = []
        passed_over: list[HeaderNotFound] = []
        for name in names:
            try:
                chosen += self._choose([name])
            except FileProblem as error:
                if self._are_all and isinstance(error, HeaderNotFound):
                    passed_over.append(error)
                    continue
                error.message = tr("sheet “{sheet}”: {why}", sheet=name, why=error.message)
                raise
        if not chosen:
            raise next(iter(passed_over), None) or self._not_found()
        return chosen

    def _choose(self, names: Sequence[str]) -> list[Chosen]:
        """Return the sheets among these that are feeds, one of each kind. Raises as `choose`."""
        if chosen := self._recipes.sheets(names, is_wanted=True):
            return chosen
        is_open = not self._is_known_by_itself(names)
        if is_open and (chosen := self._recipes.sheets(names, is_wanted=False)):
            return chosen
        if is_open and (error := self._recipes.nearly_fitting(names, NEAR)):
            raise error
        try:
            return self._known_sheets(names)
        except FileProblem as error:
            raise self._recipes.nearly_fitting(names, HALF) or error from None

    def _known_sheets(self, names: Sequence[str]) -> list[Chosen]:
        """Return the sheets whose headers are known without a recipe."""
        if self._options.kind is None and (export := self._source.properties.get(LISTED)):
            raise NeverSent(export)
        candidates, reasons = self._candidates(names, ENOUGH)
        if not candidates and not reasons:  # a Delete chosen by the user needs a single column
            candidates, reasons = self._candidates(names, 1)
        if not candidates:
            raise next(iter(reasons), None) or self._not_found()
        return self._unambiguous(candidates)

    def _not_found(self) -> HeaderNotFound:
        from feedtool.check.mapping.explanation import header_not_found

        return header_not_found(self._source, self._file, self._known())

    def _known(self) -> dict[str, Column]:
        """Return the columns of the usual family by key."""
        usual = (some for some in self._families if any(feed.recognition.is_usual for feed in some))
        feed = next(usual, self._families[0])[0]
        columns = feed.sheet.understood(self._options.context.settings)
        return {column.key: column for column in columns}

    def _is_known_by_itself(self, names: Sequence[str]) -> bool:
        """Return True if a stamp, or a header of keys and labels, shows the kind of a sheet."""
        if self._stamp is not None:
            return True
        for name in names:
            with suppress(FileProblem):
                chosen = self._recognise(name, ENOUGH, self._options.kind)
                reasons = chosen.header.reasons.values() if chosen else (ALIAS,)
                if not any(reason.startswith(ALIAS) for reason in reasons):
                    return True
        return False

    def _candidates(
        self, names: Sequence[str], enough: int
    ) -> tuple[list[Chosen], list[FileProblem]]:
        """Return the sheets whose header has `enough` columns, and the problems of others.

        Raises:
            KindUnclear: a sheet may be of two kinds: to skip it would be as much of a guess as to
                send it. Beside the sheet of a template it is skipped.
        """
        candidates: list[Chosen | None] = []
        reasons: list[FileProblem] = []
        for name in names:
            try:
                candidates.append(self._recognise(name, enough, self._options.kind))
            except KindUnclear as unclear:
                if self._stamped_sheet in names:  # the user added this sheet
                    reasons.append(unclear)
                    continue
                if len(names) > 1:
                    unclear.begin_with(tr("sheet “{name}”", name=name))
                    unclear.add_way(
                        tr("if it is not a feed, remove the sheet, or name another with --sheet")
                    )
                self._explain(unclear, name)
                kind = self._options.settle(self._file, name, unclear)
                if kind is None:
                    raise
                candidates.append(self._recognise(name, enough, kind))
            except (HeaderMissing, HeaderDuplicate, NeverSent) as reason:
                reasons.append(reason)
                if isinstance(reason, HeaderMissing) and not reason.is_distinctive:
                    self._explain(reason, name)
        return list(filter(None, candidates)), reasons

    def _explain(self, error: HeaderMissing, name: str) -> None:
        """Add the probable meanings of columns to the error about a user's own sheet."""
        if self._stamp is None:
            from feedtool.check.mapping.explanation import explain_missing

            explain_missing(error, self._source, name, self._file, self._known())

    def _recognise(self, name: str, enough: int, requested: str | None) -> Chosen | None:
        """Return the result of `_recognised`, which is computed once for a sheet."""
        key = name, enough, requested
        if key not in self._seen:
            try:
                self._seen[key] = self._recognised(*key)
            except FileProblem as problem:
                self._seen[key] = problem.with_traceback(None)  # a traceback would keep the rows
        seen = self._seen[key]
        if isinstance(seen, FileProblem):
            raise seen
        return seen

    def _recognised(self, name: str, enough: int, requested: str | None) -> Chosen | None:
        """Return a sheet with its kind, None if no row looks like a header.

        A row with less than `ENOUGH` columns is a header only with `--as` or a stamp.

        Raises:
            HeaderMissing, HeaderDuplicate: a row looks like a header, but fits no kind.
            KindUnclear: it may be of two kinds.
        """
        sheet, context = self._source.sheet(name), self._options.context
        settings, defaults = context.settings, self._options.defaults
        head = [(row.number, row.cells) for row in sheet.head(SEARCHED)]
        stamp = self._stamp if name == self._stamped_sheet else None
        possible = self._possible(requested or stamp, enough)
        with_names = [(some, names_of(some[0], self._settings)) for some in possible]
        candidates = Candidates(head, [names for _, names in with_names])
        # The family that knows the most columns comes first; the sort is stable.
        with_names.sort(key=lambda pair: -candidates.most_known(pair[1]))
        reasons: list[FileProblem] = []
        for family, names in with_names:
            try:
                header = candidates.find(names, enough)
                if header is None:
                    continue
                keys = {index: column.key for index, column in header.columns.items()}
                by_category, around = family[0].sheet.by_category, (head, header.row, keys)
                layout = by_category.layout(*around, settings) if by_category else Layout()
                header = replace(header, stamp=self._sheet_stamp(requested or stamp, stamp))
                header = with_layout(header, layout, head, names)
                columns = family[0].sheet.understood(settings)
                applied = with_defaults(header, columns, defaults, sheet, context)
                recognised = recognise(
                    applied.header, family, context, name, requested=requested, stamp=stamp
                )
            except (HeaderMissing, HeaderDuplicate) as reason:
                if isinstance(reason, HeaderMissing) and reason.is_distinctive and not reasons:
                    raise  # this kind knows more of the columns than any other
                is_asked = all(feed.recognition.only_if_asked for feed in family)
                if isinstance(reason, HeaderMissing) or requested or stamp or not is_asked:
                    reasons.append(reason)
                continue
            if recognised:
                if applied.defaults:  # the kind is known now
                    check_defaults(columns, defaults, context)
                return Chosen(
                    applied.sheet,
                    applied.header,
                    *recognised,
                    fields=applied.fields,
                    defaults=applied.defaults,
                )
        if any(isinstance(item, HeaderMissing) and item.is_distinctive for item in reasons):
            reasons = [item for item in reasons if not isinstance(item, KindUnclear)]
        if reasons:  # an unclear kind is more useful to report than columns missing for a third
            raise next((item for item in reasons if isinstance(item, KindUnclear)), reasons[0])
        return None

    def _possible(self, kind: str | None, enough: int) -> list[list[Feed]]:
        """Return the possible families of a sheet; all of them without a known kind."""
        if kind is not None:
            return [some for some in self._families if kind in {feed.kind for feed in some}]
        if enough < ENOUGH:
            return []
        return [
            some
            for some in self._families
            if any(
                feed.recognition.unmistakable or not feed.recognition.only_if_asked for feed in some
            )
        ]

    def _sheet_stamp(self, kind: str | None, stamp: str | None) -> dict[str, str]:
        """Return the workbook's properties about a sheet made from the template of its kind."""
        if stamp is None or kind != stamp:
            return {}
        properties = self._source.properties
        return {name: text for name, text in properties.items() if name.startswith(OURS)}

    def _unambiguous(self, candidates: list[Chosen]) -> list[Chosen]:
        """Return one sheet of each kind; the stamped sheet's name wins over others of its kind.

        Without a stamp, the sheet's name in the channel operator's template wins.
        """
        chosen: dict[str, list[Chosen]] = {}
        for candidate in candidates:
            chosen.setdefault(candidate.feed.kind, []).append(candidate)
        for kind, several in chosen.items():
            if len(several) == 1 or several[0].feed.sheet.takes_several:
                continue
            matches = [
                item for item in several if item.sheet.name == self._template_sheet(item.feed)
            ]
            if len(matches) != 1:
                sheets = ", ".join(item.sheet.name for item in several)
                raise SheetAmbiguous(
                    tr("several sheets could be meant: {sheets}", sheets=sheets),
                    tr(
                        "name one of them with --sheet, or read them all with --sheet {word}",
                        word=ALL_SHEETS,
                    ),
                )
            chosen[kind] = matches
        return [item for several in chosen.values() for item in several]

    def _template_sheet(self, feed: Feed) -> str | None:
        """Return the name of a feed's sheet in the workbook's template, if it has one."""
        if self._stamp is None:
            return feed.recognition.operator and feed.recognition.operator.sheet
        return self._stamped_sheet if feed.kind == self._stamp else None

    def _named(self, sheet: str) -> str:
        """Return a template's name of a sheet in its language; English in earlier templates."""
        language = self._source.properties.get(STAMP_LANGUAGE)
        local = next(
            (Translator(item).message(sheet) for item in LANGUAGES if item == language), ""
        )
        names = {entry.name for entry in self._source.sheets}
        return local if local in names else sheet
