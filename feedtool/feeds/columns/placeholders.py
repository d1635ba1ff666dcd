"""Texts that programs write where they have no value: errors of formulas, `nan`, `N/A`, `-`."""

import re

from feedtool.feeds.columns import PROBLEMS
from feedtool.model.nouns import Issue
from feedtool.model.own_files import folder_of
from feedtool.model.text import tr

FORMULA_ERROR = PROBLEMS.error("formula-error")
PLACEHOLDER = PROBLEMS.error("placeholder")
PLACEHOLDER_DOUBTFUL = PROBLEMS.warning("placeholder-doubtful")

FORMULA_ERRORS = frozenset(
    (folder_of(__package__) / "formula_errors.txt").read_text("utf-8").splitlines()
)
"""In capitals, as spreadsheet programs show them in all their languages."""
_MARKS = " \u00a0\u202f¡!¿?؟"
"""Around the word of an error: some programs and people leave them out."""
_WORDS = frozenset(error.strip(f"#{_MARKS}") for error in FORMULA_ERRORS)

_BY_PROGRAMS = frozenset(
    (
        *("nan", "-nan", "nat", "<na>", "n/a", "none", "<none>", "nil", "null", "<null>"),
        *("(null)", "\\n", "undefined", "(blank)", "(vide)", "(vacío)", "(leer)"),
        *("[object object]", "[object undefined]", "[object null]", "system.object", "array"),
        *("true", "false", "vrai", "faux", "verdadero", "falso", "wahr", "falsch"),
    )
)
"""In lower case: no values of several languages and databases, and yes and no."""
_BY_PEOPLE = frozenset(
    (
        *("na", "n.a.", "n.a", "nc", "n.c.", "n.c", "n/c", "nd", "n.d.", "n.d", "n/d", "nr"),
        *("n.r.", "n.r", "n/r", "s/o", "s.o.", "s/n", "s/r", "s/d", "k.a.", "tbd", "tba", "xxx"),
        *("unknown", "inconnu", "inconnue", "desconocido", "unbekannt", "aucun", "aucune"),
        *("ninguno", "ninguna", "keine", "empty", "vide", "vacío", "leer"),
    )
)
"""In lower case: notes that there is no value, of which one may be a reference all the same."""
_PUNCTUATION = re.compile(r"[-\u2010-\u2015\u2212_.,:;/\\|*?!~#=+…'\"()\[\]{}<>]{1,40}")
_ZERO = re.compile(r"0+(?:[.,]0+)?")
_FORMULA = re.compile(r"=[+-]?(?:(?:'[^']+'|\w+)!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}")
"""A lone reference to a cell: `=A1`, `='July'!$B$2`."""


def is_formula_error(text: str) -> bool:
    """True if a spreadsheet shows a trimmed text with `#` because a formula has no result."""
    upper = text.upper()
    return upper in FORMULA_ERRORS or (
        text.startswith("#")
        and upper[1:].strip(_MARKS) in _WORDS
        and (text[-1] in _MARKS or text == upper)
    )


def formula_error(text: str) -> Issue:
    """The issue of a cell that shows this error."""
    return Issue(
        FORMULA_ERROR,
        tr("the cell shows {text}", text=text),
        tr("correct the formula, or replace the cell by its value"),
    )


def placeholder_issues(text: str) -> tuple[Issue, ...]:
    """At most one issue: an identifier that means no value."""
    lower = text.casefold()
    if lower in _BY_PROGRAMS or _PUNCTUATION.fullmatch(text):
        message = tr("“{text}” is what programs write where there is no value", text=text)
        hint = tr("write the real value; an optional cell may be left empty")
        return (Issue(PLACEHOLDER, message, hint),)
    if _FORMULA.fullmatch(text):
        message = tr("“{text}” is a formula that was kept as a text", text=text)
        hint = tr("correct the formula, or replace the cell by its value")
        return (Issue(PLACEHOLDER, message, hint),)
    if f"#{text.upper()}" in FORMULA_ERRORS:  # without the sign before it
        return (formula_error(text),)
    if lower in _BY_PEOPLE or _ZERO.fullmatch(text):
        message = tr("“{text}” looks like a note that there is no value", text=text)
        return (Issue(PLACEHOLDER_DOUBTFUL, message, tr("correct it if it is one")),)
    return ()
