"""The cells to be coloured, and the conditional formats that do it.

Each rule of ours says nothing but who made it (`LEN("feedtool")>0` is always true): by that it is
found and taken back when the sheet is annotated again, whatever else is in it.
"""

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import get_args

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.notes import Severity
from feedtool.sheets.annotate.xml_offsets import Edit
from feedtool.sheets.read.xml_parser import Node, whole

MARK = 'LEN("feedtool")'
FORMULA = b'LEN("feedtool")&gt;0'
_AREAS = 400
"""Areas of one rule. Excel reads thousands, but a list that a person opens should stay readable."""

_BEFORE = frozenset(
    {"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr",
     "sheetProtection", "protectedRanges", "scenarios", "autoFilter", "sortState",
     "dataConsolidate", "customSheetViews", "mergeCells", "phoneticPr", "conditionalFormatting"}
)  # fmt: skip
"""Elements that the schema puts before a conditional format; others come after it."""


class HighlightedCells:
    """The cells to colour, as runs of rows by column: a million cells are a few bytes a run."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Severity, int], array[int]] = {}

    def add(self, row: int, column: int, severity: Severity) -> None:
        """Colour one cell; rows come in ascending order."""
        runs = self._runs.setdefault((severity, column), array("L"))
        if runs and runs[-1] >= row - 1:
            runs[-1] = row
        else:
            runs.extend((row, row))

    def areas(self, severity: Severity) -> Iterator[bytes]:
        """`B3:B7`, column by column."""
        for (kind, column), runs in sorted(self._runs.items()):
            if kind != severity:
                continue
            name = letters(column)
            for first, last in zip(runs[::2], runs[1::2], strict=True):
                yield (f"{name}{first}" + (f":{name}{last}" if last > first else "")).encode()


def recolour(root: Node, guilty: HighlightedCells, styles: FormatIndexes) -> list[Edit]:
    """The edits that take an earlier annotation's rules out of the sheet and put ours in."""
    edits = list(_take_back(root))
    rules = list(_rules(root.prefix, guilty, styles))
    first = _free_priority(root, len(rules))
    new = b"".join(rule % priority for priority, rule in enumerate(rules, first))
    if new:
        place = _place(root)
        edits.append(Edit(place, place, new))
    return edits


def _is_ours(rule: Node) -> bool:
    formula = rule.child("formula")
    return formula is not None and formula.text.startswith(MARK)


def _take_back(root: Node) -> Iterator[Edit]:
    """Our rules of an earlier time; the whole element where no other rule is in it."""
    for formats in root.all("conditionalFormatting"):
        rules = list(formats.all("cfRule"))
        ours = [rule for rule in rules if _is_ours(rule)]
        if ours and len(ours) == len(formats.children):
            yield Edit(formats.start, formats.end, b"")
        else:
            yield from (Edit(rule.start, rule.end, b"") for rule in ours)


def _rules(prefix: bytes, guilty: HighlightedCells, styles: FormatIndexes) -> Iterator[bytes]:
    """Elements of ours, the priority still open; errors first, so that they win."""
    for severity in get_args(Severity):
        areas = guilty.areas(severity)
        while chunk := b" ".join(islice(areas, _AREAS)):
            yield (
                b'<%(p)sconditionalFormatting sqref="%(areas)s">'
                b'<%(p)scfRule type="expression" dxfId="%(format)d" priority="%%d">'
                b"<%(p)sformula>%(formula)s</%(p)sformula></%(p)scfRule>"
                b"</%(p)sconditionalFormatting>"
            ) % {
                b"p": prefix,
                b"areas": chunk,
                b"format": styles.error if severity == "error" else styles.warning,
                b"formula": FORMULA,
            }


def _free_priority(root: Node, count: int) -> int:
    """The first of `count` priorities in a row that no rule of the user has.

    Before all of theirs if there is room, since a colour that says "wrong" should be seen; else
    after them. Theirs are not moved: nothing of theirs is changed.
    """
    taken = sorted(_priorities(root))
    if not taken or taken[0] > count:
        return 1
    return taken[-1] + 1


def _priorities(node: Node) -> Iterator[int]:
    """Of all rules of the sheet but ours, those in extensions included."""
    for child in node.children:
        priority = whole(child.attributes.get("priority"))
        if child.name != "cfRule":
            yield from _priorities(child)
        elif not _is_ours(child) and priority is not None:
            yield priority


def _place(root: Node) -> int:
    """Behind what the schema wants before us; an element that nobody knows counts as after."""
    children = root.children
    last = max(
        (place for place, node in enumerate(children) if node.is_main and node.name in _BEFORE),
        default=-1,
    )
    return children[last].end
