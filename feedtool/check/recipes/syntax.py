"""Parse an expression; give hints about syntax of other languages and usual mistakes."""

import ast
import re
import warnings

from feedtool.model.text import tr

_TEXTS = re.compile(r"""(["']).*?\1""")
_WORD = r"(?!(?:if|else|and|or|not|in)\b)\w+"
_HABITS = tuple(
    (re.compile(pattern), hint)
    for pattern, hint in (
        (r"[“”„«»\u2018\u2019]", tr('write texts in straight quotes: "text"')),
        (r";", tr("put commas between the arguments of a function")),
        (r"&&|\|\|", tr("write and, or")),
        (r"<>|!(?!=)", tr("write != or not")),
        (r"\?", tr("write a choice as: x if condition else y")),
        (r"(?<![=!<>])=(?!=)", tr("write == to compare")),
        (r"[\u00d7÷€$£]", tr("use + - * / // %, and numbers alone")),
        (r"%\s*(?:\)|$)", tr("write 20 % of cost as: cost * 0.2")),
        (rf"\b{_WORD}\s+{_WORD}\b", tr("give a header of several words a short name in [names]")),
    )
)
"""Usual mistakes, each with a hint."""


class ExpressionProblem(Exception):
    """The expression cannot be used."""

    def __init__(self, reason: str, position: int = 0, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.position, self.hint = reason, position, hint


def parsed(source: str) -> ast.expr:
    """Return the tree of an expression. Raises ExpressionProblem."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about "\d", for example
            return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        position = max(0, (getattr(error, "offset", None) or 1) - 1)
        reason = tr("the expression cannot be read")
        raise ExpressionProblem(reason, position, _hint(source)) from None


def _hint(source: str) -> str:
    """Return a hint about an expression that cannot be read."""
    bare = _TEXTS.sub("0", source)
    hints = (hint for pattern, hint in _HABITS if pattern.search(bare))
    return next(hints, tr("look at its brackets, quotes and operators"))
