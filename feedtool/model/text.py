"""Texts for people: an English message with named values, which can be said in other languages.

    tr("row {row} has no price", row=5)                          a str, in English
    plural("{count:,} row", "{count:,} rows", count)
    Translator("fr")(text)                                       the same in French

To all that ask for no more a `MessageText` is its English text: JSON, logs. The English
message is its own id in the catalogues, gettext's `locale/LANGUAGE/PACKAGE.po` of each package.
They are read without a tool, since each command needs some.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property
from string import Formatter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from feedtool.model.own_files import folder_of

Language = Literal["en", "fr", "es"]
LANGUAGES: tuple[Language, ...] = ("en", "fr", "es")


class LanguageChoice(NamedTuple):
    """The language that was asked for, and the one where neither that nor a sheet says another."""

    asked: Language | None = None
    default: Language = "en"

    def of(self, stamp: Language | None) -> Language:
        """The language for a sheet whose template is in this one; None of another sheet."""
        return self.asked or stamp or self.default


_NONE: Mapping[str, Any] = MappingProxyType({})

Translate = Callable[[str], str]
"""Gives an English text in another language; a text without a translation stays English."""


class Label(str):
    """A value of a closed list as it is sent; people read it as the list of their sheet has it."""

    __slots__ = ("labels",)
    labels: tuple[str, ...]
    """In LANGUAGES; none where there is but the one writing."""

    def __new__(cls, value: str, labels: Iterable[str] = ()) -> Self:
        """The value with its labels."""
        label = super().__new__(cls, value)
        label.labels = tuple(labels)
        return label

    def __getnewargs__(self) -> tuple[str, tuple[str, ...]]:  # type: ignore[override]
        return str(self), self.labels


class FieldName(Label):
    """The key of a column; people read the header that it has in their sheet, else its label."""

    __slots__ = ()


class MessageText(str):
    """The English text of a message, with the message and its values."""

    __slots__ = ("forms", "values")
    forms: tuple[str, ...]
    """The message, or its singular and its plural."""
    values: Mapping[str, Any]
    """By name: a number, str, `FieldName`, `Label`, or a text itself."""

    def __new__(cls, forms: tuple[str, ...], values: Mapping[str, Any] = _NONE) -> Self:
        """The message with its values; of two forms the one that the value `count` asks for."""
        form = forms[-1] if len(forms) > 1 and values["count"] != 1 else forms[0]
        text = super().__new__(cls, form.format_map(values))
        text.forms, text.values = forms, values
        return text

    def __getnewargs__(self) -> tuple[tuple[str, ...], dict[str, Any]]:  # type: ignore[override]
        return self.forms, dict(self.values)


def tr(message: str, /, **values: object) -> MessageText:
    """A message in which `{name}` stands for a value; a brace of its own is doubled."""
    return MessageText((message,), values)


def plural(one: str, many: str, count: int, /, **values: object) -> MessageText:
    """A message that counts: `{count}` is the number, which decides between two forms."""
    return MessageText((one, many), {"count": count, **values})


def joined(texts: Iterable[object], separator: str = ", ") -> MessageText:
    """Texts one after the other, with a separator that needs no translation."""
    values = {f"_{number}": text for number, text in enumerate(texts)}
    between = separator.replace("{", "{{").replace("}", "}}")
    return MessageText((between.join(f"{{{name}}}" for name in values),), values)


def option_name(name: str) -> MessageText:
    """An option, such as `--rows`; where there are none it is called otherwise."""
    return MessageText((name,))


def in_quotes(text: str) -> MessageText:
    """A value of a cell, or a header, in the quotation marks of each language."""
    return MessageText(("“{text}”",), {"text": text})


def column_name(letter: str, header: str) -> MessageText:
    """A column, or its cell, and the header: `C “Code barre”`."""
    return joined((letter, in_quotes(header)), " ")


def with_value(text: str, old: str, new: str) -> str:
    """A text, or a message, in whose values something stands for something else."""
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
    """Says texts in a language, with the names that a sheet has for its fields and choices."""

    def __init__(
        self, language: Language, names: Mapping[str, str] = _NONE, list_language: str | None = None
    ) -> None:
        """`names` are headers by key, `list_language` that of the sheet's own lists, if any."""
        self.language = language
        self._names, self._list_language = names, list_language

    @cached_property
    def _texts(self) -> Mapping[str, tuple[str, ...]]:
        return catalogue(self.language)

    def for_sheet(self, names: Mapping[str, str], list_language: str | None) -> "Translator":
        """The same language, with the names of another sheet."""
        return type(self)(self.language, names, list_language)

    def label(self, text: str) -> str:
        """A label with the colon behind it."""
        return f"{self(text)}{_COLONS[self.language]}"

    def message(self, english: str) -> str:
        """A message in the language, its values not yet filled in."""
        known = self._texts.get(english)
        return _set_forms(self.language, known)[0] if known else english

    def __call__(self, text: str) -> str:
        """The text in the language; one that is none of our messages stays as it is."""
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
        """A message, of one form or two, in the language; its values are not yet filled in."""
        known = self._texts.get(forms[0])
        return _set_forms(self.language, known) if known else self._set(forms)

    def _set(self, forms: tuple[str, ...]) -> tuple[str, ...]:
        """A message of nothing but values, with the signs between them as the language has them."""
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
    """The messages of all packages in a language, each with its forms, by the English one.

    `set_in` is left to whoever says one of them: few of the thousands are ever said.
    """
    return {
        message: forms
        for content in _contents(language)
        for (context, message), forms in read_po(content).items()
        if message and not context
    }


