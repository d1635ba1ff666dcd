"""Texts for people: English messages with named values, which can be translated.

    tr("row {row} has no price", row=5)                          a str, in English
    plural("{count:,} row", "{count:,} rows", count)
    Translator("fr")(text)                                       the same in French

Without a translator a `MessageText` is its English text, as in JSON and logs. The English message
is its own id in the catalogues, gettext's `locale/LANGUAGE/PACKAGE.po` of each package. They are
read without a tool, since each command needs some.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property
from string import Formatter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from feedtool.model.files import folder_of

Language = Literal["en", "fr", "es"]
LANGUAGES: tuple[Language, ...] = ("en", "fr", "es")


class LanguageChoice(NamedTuple):
    """The requested language, and the one that is used if nothing else decides."""

    asked: Language | None = None
    default: Language = "en"

    def of(self, stamp: Language | None) -> Language:
        """The language for a sheet with a template in this one; None for another sheet."""
        return self.asked or stamp or self.default


_NONE: Mapping[str, Any] = MappingProxyType({})

Translate = Callable[[str], str]
"""Translates an English text; without a translation it stays English."""


class Label(str):
    """A value of a closed list as sent to the service; people read their sheet's word for it."""

    __slots__ = ("labels",)
    labels: tuple[str, ...]
    """Its words in the order of LANGUAGES; empty if there is only one spelling."""

    def __new__(cls, value: str, labels: Iterable[str] = ()) -> Self:
        label = super().__new__(cls, value)
        label.labels = tuple(labels)
        return label

    def __getnewargs__(self) -> tuple[str, tuple[str, ...]]:  # type: ignore[override]
        return str(self), self.labels


class FieldName(Label):
    """The key of a column; people read its header in their sheet, or else its label."""

    __slots__ = ()


class MessageText(str):
    """The English text of a message, with the message and its values."""

    __slots__ = ("forms", "values")
    forms: tuple[str, ...]
    """The message, or its singular and its plural."""
    values: Mapping[str, Any]
    """Values by name: a number, str, `FieldName`, `Label`, or another text."""

    def __new__(cls, forms: tuple[str, ...], values: Mapping[str, Any] = _NONE) -> Self:
        """Fill in a message's values; of two forms the value `count` decides."""
        form = forms[-1] if len(forms) > 1 and values["count"] != 1 else forms[0]
        text = super().__new__(cls, form.format_map(values))
        text.forms, text.values = forms, values
        return text

    def __getnewargs__(self) -> tuple[tuple[str, ...], dict[str, Any]]:  # type: ignore[override]
        return self.forms, dict(self.values)


def tr(message: str, /, **values: object) -> MessageText:
    """A message with values for `{name}`; write a literal brace twice."""
    return MessageText((message,), values)


def plural(one: str, many: str, count: int, /, **values: object) -> MessageText:
    """A message that counts: `{count}` is the number, which decides between two forms."""
    return MessageText((one, many), {"count": count, **values})


def joined(texts: Iterable[object], separator: str = ", ") -> MessageText:
    """Join texts with a separator that needs no translation."""
    values = {f"_{number}": text for number, text in enumerate(texts)}
    between = separator.replace("{", "{{").replace("}", "}}")
    return MessageText((between.join(f"{{{name}}}" for name in values),), values)


def option_name(name: str) -> MessageText:
    """The name of an option, such as `--rows`; the page shows another name."""
    return MessageText((name,))


def in_quotes(text: str) -> MessageText:
    """A value of a cell, or a header, in the quotation marks of each language."""
    return MessageText(("“{text}”",), {"text": text})


def column_name(letter: str, header: str) -> MessageText:
    """A column, or its cell, and the header: `C “Code barre”`."""
    return joined((letter, in_quotes(header)), " ")


def with_value(text: str, old: str, new: str) -> str:
    """Replace a text in a message's values, or in a plain text."""
    if not isinstance(text, MessageText):
        return text.replace(old, new)
    values = {
        name: with_value(value, old, new) if type(value) in {str, MessageText} else value
        for name, value in text.values.items()
    }
    return MessageText(text.forms, values)


