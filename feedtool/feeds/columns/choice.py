"""Values from a closed list, compared without case and sent in their canonical form."""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property

from msgspec import Struct, field

from feedtool.feeds.columns import PROBLEMS, ColumnReader, InvalidValue
from feedtool.feeds.columns.identifier import Identifier
from feedtool.feeds.columns.text import identified, plain, refused, trimmed, visible
from feedtool.model.cells import Cell, Kind
from feedtool.model.files import folder_of
from feedtool.model.nouns import Code, Issue
from feedtool.model.settings import AccountSettings
from feedtool.model.text import LANGUAGES, Label, MessageText, joined, tr

COUNTRY_READ = PROBLEMS.warning("country-read")
ENUM_VALUE = PROBLEMS.error("enum-value")
ENUM_ACCENTS = PROBLEMS.warning("enum-accents")
FIELD_RETIRED = PROBLEMS.error("field-retired")
_DASH = re.compile(r" [-\u2010-\u2015] ?|[-\u2010-\u2015] ")
"""Between a group and a state."""

SHORT = 2
"""The most characters of a value that is too short for suggestions."""
CLOSE = 50
"""The least likeness of a value and a suggestion; 100 is equal."""
MISSPELT = 85
"""The least likeness of a misspelling and its value: a letter or two differ."""


class Choice(Struct, frozen=True, dict=True):
    values: Mapping[str, tuple[str, ...]]
    """Canonical value → other writings of it."""

    @cached_property
    def _by_writing(self) -> Mapping[str, str]:
        return {
            _folded(writing): value
            for value, others in self.values.items()
            for writing in (value, *others)
        }

    @cached_property
    def _by_bare(self) -> Mapping[str, list[str]]:
        """Folded writings, by their form without accents."""
        writings: dict[str, list[str]] = {}
        for text in self._by_writing:
            writings.setdefault(_unaccented(text), []).append(text)
        return writings

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        del column
        return tuple(self.values)

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        text = identified(cell)
        if not isinstance(text, str):
            return text
        allowed = self.allowed(column)
        value = self._by_writing.get(_folded(text)) or self._of_parts(text)
        if value is None:  # a seller's own list may have values without a label
            value = _by_folded(allowed).get(_folded(text))
        faults = trimmed(cell, text)
        if value is None and (writing := self.unaccented(cell, column)):
            value = self._by_writing[_folded(writing)]
            message = tr("its accents differ from the list: read as {choice}", choice=writing)
            faults = (*faults, Issue(ENUM_ACCENTS, message))
        if value not in allowed:
            hint = tr("write the one that is meant")
            if near := self.suggestion(text, allowed):
                hint = tr("did you mean {choice}?", choice=self.label(near))
            return refused(ENUM_VALUE, self._not_listed(visible(text), allowed), hint)
        return InvalidValue(value, faults) if faults else value

    def _of_parts(self, text: str) -> str | None:
        """Return the value of a text of several parts; None in a list without such texts."""

    def unaccented(self, cell: Cell, column: ColumnReader) -> str | None:
        """Return the writing that differs from a text only in accents."""
        alike = self._by_bare.get(_unaccented(_folded(plain(cell.text))), [])
        is_clear = len({self._by_writing[text] for text in alike}) == 1
        return self._written(alike[0], column) if is_clear else None

    def misspelt(self, cell: Cell, column: ColumnReader) -> str | None:
        """Return the writing that differs from a text in a letter or two."""
        nearest = self._nearest(_folded(plain(cell.text)), MISSPELT)
        return self._written(nearest, column) if nearest else None

    def _written(self, folded: str, column: ColumnReader) -> str | None:
        """Return a writing as the list spells it, if the seller may use its value."""
        value = self._by_writing[folded]
        if value not in self.allowed(column):
            return None
        return next(text for text in (value, *self.values[value]) if _folded(text) == folded)

    def _nearest(self, text: str, likeness: int) -> str | None:
        """Return the folded writing that is most similar to a folded text."""
        from rapidfuzz import fuzz, process

        # Two letters are too few to compare: `de` is not `es`.
        known = tuple(self._by_writing) if len(text) > SHORT else ()
        near = process.extractOne(text, known, scorer=fuzz.ratio, score_cutoff=likeness)
        return near[0] if near else None

    def suggestion(self, text: str, allowed: Sequence[str]) -> str | None:
        """Return the probable value of a text, or None."""
        near = self._nearest(_folded(text), CLOSE)
        value = self._by_writing[near] if near else None
        return value if value in allowed else None

    def _not_listed(self, text: str, allowed: tuple[str, ...]) -> MessageText:
        choices = joined(map(self.label, allowed))
        return tr("“{text}” is not one of {choices}", text=text, choices=choices)

    def label(self, value: str) -> Label:
        labels = self.values.get(value, ())
        return Label(value, labels[: len(LANGUAGES)] if len(labels) >= len(LANGUAGES) else ())


class Action(Choice, frozen=True):
    words: Mapping[str, Collection[str]]
    """Value → words in lower case that people use for it."""

    def suggestion(self, text: str, allowed: Sequence[str]) -> str | None:
        """Compare with words that people use first: `supprimer` looks like `Upsert`."""
        said = _folded(text)
        value = next((value for value, words in self.words.items() if said in words), None)
        return value or Choice.suggestion(self, text, allowed)


