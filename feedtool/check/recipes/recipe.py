"""Read a recipe: a TOML file that turns a merchant's own sheet into rows of a kind of feed."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.check.recipes.expressions import Expression, ExpressionProblem, compile_expression
from feedtool.check.recipes.functions import is_name
from feedtool.check.recipes.join_file import oldest
from feedtool.feeds.feed import ACTION, CHANNEL, Feed, Row
from feedtool.model.cells import Cell, Column, Header, folded
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.settings import Constant, is_constant, read_toml
from feedtool.model.text import did_you_mean, either, joined, tr

# The tables of a recipe's file, and the check of them, with lines and suggestions.


LONGEST_FILE = 1 << 20
"""The most bytes of a recipe."""


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a sheet is known to be of this recipe."""

    kind: str
    """The kind of feed that its rows are."""
    headers: tuple[str, ...] = ()
    """The headers that the sheet must have."""
    sheet: str | None = None
    """The sheet's name; `*` stands for anything."""
    rows: Literal["until-blank"] | None = None
    """`until-blank`: what follows the first blank row is not read."""


FileName = Annotated[str, msgspec.Meta(min_length=1)]


class Join(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A second sheet, whose rows are found by a key."""

    file: FileName | Annotated[tuple[FileName, ...], msgspec.Meta(min_length=1)] = ()
    """Its name, `*` for anything: the newest that fits. A list joins a file for each of its names;
    without any it is the workbook that is read."""
    sheet: str = ""
    """Its sheet's name; `*` stands for anything. A hidden sheet needs its whole name."""
    key: dict[str, str]
    """Header of this sheet → header of the other."""
    take: dict[str, str]
    """Key of a column → header of the other sheet."""
    pick: str = ""
    """The row that counts of several with one key: `sum qty` adds up a header that is taken, `min
    price` and `max price` take the row where it is the least or the greatest."""
    too_old: str = ""
    """The age from which it is refused: `26h`, `3d`."""
    missing: Literal["keep", "zero", "hold"] = "keep"
    """What is done with a row that the other sheet does not have, or has a blank cell for. `zero`
    is for numbers alone."""
    at_least: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0
    """The share of rows that must be found there; fewer hold the file."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its files; none if it joins another sheet of the same workbook."""
        if isinstance(self.file, str):
            return (self.file,)
        return self.file

    @property
    def picked(self) -> tuple[str, str]:
        """The way to pick a row, and the header that decides; blank without `pick`."""
        how, _, header = self.pick.strip().partition(" ")
        return how, header.strip()


class RecipeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of a recipe."""

    match: Match
    columns: dict[str, str | bool] = {}
    """Header, or `@` and a column's letters → key; false: known, and of no use."""
    names: dict[str, str] = {}
    """Name in expressions → header."""
    fill_down: dict[str, str] = {}
    """Header → header: expressions read in a blank cell what stands above it, as long as the second
    column says the same."""
    values: dict[str, dict[str, Constant]] = {}
    """Key → what stands in the cell → what is meant."""
    default: dict[str, Constant] = {}
    """Key → its value where the cell is blank or the column is absent."""
    compute: dict[str, str] = {}
    """Key → expression; it wins over a column."""
    skip: dict[str, str] = {}
    """Reason → condition of the rows that are left out."""
    not_for_sale: dict[str, str] = {}
    """Reason → condition of the rows that are left out; where the service has accepted their offer
    before, its quantity is set to 0."""
    out_of_stock: dict[str, str] = {}
    """Reason → condition of the rows whose quantity is 0."""
    warn: dict[str, str] = {}
    """Reason → condition of the rows that are sent with a warning."""
    join: dict[str, Join] = {}
    """A name → a second sheet whose rows are joined."""
    channels: dict[str, dict[str, str]] = {}
    """salesChannelId → key → expression; `skip` is a condition."""


SKIP_ROWS, NOT_FOR_SALE, OUT_OF_STOCK, WARN = "skip", "not_for_sale", "out_of_stock", "warn"
RULES = (SKIP_ROWS, NOT_FOR_SALE, OUT_OF_STOCK, WARN)
"""Tables of conditions by reasons: the first true condition decides about a row."""

SUM = "sum"
PICKS = (SUM, "min", "max")
"""The ways to pick one of several rows with the same key."""

Lines = Mapping[tuple[str, str], int]
"""Table and key → the number of their first line."""

EXPECTED = {
    "columns": tr("a field in quotes, or false"),
    "names": tr("a header in quotes"),
    "fill_down": tr("a header in quotes"),
    "values": tr("a text, a number, true or false"),
    "default": tr("a text, a number, true or false"),
    "compute": tr("an expression in quotes"),
    **dict.fromkeys(RULES, tr("a condition in quotes")),
    "channels": tr("an expression in quotes"),
}
"""The expected values in a table."""
SEVERAL = {"values", "channels"}
"""Tables of tables."""
NAMES_OF_TYPES = {
    "str": tr("text"),
    "float": tr("a number"),
    "int": tr("a number"),
    "bool": tr("true or false"),
    "array": tr("a list"),
    "object": tr("a table"),
}
TOML_HINT = tr(
    'correct the line: headers and texts in quotes, as in "Réf" = "quantity", each header once'
)
SHOWN = 60
"""The most characters of a value in a message."""


def parse_tables(text: str, shown: str) -> tuple[RecipeFile, Lines]:
    """Return the tables of a recipe and their lines; UsageProblem with the place of a fault."""
    if len(text) > LONGEST_FILE:
        raise UsageProblem(
            tr("the recipe {path} is longer than a MiB", path=shown), tr("make it shorter")
        )
    try:
        tables = read_toml(text)
    except ValueError as error:
        raise UsageProblem(
            tr("the recipe {path} cannot be read: {reason}", path=shown, reason=error.args[0]),
            TOML_HINT,
        ) from None
    lines = dict(_lines(text))
    for place, reason, hint in _faults(tables):
        raise UsageProblem(joined((place_of(shown, lines, *place), reason), ": "), hint)
    return msgspec.convert(tables, RecipeFile), lines


def place_of(shown: str, lines: Lines, table: str, key: str = "") -> str:
    """Return a place in the file, for messages."""
    line = lines.get((table, key)) or lines.get((table, ""))
    where = f"{shown}:{line}" if line else shown
    return f"{where}, [{table}]{f' {key}' if key else ''}"


_TABLE = re.compile(r"^\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")


def _lines(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = ".".join(part.strip().strip("\"'") for part in match[1].split(".", 1))
            yield (table, ""), number
        elif match := _KEY.match(line):
            yield (table, match[1].strip("\"'")), number


Fault = tuple[tuple[str, str], str, str]
"""The place by table and key, the problem, and a hint."""


def _faults(tables: Mapping[str, Any]) -> Iterator[Fault]:
    known = RecipeFile.__struct_fields__
    for table, entries in tables.items():
        if table not in known:
            yield (table, ""), tr("a recipe has no table of this name"), did_you_mean(table, known)
        elif not isinstance(entries, dict):
            yield (
                (table, ""),
                tr("this must be a table"),
                tr("begin it with [{table}]", table=table),
            )
    yield from _struct_faults("match", Match, tables.get("match", {}))
    for name, join in tables.get("join", {}).items():
        yield from _struct_faults(f"join.{name}", Join, join)
        yield from _join_faults(f"join.{name}", msgspec.convert(join, Join))
    yield from _entries_faults(tables)
    for name in tables.get("names", {}):
        if not is_name(name):
            hint = tr("use letters, digits and _ alone, and no word such as if, not or none")
            yield ("names", name), tr("this cannot be a short name"), hint


def _join_faults(table: str, join: Join) -> Iterator[Fault]:
    """Yield faults of a join that its types allow."""
    if not join.files and not join.sheet:
        hint = tr("add file = …, or sheet = … for a sheet of the same workbook")
        yield (table, ""), tr("{field} is missing", field="file"), hint
    if "\0" in "".join(join.files):
        reason = tr("no name has the character NUL")
        yield (table, "file"), reason, tr("write the file's name")
    if join.too_old and oldest(join.too_old) is None:
        reason = tr("“{text}” is not an age", text=join.too_old[:SHOWN])
        yield (table, "too_old"), reason, tr('write "26h", for example')
    if join.too_old and not join.files:
        reason = tr("a sheet of the same workbook has no age of its own")
        yield (table, "too_old"), reason, tr("take it out of the recipe")
    how, header = join.picked
    if join.pick and not (how in PICKS and header):
        reason = tr("“{text}” picks no row", text=join.pick[:SHOWN])
        yield (
            (table, "pick"),
            reason,
            tr('write "sum qty", "min price" or "max price", for example'),
        )
    elif how == SUM and folded(header) not in map(folded, join.take.values()):
        reason = tr("“{text}” is not taken from the other sheet", text=header[:SHOWN])
        yield (table, "pick"), reason, tr("add up a header that stands in take")


def _entries_faults(tables: Mapping[str, Any]) -> Iterator[Fault]:
    for table in filter(tables.__contains__, EXPECTED):
        if table not in SEVERAL:
            yield from _entry_faults(table, table, tables[table])
    for table in sorted(SEVERAL.intersection(tables)):
        for key, entries in tables[table].items():
            yield from _entry_faults(table, f"{table}.{key}", entries)


def _entry_faults(kind: str, table: str, entries: object) -> Iterator[Fault]:
    """Yield the faults of a table whose keys are chosen by the merchant."""
    if not isinstance(entries, dict):
        yield (table, ""), tr("this must be a table"), tr("begin it with [{table}]", table=table)
        return
    for key, value in entries.items():
        is_useless = kind == "columns" and value is False
        is_right = is_constant(value) if kind in {"values", "default"} else isinstance(value, str)
        if not (is_useless or is_right):
            shown = json.dumps(value, ensure_ascii=False, default=str)[:SHOWN]
            yield (
                (table, key),
                tr("{value} is not {expected}", value=shown, expected=EXPECTED[kind]),
                tr("write {expected}", expected=EXPECTED[kind]),
            )


def _struct_faults(table: str, struct: type[msgspec.Struct], entries: object) -> Iterator[Fault]:
    """Yield the faults of a table with fixed keys."""
    known = struct.__struct_fields__
    if not isinstance(entries, dict):
        yield (table, ""), tr("this must be a table"), tr("begin it with [{table}]", table=table)
        return
    for key in entries:
        if key not in known:
            yield (table, key), tr("no key of this name belongs here"), did_you_mean(key, known)
    for member in msgspec.structs.fields(struct):
        if member.required and member.name not in entries:
            yield (
                (table, ""),
                tr("{field} is missing", field=member.name),
                tr("add {name} = …", name=member.name),
            )
    hints = get_type_hints(struct, include_extras=True)
    for key, value in entries.items():
        try:
            msgspec.convert(value, hints[key])
        except msgspec.ValidationError as error:
            shown = json.dumps(value, ensure_ascii=False, default=str)[:SHOWN]
            yield (
                (table, key),
                tr("{value} cannot stand here", value=shown),
                _expected(str(error), hints[key]),
            )


_EXPECTED = re.compile(r"Expected `([^`]+)`( [<>]= [0-9.]+)?(?:, got `([^`]+)`)?")


def _expected(reason: str, hint: Any) -> str:
    """Return the expected value in words."""
    choices = [value for part in (hint, *get_args(hint)) for value in get_args(part)]
    if "enum" in reason:
        return tr(
            "use one of: {choices}",
            choices=joined(value for value in choices if isinstance(value, str)),
        )
    if "length" in reason:
        return tr("it must not be blank")
    names, limit, actual = _EXPECTED.findall(reason)[0]
    expected = either([NAMES_OF_TYPES.get(name, name) for name in names.split(" | ")])
    if actual:
        return tr(
            "it must be {expected}, not {value}",
            expected=expected,
            value=NAMES_OF_TYPES.get(actual, actual),
        )
    return tr("it must be {expected}", expected=joined((expected, limit), ""))


# Split rows for several sales channels.


OF_CHANNEL = re.compile(r"(?P<key>[^\[\]]+)\[(?P<code>[^\[\]]+)\]")
"""A key on one channel."""
FOOTNOTE = re.compile(r"\s*\d{1,2}\s*")
SKIP = "skip"
"""The name, instead of a key, of the condition that excludes a row from the channel."""


class Truth:
    """The type of a condition."""

    def read(self, cell: Cell, column: object) -> bool:
        del column
        return cell.text == "TRUE"


def of_channel(key: str, code: str) -> str:
    return f"{key}[{code}]"


def key_on(key: str, channel: str) -> str | None:
    """Return the key of a column on a channel; None for other channels, and for a condition."""
    match = OF_CHANNEL.fullmatch(key)
    if match is None:
        return key
    return match["key"] if match["code"] == channel and match["key"] != SKIP else None


def channel_column(header: str, columns: Mapping[str, Column]) -> Column | None:
    """Return the column of a key on one channel, `price.price[CODE]`; None for other headers."""
    match = OF_CHANNEL.fullmatch(header)
    base = columns.get(match["key"]) if match else None
    if match is None or base is None or FOOTNOTE.fullmatch(match["code"]):
        return None
    return replace(base, key=header, labels=("", "", ""), aliases=())


def refusal(column: Column, feed: Feed) -> str:
    """Return the reason why a column cannot be of one channel; empty if it can."""
    base = column.key.partition("[")[0]
    if not feed.sheet.has_channel:
        return tr("{kind} have no sales channels", kind=feed.sheet.name)
    if column.is_shared:
        return tr("all channels share one stock")
    is_of_row = base in {feed.requests.reference, CHANNEL, ACTION, *feed.requests.identity}
    return tr("{key} is of the row, not of a channel", key=base) if is_of_row else ""


def base_keys(header: Header) -> frozenset[str]:
    matches = (OF_CHANNEL.fullmatch(column.key) for column in header.columns.values())
    return frozenset(match["key"] for match in matches if match)


def channel_split(header: Header) -> Callable[[Row], Sequence[Row]] | None:
    """Return a function that splits rows by channel; None if no column is of one channel.

    A row is for another channel unless the channel's cells are blank or its condition is true. It
    is for its own channel if a column is of no channel, or of its own channel.
    """
    channels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for column in header.columns.values():
        if match := OF_CHANNEL.fullmatch(column.key):
            channels[match["code"]][match["key"]] = column.key
    if not channels:
        return None
    has_base = not base_keys(header).isdisjoint(column.key for column in header.columns.values())

    def split(row: Row) -> Sequence[Row]:
        rows = {row.channel: row} if has_base else {}
        for code, keys in channels.items():
            of_code = {key: row.values.get(column) for key, column in keys.items()}
            refused = {key for key, column in keys.items() if column in row.refused}
            is_left_out = of_code.pop(SKIP, None) is True
            is_filled = any(value is not None for value in of_code.values())
            if refused or (not is_left_out and is_filled):
                values = {**row.values, **of_code, CHANNEL: code}
                rows[code] = row._replace(
                    channel=code, values=values, refused=(row.refused - of_code.keys()) | refused
                )
        return list(rows.values()) or (row,)

    return split


LETTERS = "@"
"""The sign before a column's letters, `@C`, instead of a header."""


class Recipe(Struct, frozen=True):
    """A recipe that can be used."""

    name: str
    path: Path | None
    """The file; None for a recipe that ships with feedtool."""
    text: str
    file: RecipeFile
    compute: Mapping[str, Expression]
    rules: Mapping[str, Mapping[str, Expression]]
    """Conditions by the tables of RULES."""
    channels: Mapping[str, Mapping[str, Expression]]
    today: date
    """The day for `days_since`."""
    is_wanted: bool = False
    """True if the account or the user chose it, so that it applies to every sheet that it fits."""
    must_fit: bool = False
    """True if the user chose it for these files."""
    lines: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def headers(self) -> Sequence[str]:
        """The headers that a sheet must have to fit, without columns by letters."""
        columns = self.file.columns.items()
        headers = self.file.match.headers or [header for header, key in columns if key]
        return [header for header in headers if not header.startswith(LETTERS)]

    def fits(self, sheet: str, texts: Iterable[str]) -> bool:
        """Return True if the recipe fits a sheet with this name and these headers.

        A recipe without headers fits only files for which the user chose it.
        """
        pattern = self.file.match.sheet
        is_called_so = pattern is None or fnmatchcase(sheet.casefold(), pattern.casefold())
        can_fit = self.must_fit or bool(self.headers)
        return is_called_so and can_fit and not self.lacking(texts)

    def lacking(self, texts: Iterable[str]) -> list[str]:
        present = set(map(folded, texts))
        return [header for header in self.headers if folded(header) not in present]

    @property
    def shown(self) -> str:
        return str(self.path or f"preset:{self.name}")

    def place(self, table: str, key: str = "") -> str:
        return place_of(self.shown, self.lines, table, key)


def read_recipe(path: Path, today: date) -> Recipe:
    """Return the recipe in a file. Raises UsageProblem with the place of a fault."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1).decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(
            tr("the recipe {path} cannot be read: {reason}", path=path, reason=reason_of(error)),
            tr("check its name and its folder"),
        ) from error
    except UnicodeDecodeError as error:
        raise UsageProblem(
            tr("the recipe {path} is not UTF-8", path=path), tr("save it as UTF-8")
        ) from error
    return parse_recipe(text, path.stem, path, today)


def parse_recipe(text: str, name: str, path: Path | None, today: date) -> Recipe:
    """Return the recipe in a text. Raises UsageProblem with the place of a fault."""
    file, lines = parse_tables(text, str(path or name))
    return _compiled(Recipe(name, path, text, file, {}, {}, {}, today, lines=lines))


def _compiled(recipe: Recipe) -> Recipe:
    file = recipe.file
    keys = {key for key in file.columns.values() if isinstance(key, str)}
    keys |= {*file.names, *file.default, *(key for join in file.join.values() for key in join.take)}
    made = keys | set(file.compute)

    def compiled(table: str, sources: Mapping[str, str], known: Iterable[str]) -> Any:
        result = {}
        for key, source in sources.items():
            try:
                is_condition = table in RULES or key == SKIP
                result[key] = compile_expression(
                    source, list(known), recipe.today, is_condition=is_condition
                )
            except ExpressionProblem as problem:
                values = {
                    "place": recipe.place(table, key),
                    "reason": problem.reason,
                    "source": source[:80],
                }
                raise UsageProblem(
                    tr(
                        "{place}: {reason} at character {number}, in: {source}",
                        number=problem.position + 1,
                        **values,
                    )
                    if problem.position
                    else tr("{place}: {reason}, in: {source}", **values),
                    problem.hint or tr("correct the expression"),
                ) from None
        return result

    return replace(
        recipe,
        compute=compiled("compute", file.compute, keys),
        rules={
            table: compiled(table, getattr(file, table), keys if table == OUT_OF_STOCK else made)
            for table in RULES
        },
        channels={
            code: compiled(f"channels.{code}", rules, made) for code, rules in file.channels.items()
        },
    )