def either(choices: Sequence[object]) -> MessageText:
    """`.xlsx`, `.xlsx or .csv`, `.xlsx, .xlsm or .csv`."""
    *first, last = choices
    return tr("{first} or {last}", first=joined(first), last=last) if first else joined(choices)


class Translator:
    """Translates texts, with a sheet's own names of fields and choices."""

    def __init__(
        self, language: Language, names: Mapping[str, str] = _NONE, list_language: str | None = None
    ) -> None:
        """Take headers by key as `names`; `list_language` is that of the sheet's lists, if any."""
        self.language = language
        self._names, self._list_language = names, list_language

    @cached_property
    def _texts(self) -> Mapping[str, tuple[str, ...]]:
        return catalogue(self.language)

    def for_sheet(self, names: Mapping[str, str], list_language: str | None) -> "Translator":
        return type(self)(self.language, names, list_language)

    def label(self, text: str) -> str:
        return f"{self(text)}{_COLONS[self.language]}"

    def message(self, english: str) -> str:
        """A translated message, its values not yet filled in."""
        known = self._texts.get(english)
        return _set_forms(self.language, known)[0] if known else english

    def __call__(self, text: str) -> str:
        """Translate a text; a text that is no message stays unchanged."""
        if not isinstance(text, MessageText):
            return self._value(text, "")
        values, forms = text.values, self.forms(text.forms)
        form = forms[-1] if len(forms) > 1 and self._is_plural(values["count"]) else forms[0]
        return "".join(
            [
                literal + (self._value(values[name], spec) if name else "")
                for literal, name, spec in _pieces(form)
            ]
        )

    def forms(self, forms: tuple[str, ...]) -> tuple[str, ...]:
        """A translated message, of one form or two, its values not yet filled in."""
        known = self._texts.get(forms[0])
        return _set_forms(self.language, known) if known else self._set(forms)

    def _set(self, forms: tuple[str, ...]) -> tuple[str, ...]:
        """A message of values only, with the language's signs between them."""
        if self.language == "en":
            return forms
        signs = _SIGNS[self.language]
        return tuple(re.sub("|".join(signs), lambda sign: signs[sign[0]], form) for form in forms)

    def _is_plural(self, count: int) -> bool:
        return count > 1 if self.language == "fr" else count != 1

    def _value(self, value: object, spec: str) -> str:
        match value:
            case MessageText():
                return self(value)
            case FieldName(labels=labels):
                name = labels[LANGUAGES.index(self.language)] if labels else str(value)
                return self._names.get(value, name)
            case Label(labels=labels) if labels and self._list_language:
                return labels[LANGUAGES.index(self._list_language)]
        shown = format(value, spec)
        is_number = isinstance(value, int | float | Decimal)
        return shown.translate(_MARKS[self.language]) if is_number else shown


_COLONS = {"en": ":", "fr": "\u00a0:", "es": ":"}
_SIGNS: Mapping[str, Mapping[str, str]] = {
    "fr": {": ": "\u00a0: ", "; ": "\u00a0; ", "“": "«\u00a0", "”": "\u00a0»"},
    "es": {"“": "«", "”": "»"},
}
_MARKS = {
    "en": {},
    "fr": str.maketrans({",": "\u202f", ".": ","}),
    "es": str.maketrans({",": ".", ".": ","}),
}
"""The marks of numbers: between thousands, and before decimals."""


@cache
def _pieces(form: str) -> Sequence[tuple[str, str, str]]:
    """The parts of a message: a literal, then the name of a value and its format, if any."""
    return [(literal, name or "", spec or "") for literal, name, spec, _ in Formatter().parse(form)]


@cache
def catalogue(language: str) -> Mapping[str, tuple[str, ...]]:
    """The messages of all packages in a language, each with its forms, by the English message.

    Callers apply `set_in`, since few of the thousands are ever used.
    """
    return {
        message: forms
        for content in _contents(language)
        for (context, message), forms in read_po(content).items()
        if message and not context
    }