class Condition(Choice, frozen=True):
    """The condition of an offer; the profile's settings have the list."""

    parts: Mapping[tuple[str, str], str]
    """Names of a group and of a state → their value."""

    @cached_property
    def _by_parts(self) -> Mapping[tuple[str, str], str]:
        return {
            (_unaccented(group), _unaccented(state)): value
            for (group, state), value in self.parts.items()
        }

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        return column.settings.conditions

    def suggestion(self, text: str, allowed: Sequence[str]) -> str | None:
        """Compare with words that people use before comparing letters: `as new` is not `New`."""
        letters = (letter if letter.isalnum() else " " for letter in _unaccented(_folded(text)))
        value = condition_words().get(_folded("".join(letters)))
        if value is None:
            return Choice.suggestion(self, text, allowed)
        return value if value in allowed else None

    def _of_parts(self, text: str) -> str | None:
        """Read `group - state`, the form of the channel operator's lists: `Nuevo - Nuevo`."""
        group, dash, state = _DASH.sub("\n", _folded(text), count=1).partition("\n")
        if not dash:
            return None
        if group == state:
            return self._by_writing.get(group)
        return self._by_parts.get((_unaccented(group), _unaccented(state)))


class Retired(Struct, frozen=True):
    """A field that can no longer be submitted: any value is refused."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        del column
        if not plain(cell.text):
            return None
        return refused(
            FIELD_RETIRED,
            tr("this field can no longer be submitted"),
            tr("empty or remove the column"),
        )


class Ignored(Struct, frozen=True):
    """A field that is no longer supported: it is not read, and reported once."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        del cell, column
        return None


@cache
def condition_words() -> Mapping[str, str]:
    """Return words for a condition → its value; "" for a word of several meanings.

    The words are in lower case, without accents and punctuation.
    """
    tables = tomllib.loads((folder_of(__package__) / "conditions.toml").read_text("utf-8"))
    return {text: value for value, texts in tables.items() for text in texts}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@cache
def _by_folded(values: tuple[str, ...]) -> dict[str, str]:
    return {_folded(value): value for value in reversed(values)}


def _unaccented(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


YES, NO = "true", "false"


class YesNo(Choice, frozen=True):
    """Yes or no, as `true` or `false`; also cells that a spreadsheet stores as TRUE or FALSE."""

    values: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            YES: ("Yes", "Oui", "Sí", "Si", "Y", "O", "S", "1", "vrai", "verdadero"),
            NO: ("No", "Non", "No", "N", "0", "faux", "falso"),
        }
    )

    def label(self, value: str) -> Label:
        """Return Yes or No; people do not write `true` and `false`."""
        words = self.values[value][: len(LANGUAGES)]
        return Label(words[0], words)

    def _nearest(self, text: str, likeness: int) -> str | None:
        """Return None: a guess between two words would decide the answer."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        is_boolean = cell.kind is Kind.BOOLEAN
        return Choice.read(self, cell._replace(kind=Kind.TEXT) if is_boolean else cell, column)


class Suggested(Struct, frozen=True):
    """A text with suggested values in the profile's settings; another value is a warning."""

    setting: Callable[[AccountSettings], tuple[str, ...]]
    unknown: Code
    """The code of the warning."""
    known: tuple[str, ...] = ()
    """Other values without a warning, since a rule of the area reports about them."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return the text, in the profile's spelling if the profile has it."""
        value = Identifier().read(cell, column)
        text, faults = (
            (value.value, value.faults) if isinstance(value, InvalidValue) else (value, ())
        )
        suggested = self.setting(column.settings)
        if not isinstance(text, str) or not suggested:
            return value
        known = _by_folded(suggested)
        if same := known.get(_folded(text)) or _by_folded(self.known).get(_folded(text)):
            return same
        from rapidfuzz import process

        near = process.extractOne(_folded(text), known.keys(), score_cutoff=CLOSE)
        hint = tr("did you mean {choice}?", choice=known[near[0]]) if near else ""
        message = tr(
            "“{text}” is not one of the profile's: {choices}",
            text=visible(text),
            choices=joined(suggested),
        )
        return InvalidValue(text, (*faults, Issue(self.unknown, message, hint)))


COUNTRIES = folder_of(__package__) / "countries.tsv"
"""Rows of a code, names in `LANGUAGES`, former names; written by `python -m tests.countries`."""


@cache
def country_names() -> Mapping[str, tuple[str, ...]]:
    """Return the codes of all countries (ISO 3166-1): names in `LANGUAGES`, then other names."""
    rows = (line.split("\t") for line in COUNTRIES.read_text("utf-8").splitlines())
    return {code: tuple(names) for code, *names in rows}


class _Countries(Mapping[str, tuple[str, ...]]):
    """`country_names`, read at the first use."""

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return country_names()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(country_names())

    def __len__(self) -> int:
        return len(country_names())


class Country(Choice, frozen=True):
    """A country by its code (ISO 3166-1 alpha-2) or its name; the value is the code."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=_Countries)

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return the code; the specification has both GB and UK for one country."""
        if cell.text.strip().upper() != "UK":
            return Choice.read(self, cell, column)
        value = Choice.read(self, cell._replace(text="GB"), column)
        if isinstance(value, InvalidValue):
            return value
        return InvalidValue(value, (Issue(COUNTRY_READ, tr("UK is read as GB")),))

    def _not_listed(self, text: str, allowed: tuple[str, ...]) -> MessageText:
        if code := self._by_writing.get(_folded(text)):
            return tr(
                "{country} is not open in the profile, whose storage_countries are {countries}",
                country=self.label(code),
                countries=joined(map(self.label, allowed)),
            )
        # The list of all countries is too long for a message.
        return tr("“{text}” is not a country or the code of a country", text=text)
