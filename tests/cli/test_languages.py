"""No command shows plain English in another language: each message comes out in strange letters."""

import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import click
import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import load
from feedtool.check import SUMMARY
from feedtool.check.fixes import all_fixes
from feedtool.cli import HELP, output
from feedtool.model import text
from feedtool.model.nouns import Status
from feedtool.model.settings import AccountSettings
from feedtool.runs.codes import all_codes
from tests.cli.conftest import Feedtool
from tests.cli.fleet import answers, postgresql, server, service, shared
from tests.conftest import Files, offer
from tests.messages import ROOT, every_command
from tests.pairs import sample

__all__ = ("answers", "postgresql", "server", "service", "shared")
"""The fixtures of databases and services."""

SAMPLES = Path(__file__).parents[2] / "samples"
WORKBOOKS = ("offers-mistakes.xlsx", "offers-upsert.xlsx")
STRANGE = 0xFEE0
"""The distance of an ASCII letter to its full-width one."""

_AS_IT_IS = re.compile(
    r"(`[^`]*`|--[a-z-]+(?:=[A-Z]+)?|\bfeedtool [a-z]+|\b(?:IN|OUT)\b|\.[a-z]{3,4}\b)"
)
"""Commands, options and endings, which are the same in each language."""

LIST = "Réf;Code barre;PV TTC;Delai\nA-1;3760452703054;10,00;2\nA-1;3760452703054;12,00;\n"
"""A sheet of a seller's own."""

DEFAULTS = (
    "--default taxes.VAT=20 --default quantity=1 --default condition=New"
    " --default deliveryModes.TrackedHomeDelivery.cost=5"
    " --default deliveryModes.TrackedHomeDelivery.additionalCost=2"
)

COMMANDS = (
    "validate offers-mistakes.xlsx",
    "validate offers-mistakes.xlsx --fix=round",
    "validate fixable.csv --fix=round",
    "validate nothing.xlsx",
    "submit offers-upsert.xlsx --dry-run",
    "submit offers-mistakes.xlsx --sandbox --no-failed",
    "submit offers-upsert.xlsx",
    "runs",
    "sellers",
    "forget --older-than 90d --dry-run",
    "ledger check",
    "ledger backup",
    "status 1",
    "results 1 --failed-only",
    "results 9",
    "convert offers-upsert.xlsx offers.csv",
    "export offers --sandbox",
    "template offers-delete",
    "account check --sandbox",
    "undo 1 --sandbox",
    "diff offers-upsert.xlsx offers-mistakes.xlsx",
    "map list.csv --yes",
    f"submit list.csv --sandbox {DEFAULTS}",
    "catalog search kettle",
    "init --seller s --base-url https://a.example/v2 --token-file t.txt --channel B",
    "config show --seller s",
    "demo",
    "watch folder --create --once --sandbox",
    "resume",
    "export offers new.xlsx --sandbox",
    "submit offers-upsert.xlsx --dry-run --preview changes.xlsx --sandbox",
    "catalog sync --sandbox --category 0A",
    "catalog show 0A0101",
    "export products --sandbox",
    "export competing-offers --sandbox",
    "export competing-offer-changes --sandbox",
    "export orders --sandbox",
    "export orders --new --sandbox",
    "export orders --cursors",
    "export shipments --sandbox",
    "export picking --sandbox",
    "export gestures --sandbox",
    "export offer-packages --sandbox",
    "export invoice-imports --sandbox",
    "export order-tracking --sandbox",
    "export cancellation-reasons --sandbox",
    "export channels --sandbox --sales-channel PRIMARY,B",
    "export discussions --sandbox",
    "export messages --sandbox",
    "export attachments --sandbox",
    "export typologies --sandbox",
    "export inbound-shipments --sandbox",
    "export fulfillment-references --sandbox",
    "export delivery-notes --sandbox",
    "export outbound-shipments --sandbox",
    "export returns --sandbox",
    "export return-labels --sandbox",
    "export operations --sandbox --month 2026-11",
    "export payments --sandbox",
    "export invoice-details --sandbox",
    "export invoice-documents --sandbox",
    "export journal --sandbox --month 2026-11",
    "export reports --sandbox",
    "export report-documents --sandbox",
    "todo --sandbox",
    "template products --category 0A",
    "explain",
    "explain gtin-checksum",
    "explain Rejected",
    "explain 2403",
    "explain GtinInvalid",
    "explain gtin-cheksum",
)

FIXABLE = "sellerExternalReference;price.price;quantity\r\nA-1 ;19,995;5\r\nB-2;2,50;-1\r\n"

