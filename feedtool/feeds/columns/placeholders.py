"""Texts that programs write for a missing value: errors of formulas, `nan`, `N/A`, `-`."""

import re

from feedtool.feeds.columns import PROBLEMS
from feedtool.model.files import folder_of
from feedtool.model.nouns import Issue
from feedtool.model.text import tr

FORMULA_ERROR = PROBLEMS.error("formula-error")
PLACEHOLDER = PROBLEMS.error("placeholder")
PLACEHOLDER_DOUBTFUL = PROBLEMS.warning("placeholder-doubtful")

FORMULA_ERRORS = frozenset(
    (folder_of(__package__) / "formula_errors.txt").read_text("utf-8").splitlines()
)
"""Errors in capitals, in all languages of spreadsheet programs."""
_MARKS = " \u00a0\u202f¡!¿?؟"
"""Marks around the word of an error; some programs and people omit them."""
_WORDS = frozenset(error.strip(f"#{_MARKS}") for error in FORMULA_ERRORS)

_BY_PROGRAMS = frozenset(
    (
        *("nan", "-nan", "nat", "<na>", "n/a", "none", "<none>", "nil", "null", "<null>"),
        *("(null)", "\\n", "undefined", "(blank)", "(vide)", "(vacío)", "(leer)"),
        *("[object object]", "[object undefined]", "[object null]", "system.object", "array"),
        *("true", "false", "vrai", "faux", "verdadero", "falso", "wahr", "falsch"),
    )
)
"""Words in lower case for a missing value in languages and databases, and for yes and no."""
_BY_PEOPLE = frozenset(
    (
        *("na", "n.a.", "n.a", "nc", "n.c.", "n.c", "n/c", "nd", "n.d.", "n.d", "n/d", "nr"),
        *("n.r.", "n.r", "n/r", "s/o", "s.o.", "s/n", "s/r", "s/d", "k.a.", "tbd", "tba", "xxx"),
        *("unknown", "inconnu", "inconnue", "desconocido", "unbekannt", "aucun", "aucune"),
        *("ninguno", "ninguna", "keine", "empty", "vide", "vacío", "leer"),
    )
)
"""Words in lower case by which people note a missing value; one of them may be a reference."""
_PUNCTUATION = re.compile(r"[-\u2010-\u2015\u2212_.,:;/\\|*?!~#=+…'\"()\[\]{}<>]{1,40}")
_ZERO = re.compile(r"0+(?:[.,]0+)?")
_FORMULA = re.compile(r"=[+-]?(?:(?:'[^']+'|\w+)!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}")
"""A formula of one reference: `=A1`, `='July'!$B$2`."""
_CORRECT_FORMULA = tr("correct the formula, or replace the cell by its value")


def is_formula_error(text: str) -> bool:
    """Return True if a trimmed text with `#` is a spreadsheet's error of a formula."""
    upper = text.upper()
    return upper in FORMULA_ERRORS or (
        text.startswith("#")
        and upper[1:].strip(_MARKS) in _WORDS
        and (text[-1] in _MARKS or text == upper)
    )


def formula_error(text: str) -> Issue:
    return Issue(FORMULA_ERROR, tr("the cell shows {text}", text=text), _CORRECT_FORMULA)


def is_placeholder(text: str) -> bool:
    return text.casefold() in _BY_PROGRAMS or _PUNCTUATION.fullmatch(text) is not None


def placeholder_issues(text: str) -> tuple[Issue, ...]:
    """Return an issue if an identifier only marks a missing value."""
    if is_placeholder(text):
        message = tr("“{text}” is what programs write where there is no value", text=text)
        hint = tr("write the real value; an optional cell may be left empty")
        return (Issue(PLACEHOLDER, message, hint),)
    if _FORMULA.fullmatch(text):
        message = tr("“{text}” is a formula that was kept as a text", text=text)
        return (Issue(PLACEHOLDER, message, _CORRECT_FORMULA),)
    if f"#{text.upper()}" in FORMULA_ERRORS:  # an error without its sign
        return (formula_error(text),)
    if text.casefold() in _BY_PEOPLE or _ZERO.fullmatch(text):
        message = tr("“{text}” looks like a note that there is no value", text=text)
        return (Issue(PLACEHOLDER_DOUBTFUL, message, tr("correct it if it is one")),)
    return ()