@cache
def single_message(language: Language, english: str) -> str:
    """A message where no other may be wanted: most of the catalogues are left unread."""
    line = f"\nmsgid {json.dumps(english, ensure_ascii=False)}\n"
    content = next((content for content in _contents(language) if line in content), "")
    (form, *_) = read_po(content).get(("", english), (english,))
    return set_in(language, form)


def _contents(language: str) -> Iterator[str]:
    """The catalogues' texts in a language, one for each package."""
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
    """A text of a language; in French no line breaks at the blanks that stand beside signs."""
    return _FRENCH_BLANK.sub("\u00a0", text) if language == "fr" else text


_FRENCH_BLANK = re.compile(r"(?<=«) | (?=»)| (?=[:;?!](?:[\s)»]|$))")

_QUOTED = r'((?:\s+"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")++)'
_ENTRY = re.compile(
    rf"^(?:msgctxt{_QUOTED}\s+)?msgid{_QUOTED}\s+(?:msgid_plural{_QUOTED}\s+)?"
    rf"msgstr(?:\[0\])?{_QUOTED}(?:\s+msgstr\[1\]{_QUOTED})?",
    re.MULTILINE,
)
_JOINT = re.compile(r'"\s*\n\s*"')
"""Between two lines of one text."""


def read_po(content: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The forms of each text of a gettext catalogue by its context, which may be empty, and msgid.

    What tools write is understood, of languages with two forms. https://www.gnu.org/software/gettext/
    """
    return {
        (_unquoted(context), _unquoted(key)): tuple(_unquoted(form) for form in forms if form)
        for context, key, _, *forms in _ENTRY.findall(content)
    }


def _unquoted(quoted: str) -> str:
    text = quoted.strip()[1:-1]
    if "\n" in text:
        text = _JOINT.sub("", text)
    # Its escapes are those of JSON.
    return str(json.loads(f'"{text}"')) if "\\" in text else text


_MESSAGE = "\x1e"
"""Begins a kept text that is a message: no cell and no answer shows this character."""


def kept_text(text: str) -> str:
    """A text as the ledger keeps it; `text_of_kept` reads it again."""
    is_message = isinstance(text, MessageText)
    return _MESSAGE + json.dumps(_kept(text), ensure_ascii=False) if is_message else text


def text_of_kept(kept: str) -> str:
    """What `kept_text` made a str of."""
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