SAME = frozenset(
    f"export {kind} --sandbox"
    for kind in (
        *("competing-offer-changes", "shipments", "picking", "gestures", "offer-packages"),
        *("order-tracking", "cancellation-reasons", "messages", "attachments", "typologies"),
        *("fulfillment-references", "delivery-notes", "returns", "return-labels", "payments"),
        *("invoice-details", "invoice-documents", "report-documents"),
    )
) | {
    *("validate offers-mistakes.xlsx", "validate offers-mistakes.xlsx --fix=round"),
    *("export journal --sandbox --month 2026-11", "export orders --sandbox"),
    "submit offers-upsert.xlsx --dry-run",
}
"""Commands that say the same as those for another list of their area, or for a smaller file: only
long runs try them."""

WRITTEN = {"offers-mistakes.result.xlsx": (SUMMARY,), "list.failed.xlsx": ()}
"""Workbooks that are written, and the sheets in which all texts are ours; no names are all."""

SHARED = (
    "enqueue good.csv nothing.csv --profile shop",
    "enqueue good.csv --profile shop",
    "enqueue bad.csv --profile shop --not-before 2100-01-01 --priority 1",
    "enqueue bad.csv",
    "queue",
    "queue hold 2",
    "queue release 2",
    "queue drop 9",
    "worker --sellers none",
    "worker --health",
    "worker --once",
    "worker --health --health-within 0.001",
    "enqueue good.csv --profile shop",
    "queue drop 2",
    "queue",
    "watch feeds --enqueue --once",
)
"""Commands that need a shared ledger."""


def strange(message: str) -> str:
    """A message with its letters replaced, its values and what is never translated as they are."""
    pieces = []
    for literal, name, spec, _ in Formatter().parse(message):
        for number, part in enumerate(_AS_IT_IS.split(literal)):
            pieces.append(part if number % 2 else _wide(part))
        pieces += [f"{{{name}:{spec}}}" if spec else f"{{{name}}}"] if name is not None else []
    return "".join(pieces)


def _wide(part: str) -> str:
    letters = (
        chr(ord(sign) + STRANGE) if sign.isascii() and sign.isalpha() else sign for sign in part
    )
    return "".join(letters).replace("{", "{{").replace("}", "}}")


class StrangeCatalogue(dict[str, tuple[str, ...]]):
    """A catalogue that has a translation of every message."""

    def get(self, message: str, default: object = None) -> tuple[str, ...]:
        del default
        return (strange(message),)


@pytest.fixture
def _strange_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """French is a language of strange letters."""
    monkeypatch.setattr(text, "catalogue", lambda _: StrangeCatalogue())
    all_codes.cache_clear()
    yield
    all_codes.cache_clear()


@cache
def kept_words() -> frozenset[str]:
    """The words that are never translated: keys, kinds, the sheets' own, and the service's."""
    fixes = (fix.name for fix in all_fixes(load()))
    texts: list[str] = [
        *fixes,
        *load().feeds,
        *load().exports,
        *Status,
        "UTC",
        "SHA",
        "PRIMARY",
        "SECOND",
        "sandbox",
        "EUR",
        "FEEDTOOL",
        "defaults",
        "txt",
        "WaitingAcceptance",
        "Claim",
        "Blocked",
        "mall",
        LIST,
    ]
    for feed in load().feeds.values():
        for column in feed.sheet.understood(AccountSettings()):
            texts += [column.key, *column.labels]
    for name in WORKBOOKS:
        for sheet in load_workbook(SAMPLES / name):
            texts += [
                str(cell) for row in sheet.iter_rows(values_only=True) for cell in row if cell
            ]
    for messages in ROOT.glob("areas/*/sandbox/messages/fr.toml"):
        texts.append(messages.read_text("utf-8"))
    pages = (ROOT / "report/glossary.fr.toml", *ROOT.rglob("problems.fr.md"))
    texts += [page.read_text("utf-8") for page in pages]
    return frozenset(word for entry in texts for word in _WORD.findall(entry))


_WORD = re.compile("[A-Za-zÀ-ÿ]{3,}")
_NO_WORDS = re.compile(
    r"`[^`]*`|\[[a-z0-9-]+\]|“[^”]*”|\S+\.(?:xlsx|csv|json|plan|toml|sqlite)\b|--[a-z-]+(?:=NAME)?"
    r"|feedtool [a-z]+|recipes|https?://\S+|[0-9a-f]{8}-[0-9a-f-]+|SHA-256 [0-9a-f]+"
    r"|\([0-9a-f]{12}\)|\S+@\S+|/\S+|(?m:^[\w-]+ {2,})"
)
"""Commands, codes, cells, names of files, identifiers."""


