"""The words of the page: messages for a terminal are replaced, or cut.

A message in OTHERWISE has other words here. Other messages lose the parts that name commands or
options, which are of no use on a page. A test goes over all messages that the page may show.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from feedtool.areas.registry import load
from feedtool.model.text import Language, Translator

COMMANDS = (
    *("account", "catalog", "completion", "config", "convert", "demo", "diff", "enqueue"),
    *("explain", "export", "forget", "init", "ledger", "map", "page", "queue", "resume"),
    *("results", "runs", "sandbox", "sellers", "status", "submit", "template", "todo", "undo"),
    *("validate", "watch", "worker"),
)
"""The first words of commands."""
_NAMES = "|".join(COMMANDS)
COMMAND = re.compile(rf"\bfeedtool (?:{_NAMES})\b|`(?:{_NAMES})[ `]|FEEDTOOL_")
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
PARTS = re.compile(r"(?<=[;?.])\s+|(?<=,)\s+(?=(?:or|ou|o) )")
"""The places where a text may be cut: behind a sentence, or before an alternative."""
OR, END = re.compile(r"^(?:or|ou|o) "), re.compile(r"[\s;,]+$")
GAP = re.compile(r"\s*;\s+(?=[A-ZÀ-Ý])")
"""A semicolon that has lost the part behind it."""


def _(message: str) -> str:
    """Mark a message for translation, whose values come later."""
    return message


CATALOGUE = _("ask the person who keeps the configuration to download the catalogue")
SEARCH = _("look for it among the categories, under “Templates”")
NO_TOKEN = _("the token is missing")

OTHERWISE: Mapping[str, str] = {
    # Sending a file.
    "if it is meant: submit it with --release {code}": _(
        "if it is meant, it can be sent all the same"
    ),
    "not sent, since not all rows of all files are valid (--all-or-nothing)": _(
        "not sent, since not all rows are valid, and all are to be sent or none"
    ),
    "--rows and --purge-and-replace contradict each other: the rest would be removed": _(
        "the offers of all other rows would be removed"
    ),
    "--rows selects rows of one sheet, and {file} has {sheets}": _(
        "rows are chosen of one sheet, and {file} has {sheets}"
    ),
    "name one of them with --sheet": _("choose one of the sheets"),
    "--rows": _("the choice of rows"),
    "--changed-only": _("“Leave out rows that change nothing”"),
    "--all-or-nothing": _("“Send nothing unless every row is valid”"),
    "--purge-and-replace": _("“Remove all offers that are not in this file”"),
    "--prefer-update": _("the setting prefer_update"),
    "--release": _("“Send them all the same”"),
    "PurgeAndReplace is true, and asked for by --purge-and-replace alone": _(
        "PurgeAndReplace is true, and counts only where you choose so yourself"
    ),
    "the publication pools {values} are not read: --channel says where": _(
        "the publication pools {values} are not read: the account says where"
    ),
    "nothing was sent; finish it with `feedtool results {run}` first": _(
        "nothing was sent; go on with run {run} first"
    ),
    "Go on with `feedtool resume`: what has been sent is not sent again.": _(
        "Go on with this run: what has been sent is not sent again."
    ),
    "send the row under the offer's own reference, which `feedtool export offers` tells, or delete"
    " that offer first": _(
        "send the row under the offer's own reference, which “From the service” brings, or delete"
        " that offer first"
    ),
    # Reading a file.
    "--as": _("the kind of file"),
    "--sheet": _("the sheet"),
    "--recipe": _("the recipe"),
    "--default": _("the default value"),
    "--as-row": _("the rows that are not totals"),
    "--default {text} has no value": _("the default value {text} is empty"),
    "say --as {kind}": _("choose {kind} under “Columns”"),
    ", or say with --as what it is": _(", or choose under “Columns” what it is"),
    "recipe {name} is of {kind}, and --as says {other}": _(
        "recipe {name} is of {kind}, and {other} was chosen"
    ),
    "leave --as out, or name another recipe": _("choose its kind under “Columns”"),
    "send it with --as offers-update; or set primary_channel in the profile if this is it": _(
        "choose offers-update under “Columns”"
    ),
    "name one of them with --sheet, or read them all with --sheet {word}": _(
        "choose one of them, or several, under “Columns”"
    ),
    "name one of them with --sheet, or those that are meant in {recipe}, as in [match] sheet ="
    ' "Tarif*"': _("choose one of them under “Columns”"),
    "add what is missing, or start from `feedtool template {kind}`{otherwise}": _(
        "add what is missing, or start from the workbook under “Templates”{otherwise}"
    ),
    "type: feedtool map {file}": _("say under “Columns” what your columns are"),
    "if the sheet is your own type: feedtool map {file}": _(
        "if the sheet is your own, say under “Columns” what its columns are"
    ),
    "name the column action, with Upsert, Update or Delete; or let feedtool map write a recipe that"
    ' leaves such rows out by [not_for_sale], or says "{header}" = false': _(
        "name the column action, with Upsert, Update or Delete; or say under “Columns” what it is"
    ),
    "let feedtool map write a recipe that leaves such rows out by [not_for_sale], or says"
    ' "{header}" = false': _("say under “Columns” what it is"),
    "give each column a name in one row, then type: feedtool map {file}": _(
        "give each column a name in one row, and bring the file again"
    ),
    # Products.
    "download it with `feedtool catalog sync`": CATALOGUE,
    "`feedtool catalog sync` downloads them": CATALOGUE,
    "download them with `feedtool catalog sync --category {code}`": CATALOGUE,
    "download it in that language: `feedtool catalog sync --language {code}`": CATALOGUE,
    "download the catalogue again with `feedtool catalog sync`": CATALOGUE,
    "download it with `{command}`": CATALOGUE,
    "download them with `{command} --category {reference}`": CATALOGUE,
    "look for it with `feedtool catalog search`": SEARCH,
    "choose another one with `feedtool catalog search`": SEARCH,
    "`feedtool catalog search TEXT` finds categories": SEARCH,
    "choose one below it: `feedtool catalog show {code}` lists them": _("choose one below it"),
    "choose {language} for the workbook; or use `{command}`": _(
        "choose {language} for the workbook"
    ),
    "make it anew with `feedtool template products --category {category}`": _(
        "make it anew under “Templates”"
    ),
    # A list that is never sent.
    "this is the list of `feedtool export {export}`: it is only to look at": _(
        "this is the list “{export}” of the service: it is only to look at"
    ),
    # The ledger.
    "send nothing more with it, and keep its files as they are: `feedtool ledger check` says what "
    "is damaged; look with `feedtool export` at what the service has, then go on with an earlier "
    "copy of `feedtool ledger backup` (--ledger sqlite:///COPY) or another ledger (--home)": _(
        "send nothing more, and ask the person who keeps the configuration for a copy of it"
    ),
    # The account.
    "--base-url": _("the address of the service"),
    "--seller": _("the seller"),
    "--channel": _("the sales channel"),
    "--profile": _("the profile"),
    "--channel is missing": _("the sales channel is missing"),
    "--token-url is missing": NO_TOKEN,
    "--client-id is missing": NO_TOKEN,
    "--sandbox and {option} contradict each other": _(
        "the sandbox and {option} contradict each other"
    ),
    "--prefer-update needs --changed-only": _(
        "the profile sets prefer_update, and not changed_only"
    ),
    "Give one that begins with https://. On a network that you trust --insecure-http allows it, or"
    " insecure_http = true in the account's profile.": _("Give one that begins with https://."),
    # Runs.
    "`feedtool explain {code}` says what to do": _("the page of {code} says what to do"),
    "`feedtool runs` lists them": _("“Runs” lists them"),
    "The other runs are not affected: `feedtool runs` lists them.": _(
        "The other runs are not affected."
    ),
    "The last requests may be in force without a record of them: look with "
    "`feedtool export` before you send them again. If the folder was moved, "
    "move it back and run `feedtool resume`.": _(
        "The last requests may be in force without a record of them: look under "
        "“From the service” before you send them again."
    ),
}
"""The page's words by the message; and names for options, by the option."""