@cache
def single_message(language: Language, english: str) -> str:
    """One message, if others are unlikely to follow: most of the catalogues are not read."""
    line = f"\nmsgid {json.dumps(english, ensure_ascii=False)}\n"
    content = next((content for content in _contents(language) if line in content), "")
    (form, *_) = read_po(content).get(("", english), (english,))
    return set_in(language, form)


def _contents(language: str) -> Iterator[str]:
    if language == "en":
        return
    root = folder_of("feedtool")
    for folder in (*root.iterdir(), *(root / "areas").iterdir()):
        file = folder / "locale" / language / f"{folder.name}.po"
        if file.is_file():
            yield file.read_text("utf-8")


@cache
def _set_forms(language: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(set_in(language, form) for form in forms)


def set_in(language: str, text: str) -> str:
    """Set a text for print: in French no line breaks at the blanks beside signs."""
    return _FRENCH_BLANK.sub("\u00a0", text) if language == "fr" else text


_FRENCH_BLANK = re.compile(r"(?<=«) | (?=»)| (?=[:;?!](?:[\s)»]|$))")

_QUOTED = r'((?:\s+"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")++)'
_ENTRY = re.compile(
    rf"^(?:msgctxt{_QUOTED}\s+)?msgid{_QUOTED}\s+(?:msgid_plural{_QUOTED}\s+)?"
    rf"msgstr(?:\[0\])?{_QUOTED}(?:\s+msgstr\[1\]{_QUOTED})?",
    re.MULTILINE,
)
_JOINT = re.compile(r'"\s*\n\s*"')
"""The break between two lines of one text."""


def read_po(content: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Parse a gettext catalogue: the forms of each text by its context, possibly empty, and msgid.

    Languages have two forms, as tools write them. https://www.gnu.org/software/gettext/
    """
    return {
        (_unquoted(context), _unquoted(key)): tuple(_unquoted(form) for form in forms if form)
        for context, key, _, *forms in _ENTRY.findall(content)
    }


def _unquoted(quoted: str) -> str:
    text = quoted.strip()[1:-1]
    if "\n" in text:
        text = _JOINT.sub("", text)
    # Its escapes are the same as JSON's.
    return str(json.loads(f'"{text}"')) if "\\" in text else text


_MESSAGE = "\x1e"
"""The first character of a stored message: no cell and no answer has it."""


def kept_text(text: str) -> str:
    is_message = isinstance(text, MessageText)
    return _MESSAGE + json.dumps(_kept(text), ensure_ascii=False) if is_message else text


def text_of_kept(kept: str) -> str:
    text: str = _read(json.loads(kept[1:])) if kept.startswith(_MESSAGE) else kept
    return text


def _kept(value: object) -> object:
    match value:
        case MessageText(forms=forms, values=values):
            return [*forms, {name: _kept(item) for name, item in values.items()}]
        case FieldName(labels=labels):
            return {"field": str(value), "labels": labels}
        case Label(labels=labels):
            return {"label": str(value), "labels": labels}
        case Decimal():
            return {"decimal": str(value)}
    return value if isinstance(value, int | float) else str(value)


def _read(kept: Any) -> Any:
    match kept:
        case [*forms, dict(values)]:
            return MessageText(tuple(forms), {name: _read(item) for name, item in values.items()})
        case {"label": value, "labels": labels}:
            return Label(value, labels)
        case {"field": key, "labels": labels}:
            return FieldName(key, labels)
        case {"decimal": number}:
            return Decimal(number)
    return kept


# Find the known word that was probably meant.

ALIKE = 75
"""The least similarity of a suggested word, in percent."""

LISTED_WORDS = 15
"""Words that a hint lists."""


def did_you_mean(word: str, known: Iterable[str]) -> MessageText:
    """A hint with the nearest of some words, or else with the first of the known words."""
    words = list(known)
    if near := nearest(word, words):
        return tr("did you mean {choice}?", choice=near)
    return tr(
        "use one of: {choices}",
        choices=joined([*words[:LISTED_WORDS], *["…"] * (len(words) > LISTED_WORDS)]),
    )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The most similar word, None if no word is similar enough."""
    from rapidfuzz import process, utils

    near = process.extractOne(
        word, list(known), processor=utils.default_process, score_cutoff=ALIKE
    )
    return near[0] if near else None