NO_TEXT = {"sandbox", "completion", "page"}
"""Services, and scripts for shells; the page has its own tests in each language."""


def test_every_command_is_tried() -> None:
    groups = (click.Group,)
    leaves = [words for words, command in every_command() if not isinstance(command, groups)]
    tried = [
        words
        for words in leaves
        if any(f"{command} ".startswith(f"{words} ") for command in (*COMMANDS, *SHARED))
    ]
    assert set(leaves) - set(tried) == NO_TEXT


@pytest.mark.usefixtures("_strange_language")
@pytest.mark.parametrize("left_out", sample([SAME, frozenset()], 1), ids=["usual", "all"])
def test_all_output_is_translated(
    feedtool: Feedtool,
    files: Files,
    monkeypatch: pytest.MonkeyPatch,
    left_out: frozenset[str],
) -> None:
    assert left_out <= set(COMMANDS)
    monkeypatch.setattr(output, "LINE_INTERVAL", 0.0)
    for name in WORKBOOKS:
        shutil.copy(SAMPLES / name, ".")
    files.text(LIST, "list.csv")
    files.text(FIXABLE, "fixable.csv")
    left = {}
    for command in COMMANDS:
        if command in left_out:
            continue
        ran = feedtool(f"{command} --language fr")
        if words := english_words(ran.out + ran.err):
            left[command] = words
    assert left == {}
    for book, names in WRITTEN.items():
        sheets = load_workbook(book)
        cells = {
            str(cell)
            for name in names or sheets.sheetnames
            for row in sheets[name].iter_rows(values_only=True)
            for cell in row
            if cell
        }
        assert len(cells) > len(WORKBOOKS)
        assert english_words("\n".join(cells - all_codes().pages.keys())) == [], book


@pytest.mark.usefixtures("_strange_language", "answers")
def test_all_output_about_waiting_files_is_translated(feedtool: Feedtool, files: Files) -> None:
    for name, row in {"good.csv": offer(1), "bad.csv": offer(2, quantity="-1")}.items():
        for folder in ("", "feeds/inbox/shop/", "feeds/inbox/nobody/"):
            files.csv(row, name=f"{folder}{name}")
    left = {}
    for command in SHARED:
        ran = feedtool(f"{command} --language fr")
        assert ran.out + ran.err, command
        if words := english_words(ran.out + ran.err):
            left[command] = words
    assert left == {}


def english_words(shown: str) -> list[str]:
    words = {word for word in _WORD.findall(_NO_WORDS.sub(" ", shown)) if word.isascii()}
    return sorted(words - kept_words())


REFUSED = (
    "xyzzy",
    "catalog SHO",
    "map",
    "completion",
    "results x",
    "runs --last x",
    "runs --last 0",
    "watch folder --poll x",
    "submit --dry",
    "submit --dry-run=yes x",
    "submit x --out",
    "validate x --format text:",
    "validate x --as-row a",
    "export offers more",
    "export offers more and more",
    "watch list.csv",
    "validate x --profile nobody",
)
"""Commands that click refuses, or that stop before their language is read."""


@cache
def names_of_options() -> frozenset[str]:
    """The names of commands and of what can be chosen."""
    names = {HELP[0], *(word for words, _ in every_command() for word in words.split())}
    for _, command in every_command():
        for parameter in command.params:
            if isinstance(parameter.type, click.Choice):
                names |= set(parameter.type.choices)
    return frozenset(word for name in names for word in _WORD.findall(name))


@pytest.mark.usefixtures("_strange_language")
def test_help_and_errors_of_click_are_translated(feedtool: Feedtool, files: Files) -> None:
    files.text(LIST, "list.csv")
    helps = (f"{words} --help-all" for words, _ in every_command())
    left = {}
    for command in (*helps, "submit --help", *REFUSED):
        ran = feedtool(f"{command} --language fr")
        lines = re.sub(r"-\n *", "-", ran.out + ran.err)
        shown = re.sub(r"\.[a-z]{3,4}\b", " ", _NO_WORDS.sub(" ", lines))
        assert len(shown) > len("erreur:"), command
        words = {word for word in _WORD.findall(shown) if word.isascii() and not word.isupper()}
        if words := words - kept_words() - names_of_options():
            left[command] = words
    assert left == {}
