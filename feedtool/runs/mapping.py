"""Propose a recipe for a merchant's own sheet, and take the answers of terminal or page."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.check import Input, ReadOptions, open_input
from feedtool.check.kinds import families, sheet_columns
from feedtool.check.mapping.context import key_of
from feedtool.check.mapping.evidence import DECISIVE, NEIGHBOURS, SheetColumn, name_score
from feedtool.check.mapping.proposal import SHOWN, ColumnProposal, KnownMeaning, propose
from feedtool.check.mapping.source_sheet import OwnSheet, likeliest_sheet, no_header, read_columns
from feedtool.check.mapping.words import concepts, conditions, plain, words_of
from feedtool.check.recipes.recipe import LETTERS, Recipe
from feedtool.check.sheet_selection import choose, sheet_names
from feedtool.feeds.area import Areas
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import Choice
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Number
from feedtool.feeds.columns.text import ProductReference, Reference
from feedtool.feeds.feed import Feed, SheetColumns
from feedtool.model.cells import Cell, Column, Header, Kind, folded
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.files import STAMP
from feedtool.model.settings import Constant
from feedtool.model.text import FieldName, MessageText, did_you_mean, joined, nearest, tr
from feedtool.runs.recipes import preset, presets

# Adapt a recipe to a later delivery whose columns have some other headers.


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
    by_fold = {folded(header): text for header, text in renames.items()}

    def new(header: str) -> str:
        return by_fold.get(folded(header), header)

    file = recipe.file
    return replace(
        recipe,
        file=replace(
            file,
            columns={new(header): key for header, key in file.columns.items()},
            names={name: new(header) for name, header in file.names.items()},
            fill_down={new(header): new(by) for header, by in file.fill_down.items()},
            join={
                name: replace(join, key={new(header): other for header, other in join.key.items()})
                for name, join in file.join.items()
            },
        ),
    )


SURE = 85
"""The confidence from which a column is taken without asking, by default."""
REPEATED = 2
"""A text occurs this often in a column of numbers, if it is a word for one."""
MOST_VALUES = 12
"""The most different values of a column that get a table."""


class UnknownWord(NamedTuple):
    """A text in the cells of a column that its field does not know."""

    column: ColumnProposal
    key: str
    """The field of the column."""
    text: str
    likely: str
    """Its likely meaning, a value of the field; blank if unknown."""


class SheetProposal(Struct, frozen=True):
    """The likely meanings of the columns of a sheet."""

    file: str
    sheet: str | None
    """None in a CSV."""
    other_sheets: Sequence[str]
    """The names of other sheets that fit equally well."""
    header_row: int
    """Its row number; in a CSV its line."""
    feed: Feed
    family: Sequence[Feed]
    """The feeds with the same columns."""
    columns: Sequence[ColumnProposal]
    known: Mapping[str, Column]
    cells: Mapping[int, SheetColumn]
    options: ReadOptions
    recipe: Recipe | None
    """The recipe that fits already."""
    is_ours: bool
    """True if the sheet was made from a template of feedtool."""
    base: Recipe | None
    """The recipe that was named, or that fits the sheet, or a preset that fits. All of it but its
    columns is kept."""
    missing_headers: Mapping[str, str]
    """The headers that a named recipe reads and the sheet lacks, each with its field or ""."""

    def accepted(self, least: int) -> "list[ColumnProposal]":
        return [column for column in self.columns if is_accepted(column, least)]

    @property
    def fields_of_base(self) -> set[str]:
        """The fields that the base fills without a column."""
        if self.base is None:
            return set()
        file = self.base.file
        taken = (key for join in file.join.values() for key in join.take)
        return {*file.default, *file.compute, *taken}

    def field_name(self, key: str) -> FieldName:
        known = self.known.get(key)
        return FieldName(key, known.labels if known else ())

    def missing(self, keys: Collection[str]) -> list[str]:
        """The fields that the kind requires, and that are not among `keys`."""
        return self.feed.recognition.missing(self._sheet_columns(keys))

    def missing_text(self, keys: Sequence[str]) -> MessageText:
        fields = joined(map(self.field_name, keys))
        return tr("Still missing for {kind}: {fields}", kind=self.feed.kind, fields=fields)

    @property
    def is_unchanged(self) -> bool:
        """True if the recipe that was named reads the sheet without a change."""
        headers = [column.header for column in self.columns]
        if self.base is None or self.base.path is None or self.missing_headers:
            return False
        return self.base.fits(self.sheet or "", headers)

    def differs_by_row(self, key: str) -> bool:
        """True for a field that differs in each row, so that one value for all is a mistake."""
        return key == key_of("price") or isinstance(
            self.known[key].type, Reference | ProductReference | Gtin
        )

    def _sheet_columns(self, keys: Collection[str]) -> SheetColumns:
        columns = {index: self.known[key] for index, key in enumerate(keys) if key in self.known}
        header = Header(self.header_row, self.header_row, columns, {}, (), frozenset())
        return sheet_columns(header, self.feed.sheet, self.options.context)

    def others(self, keys: Collection[str]) -> list[str]:
        """The kinds with the same columns that lack nothing, if the proposed one does."""
        columns = self._sheet_columns(keys)
        return [
            feed.kind
            for feed in self.family
            if feed is not self.feed
            and not feed.recognition.only_if_asked
            and not feed.recognition.missing(columns)
        ]

    def choices(self, key: str) -> Sequence[str]:
        """The values of a field, if it has a list of values."""
        kind = self.known[key].type
        return kind.allowed(self._reader(key)) if isinstance(kind, Choice) else ()

    def suggestion(self, key: str, text: str) -> str | None:
        """Return the value that the check would suggest for a text.

        Only a field with a list of values suggests one.
        """
        kind = self.known[key].type
        return kind.suggestion(text, self.choices(key)) if isinstance(kind, Choice) else None

    def is_value(self, key: str, text: str) -> bool:
        value = self.known[key].type.read(Cell(Kind.TEXT, text), self._reader(key))
        return not (isinstance(value, InvalidValue) and value.is_refused)

    def _reader(self, key: str) -> ColumnReader:
        return ColumnReader(self.known[key].type, self.options.context)

    def unknown_words(self, column: ColumnProposal) -> "list[UnknownWord]":
        """Return the texts of a column that its field does not know, if they are few."""
        kind = self.known[column.key].type if column.key else None
        if not column.key or not isinstance(kind, Choice | Number):
            return []
        texts = Counter(self.cells[column.index].texts)
        least = 1 if isinstance(kind, Choice) else REPEATED
        unknown = [
            text
            for text, count in texts.items()
            if count >= least and not self.is_value(column.key, text)
        ]
        if len(unknown) > MOST_VALUES:
            return []
        allowed = self.choices(column.key)
        meanings = ((text, conditions().get(plain(text), "")) for text in unknown)
        return [
            UnknownWord(column, column.key, text, value if value in allowed else "")
            for text, value in meanings
        ]


def is_accepted(column: ColumnProposal, least: int) -> bool:
    return column.confidence >= least and (column.key is not None or column.is_useless)


def propose_recipe(file: Input, options: ReadOptions, areas: Areas) -> SheetProposal:
    """Return the proposal for the likeliest sheet of a file, as the usual kind if none is named.

    Raises:
        FileProblem: the file cannot be read, or no row of it looks like a header.
        UsageProblem: several of its sheets are named.
    """
    of_account = options.recipes.recipes(Path(file.name), is_wanted=True)
    named_recipe = next((recipe for recipe in of_account if recipe.must_fit), None)
    kind = options.kind or (named_recipe.file.match.kind if named_recipe else None)
    usual = max(areas.feeds.values(), key=attrgetter("recognition.is_usual"))
    feed = areas.feeds.get(kind or "", usual)
    with open_input(file, options, areas) as source:
        names = sheet_names(source, options.sheets)
        if options.sheets and len(names) > 1:
            raise UsageProblem(
                tr("a map is of one sheet, and several are named"),
                tr("name one of: {choices}", choices=joined(names)),
            )
        pattern = (named_recipe and named_recipe.file.match.sheet) or ""
        matching = [name for name in names if fnmatchcase(name.casefold(), pattern.casefold())]
        sheet = likeliest_sheet(source, matching or names)
        if sheet is None:
            raise no_header(source, file.name, names)
        known = {column.key: column for column in feed.sheet.understood(options.dialect)}
        cells = read_columns(source, sheet, known)
    texts = sheet.texts
    is_ours = STAMP in source.properties
    more = [] if is_ours else options.recipes.recipes(Path(file.name), is_wanted=False)
    recipes = [*of_account, *more]
    fitting = next((recipe for recipe in recipes if recipe.fits(sheet.name, texts.values())), None)
    is_same_kind = fitting is not None and fitting.file.match.kind == feed.kind
    base = named_recipe or (fitting if is_same_kind else _preset(sheet, texts, feed.kind))
    earlier = _known_meanings([*recipes, *filter(None, [base])], feed.kind)
    columns = propose(cells, known, earlier, sheet.above)
    missing: Mapping[str, str] = {}
    if named_recipe and named_recipe.path and named_recipe.file.match.kind == feed.kind:
        missing = missing_headers(named_recipe, texts.values())
        columns = with_renamed(columns, named_recipe, missing, SURE)
    return SheetProposal(
        file.name,
        None if source.format == "csv" else sheet.name,
        sheet.others,
        sheet.row.line or sheet.row.number,
        feed,
        next(family for family in families(areas) if feed in family),
        columns,
        known,
        {column.index: column for column in cells},
        options,
        None if named_recipe else fitting,
        is_ours,
        base,
        missing,
    )


def _preset(sheet: OwnSheet, texts: Mapping[int, str], kind: str) -> Recipe | None:
    """Return the preset whose headers a sheet has; of several the one with the most."""
    fitting = [
        recipe
        for recipe in (preset(name, datetime.now(UTC).date()) for name in presets())
        if recipe.file.match.kind == kind and recipe.fits(sheet.name, texts.values())
    ]
    return max(fitting, key=lambda recipe: len(recipe.file.match.headers), default=None)


def _known_meanings(recipes: Sequence[Recipe], kind: str) -> dict[str, KnownMeaning]:
    """Return the meanings of headers in other recipes of the kind."""
    read = {
        words_of(header).text: KnownMeaning(None, tr("recipe {name}", name=recipe.name))
        for recipe in recipes
        if recipe.must_fit and recipe.path
        for header in read_headers(recipe)
    }
    return read | {
        words_of(header).text: KnownMeaning(
            key if isinstance(key, str) else None,
            tr("recipe {name}", name=recipe.name)
            if recipe.path
            else tr("preset {name}", name=recipe.name),
        )
        for recipe in recipes
        if recipe.file.match.kind == kind
        for header, key in recipe.file.columns.items()
        if not header.startswith("@")
    }


def with_meaning(column: ColumnProposal, key: str | None) -> ColumnProposal:
    """Return a column with the meaning that a user chose; None: it is of no use."""
    return replace(
        column, key=key, confidence=100, is_useless=key is None, not_for_sale=(), replaces=""
    )


def is_recognised(file: Input, options: ReadOptions, areas: Areas, recipe: str) -> bool:
    """True if a file is read by a recipe that is not named, without other options."""
    options = replace(options, kind=None, sheets=(), defaults={}, settle=lambda *_: None)
    try:
        with open_input(file, options, areas) as source:
            chosen = choose(source, options, areas, file.name)
    except FileProblem as problem:  # for example, a field is still missing
        return problem.message.startswith(f"recipe {recipe}:")
    return any(item.reason.partition(";")[0] == f"recipe {recipe}" for item in chosen)


# The form about a sheet: questions, their answers, and the reasons to refuse these.


class SheetForm(Struct):
    """The answers about a sheet, as they go into its recipe.

    Columns are asked for first, then the words that their fields do not know, then fields without a
    column. An answer is noted, or refused for a reason.
    """

    proposal: SheetProposal
    columns: list[ColumnProposal] = field(default_factory=list)
    """The columns that are a field or of no use."""
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    """Key → text in the sheet → its meaning."""
    unknown: dict[str, list[str]] = field(default_factory=dict)
    """Key → texts in the sheet whose meaning is unknown."""
    defaults: dict[str, Constant] = field(default_factory=dict)
    """Key → its value for all rows."""
    name_of: Callable[[str], str] = str
    """The name of a field in reasons: its key, or a `FieldName` for its label."""

    @property
    def keys(self) -> list[str]:
        return [column.key for column in self.columns if column.key]

    @property
    def missing(self) -> list[str]:
        """The required fields that nothing gives."""
        proposal = self.proposal
        options, base = proposal.options.defaults, proposal.fields_of_base
        return proposal.missing([*self.keys, *self.defaults, *options, *base])

    @property
    def renames(self) -> dict[str, str]:
        """Header of a named recipe → the header in the sheet that replaces it."""
        headers = {column.key: column.header for column in self.columns if column.key}
        replaced = {column.replaces: column.header for column in self.columns if column.replaces}
        missing = self.proposal.missing_headers.items()
        return {header: headers[key] for header, key in missing if key in headers} | replaced

    @property
    def words(self) -> list[UnknownWord]:
        return [*chain.from_iterable(map(self.proposal.unknown_words, self.columns))]

    @property
    def new_words(self) -> list[UnknownWord]:
        """The words that a named recipe does not explain, either."""
        base = self.proposal.base
        tables = base.file.values if base and base.must_fit else {}
        explained = {(key, folded(text)) for key, table in tables.items() for text in table}
        return [word for word in self.words if (word.key, folded(word.text)) not in explained]

    def likely_keys(self, column: ColumnProposal) -> list[str]:
        """The likely fields of a column that no other column is, best first."""
        keys = (column.key, *column.alternatives)
        return [key for key in keys if key and key not in self.keys]

    def note_column(self, column: ColumnProposal, key: str | None) -> MessageText | None:
        """Note the field of a column, None if it is of no use; return the reason against it."""
        if key in self.keys:
            return tr("{field} has a column already", field=self.name_of(key))
        if key is not None and key not in self.proposal.known:
            hint = did_you_mean(key, self.proposal.known)
            return tr("there is no field {field}; {hint}", field=self.name_of(key), hint=hint)
        self.columns.append(with_meaning(column, key))
        return None

    def note_proposed(self, column: ColumnProposal) -> None:
        self.columns.append(replace(column, confidence=100))

    def note_word(self, word: UnknownWord, value: str) -> MessageText | None:
        """Note the meaning of a word, blank if it is unknown; return the reason against it."""
        if not value:
            self.unknown.setdefault(word.key, []).append(word.text)
        elif why := self._why_no_value(word.key, value):
            return why
        else:
            self.values.setdefault(word.key, {})[word.text] = value
        return None

    def note_likely_words(self) -> None:
        for word in self.new_words:
            self.note_word(word, word.likely)

    def note_default(self, key: str, value: str) -> MessageText | None:
        """Note a field's value for all rows, unless it is blank; return the reason against it."""
        proposal = self.proposal
        if not value or key not in proposal.known or key in self.keys:
            return None
        if proposal.differs_by_row(key):
            return tr("its values differ from row to row: choose its column")
        if why := self._why_no_value(key, value):
            return why
        self.defaults[key] = value
        return None

    def _why_no_value(self, key: str, value: str) -> MessageText | None:
        if self.proposal.is_value(key, value):
            return None
        column, name = self.proposal.known[key], self.name_of(key)
        if not column.example:
            return tr("“{value}” is not a value of {field}", value=value, field=name)
        is_number = isinstance(column.type, Number)
        example = Decimal(column.example) if is_number else column.example
        return tr(
            "“{value}” is not a value of {field}; for example: {example}",
            value=value,
            field=name,
            example=example,
        )