class PageTranslator(Translator):
    """Translates texts into a language, in the words of the page."""

    def forms(self, forms: tuple[str, ...]) -> tuple[str, ...]:
        return _forms_of(self.language, forms)


@lru_cache(4096)
def _forms_of(language: Language, forms: tuple[str, ...]) -> tuple[str, ...]:
    other = OTHERWISE.get(forms[0])
    texts = Translator(language).forms((other,) if other else forms)
    return tuple(map(without_commands, texts))


def without_commands(text: str) -> str:
    """The parts of a text that are of use on a page; may be empty."""
    parts = PARTS.split(text)
    usable = [part for part in parts if not is_of_terminal(part)]
    if len(usable) == len(parts):
        return text
    return END.sub("", OR.sub("", GAP.sub(". ", " ".join(usable))))


def is_of_terminal(text: str) -> bool:
    """True if a text names a command, or an option that is not a field of an export's form."""
    options = (name for name in OPTION.findall(text) if name not in _fields())
    return bool(COMMAND.search(text)) or any(options)


@cache
def _fields() -> frozenset[str]:
    """The names of filters, which the page shows beside their fields as well."""
    filters = {entry.name for kind in load().exports.values() for entry in kind.filters}
    return frozenset(name for name in filters if f"--{name}" not in OTHERWISE)
