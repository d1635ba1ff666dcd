"""Filters and functions for templates: each message in the page's language, clean and escaped.

A template's context has `say`, the Translator of the page or of the part about one sheet.
"""

from typing import Any

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from feedtool.model.nouns import Problem
from feedtool.model.text import plural, tr
from feedtool.report.overview import name_of, outcome_of
from feedtool.report.plain import clean, listed, printable, sentence, value
from feedtool.report.statuses import state_word, status_word


def add_to(environment: Environment) -> None:
    """Add the filters and functions for messages to an environment."""
    environment.filters |= {
        "name": _name,
        "printable": _printable,
        "rows": listed,
        "said": _said,
        "sentence": _sentence,
        "value": value,
    }
    environment.globals |= {
        "_": tr,
        "plural": plural,
        "outcome_of": outcome_of,
        "state_word": state_word,
        "status_word": status_word,
    }


@pass_context
def shown(context: Context, expression: Any) -> object:
    """Return an expression's printed text: a message in the page's language, cleaned.

    Used as an environment's `finalize`. Markup is unchanged.
    """
    if isinstance(expression, str) and not isinstance(expression, Markup):
        return clean(context["say"](expression))
    return "" if expression is None else expression


@pass_context
def _name(context: Context, problem: Problem) -> str:
    """The sheet's name of a problem's field."""
    return name_of(problem, context["say"])


@pass_context
def _said(context: Context, text: str) -> str:
    """A message in the page's language, for an attribute."""
    return clean(context["say"](text))


@pass_context
def _printable(context: Context, text: str) -> str:
    """A message in the page's language, on one line, shortened."""
    return printable(context["say"](text))


@pass_context
def _sentence(context: Context, text: str) -> str:
    """A message like `printable`, with a capital, for a cell of a table."""
    return sentence(context["say"](text))
