"""Compile expressions of recipes: a small part of Python's syntax, with Decimal numbers.

An expression is parsed into a tree, which is checked and compiled once into functions of this
package; Python never runs the expression. A sum with a blank is an ExpressionFailure, which becomes
a problem of the row.
"""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal, DecimalException, localcontext
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from feedtool.check.recipes.functions import (
    ARITHMETIC,
    CONSTANTS,
    DIVISIONS,
    FUNCTIONS,
    ORDER,
    Evaluate,
    arithmetic_failure,
    joined,
)
from feedtool.check.recipes.values import (
    CONTEXT,
    ExpressionFailure,
    Value,
    equal,
    negated,
    read_date,
    read_number,
    read_text,
    read_truth,
    show,
)
from feedtool.model.text import did_you_mean, tr

# Parse an expression; give hints about syntax of other languages and usual mistakes.


_TEXTS = re.compile(r"""(["']).*?\1""")
_WORD = r"(?!(?:if|else|and|or|not|in)\b)\w+"
_MISTAKES = tuple(
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
    """The expression cannot be used in any row; `position` is the 0-based index of the fault."""

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
        bare = _TEXTS.sub("0", source)
        hints = (hint for pattern, hint in _MISTAKES if pattern.search(bare))
        hint = next(hints, tr("look at its brackets, quotes and operators"))
        raise ExpressionProblem(tr("the expression cannot be read"), position, hint) from None


LONGEST, DEEPEST, MOST_DIGITS = 1_000, 30, 15
"""The most characters, nested parts, and digits of a number in an expression."""
SHOWN = 40
"""The most characters of a part in messages."""

Test: TypeAlias = Callable[[Value, Value], bool]
Trace: TypeAlias = Callable[[tuple[str, str]], None]

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Expression(Struct, frozen=True):
    """A valid expression."""

    source: str
    names: tuple[str, ...]
    """The names in it, each once."""
    run: Evaluate
    """Returns the value in a row; raises ExpressionFailure. Call it in `localcontext(CONTEXT)`."""
    today: date

    def steps(self, values: Sequence[Value]) -> list[tuple[str, str]]:
        """Return the value of each evaluated part in a row, in words, or its failure."""
        steps: list[tuple[str, str]] = []
        run = _compiled(self.source, self.names, self.today, steps.append)[1]
        with localcontext(CONTEXT):
            try:
                run(values)
            except ExpressionFailure as failure:
                steps.append((self.source, failure.args[0]))
        return steps


def compile_expression(
    source: str, known: Collection[str], today: date, *, is_condition: bool = False
) -> Expression:
    """Compile an expression with known names only; raises ExpressionProblem.

    A condition fails in rows where it is neither true nor false.
    """
    if len(source) > LONGEST:
        raise ExpressionProblem(
            tr("it has more than {count} characters", count=LONGEST), hint=tr("make it shorter")
        )
    if match := _CONTROL.search(source):
        hint = tr("write it in one line")
        raise ExpressionProblem(tr("a line break is in it"), match.start(), hint)
    blanks, source = len(source) - len(source.lstrip()), source.strip()
    try:
        names, run = _compiled(source, known, today)
    except ExpressionProblem as problem:
        problem.position += blanks
        raise
    if is_condition:
        return Expression(source, names, lambda values: read_truth(run(values), source), today)
    return Expression(source, names, run, today)


def _compiled(
    source: str, known: Collection[str], today: date, trace: Trace | None = None
) -> tuple[tuple[str, ...], Evaluate]:
    tree = parsed(source)
    compiler = _Compiler(source, known, today, trace)
    run = compiler.compile(tree)
    return tuple(compiler.names), run


class _Compiler:
    """Compile the nodes of a tree into functions, from the leaves up."""

    def __init__(
        self, source: str, known: Collection[str], today: date, trace: Trace | None
    ) -> None:
        self._source, self._known, self._today = source.encode(), known, today
        self._trace = trace
        self.names: dict[str, int] = {}

    def compile(self, node: ast.expr, depth: int = 0) -> Evaluate:
        if depth > DEEPEST:
            reason = tr("more than {count} parts are inside each other", count=DEEPEST)
            raise self._problem(node, reason, tr("make it simpler"))
        compile_node = self._KINDS.get(type(node))
        if compile_node is None:
            is_comma = isinstance(node, ast.Tuple)
            raise self._impossible(node, tr("write decimals with a point: 1.5") if is_comma else "")
        run = compile_node(self, node, depth + 1)
        if self._trace is None or isinstance(node, ast.Constant | ast.Name | ast.Attribute):
            return run
        source, trace = self._text(node), self._trace

        def traced(values: Sequence[Value]) -> Value:
            value = run(values)
            trace((source, show(value)))
            return value

        return traced

    def _text(self, node: ast.expr) -> str:
        return self._source[node.col_offset : node.end_col_offset].decode()

    def _problem(self, node: ast.expr, reason: str, hint: str = "") -> ExpressionProblem:
        return ExpressionProblem(reason, len(self._source[: node.col_offset].decode()), hint)

    def _impossible(self, node: ast.expr, hint: str = "") -> ExpressionProblem:
        hint = hint or tr(
            "use numbers, texts in quotes, names, + - * /, and functions such as round"
        )
        return self._problem(
            node, tr("{text} is not possible here", text=self._text(node)[:SHOWN]), hint
        )

    def _constant(self, node: ast.Constant, _: int) -> Evaluate:
        text, value = self._text(node), node.value
        match value:
            case bool() | str() | None:
                return lambda _: value
            case int() | float():
                if not text.replace(".", "", 1).isdecimal() or len(text) > MOST_DIGITS + 1:
                    hint = tr(
                        "write it plainly, with at most {count} digits: 1234.5", count=MOST_DIGITS
                    )
                    raise self._problem(
                        node, tr("{text} is not a plain number", text=text[:SHOWN]), hint
                    )
                number = Decimal(text)
                return lambda _: number
        raise self._impossible(node)

    def _name(self, node: ast.expr, _: int) -> Evaluate:
        name = self._text(node)
        if name in CONSTANTS:
            return lambda _: CONSTANTS[name]
        if name not in self._known:
            known = sorted(self._known)
            hint = (
                did_you_mean(name, known) if known else tr("give its column this name in [names]")
            )
            raise self._problem(
                node, tr("there is no field or short name {name}", name=name[:SHOWN]), hint
            )
        return operator.itemgetter(self.names.setdefault(name, len(self.names)))

    def _unary(self, node: ast.UnaryOp, depth: int) -> Evaluate:
        run, source = self.compile(node.operand, depth), self._text(node.operand)
        match node.op:
            case ast.Not():
                return lambda values: not read_truth(run(values), source)
            case ast.USub():
                return lambda values: negated(read_number(run(values), source))
            case ast.UAdd():
                return lambda values: read_number(run(values), source)
        raise self._impossible(node)

    def _binary(self, node: ast.BinOp, depth: int) -> Evaluate:
        apply = ARITHMETIC.get(type(node.op))
        if apply is None:
            raise self._impossible(node, tr("use + - * / // %"))
        left, right = self.compile(node.left, depth), self.compile(node.right, depth)
        names, source = (self._text(node.left), self._text(node.right)), self._text(node)
        if _is_text(node):
            return lambda values: joined(
                [read_text(left(values), names[0]), read_text(right(values), names[1])]
            )
        is_division = isinstance(node.op, DIVISIONS)

        def run(values: Sequence[Value]) -> Value:
            first, second = left(values), right(values)
            if type(first) is not Decimal:
                first = read_number(first, names[0])
            if type(second) is not Decimal:
                second = read_number(second, names[1])
            try:
                return apply(first, second)
            except DecimalException as error:
                if is_division and not second:
                    raise ExpressionFailure(tr("{source} divides by zero", source=source)) from None
                raise arithmetic_failure(error, source) from None

        return run

    def _compare(self, node: ast.Compare, depth: int) -> Evaluate:
        operation, last = node.ops[-1], node.comparators[-1]
        is_list = isinstance(last, ast.Tuple | ast.List | ast.Set)
        if is_list and isinstance(operation, ast.In | ast.NotIn) and len(node.ops) == 1:
            return self._membership(node.left, operation, last, depth)
        parts = (node.left, *node.comparators)
        sources, (first, *others) = (
            list(map(self._text, parts)),
            [self.compile(part, depth) for part in parts],
        )
        tests = list(map(partial(self._test, node), node.ops, sources, sources[1:]))

        def run(values: Sequence[Value]) -> bool:
            left = first(values)
            for test, operand in zip(tests, others, strict=True):
                right = operand(values)
                if not test(left, right):
                    return False
                left = right
            return True

        return run

    def _membership(self, left: ast.expr, operation: ast.cmpop, right: Any, depth: int) -> Evaluate:
        run, source = self.compile(left, depth), self._text(left)
        items = [(self.compile(item, depth), self._text(item)) for item in right.elts]
        is_in = isinstance(operation, ast.In)

        def test(values: Sequence[Value]) -> bool:
            value = run(values)
            return any(equal(value, item(values), source, name) for item, name in items) is is_in

        return test

    def _test(self, node: ast.expr, operation: ast.cmpop, left: str, right: str) -> Test:
        """Return the comparison of two values with these sources."""
        match operation:
            case ast.Eq():
                return lambda a, b: equal(a, b, left, right)
            case ast.NotEq():
                return lambda a, b: not equal(a, b, left, right)
            case ast.In():
                return lambda a, b: read_text(a, left) in read_text(b, right)
            case ast.NotIn():
                return lambda a, b: read_text(a, left) not in read_text(b, right)
        compare = ORDER.get(type(operation))
        if compare is None:
            raise self._impossible(node, tr("use == != < <= > >= in"))

        def test(a: Value, b: Value) -> bool:
            read = read_date if type(a) is date or type(b) is date else read_number
            return compare(read(a, left), read(b, right))

        return test

    def _boolean(self, node: ast.BoolOp, depth: int) -> Evaluate:
        runs = [(self.compile(value, depth), self._text(value)) for value in node.values]
        if isinstance(node.op, ast.And):
            return lambda values: all(read_truth(run(values), source) for run, source in runs)
        return lambda values: any(read_truth(run(values), source) for run, source in runs)

    def _if(self, node: ast.IfExp, depth: int) -> Evaluate:
        test, source = self.compile(node.test, depth), self._text(node.test)
        body, other = self.compile(node.body, depth), self.compile(node.orelse, depth)
        return lambda values: body(values) if read_truth(test(values), source) else other(values)

    def _call(self, node: ast.Call, depth: int) -> Evaluate:
        name = self._text(node.func)
        function = FUNCTIONS.get(name)
        if function is None:
            is_if = name.casefold() == "if"
            hint = tr("write x if condition else y") if is_if else did_you_mean(name, FUNCTIONS)
            raise self._problem(node, tr("there is no function {name}", name=name[:SHOWN]), hint)
        types, count = function.arguments, len(node.args)
        is_too_many = count > len(types) and not function.is_open
        if node.keywords or is_too_many or count < len(types) - function.optional:
            hint = tr("write it as in {example}", example=function.example)
            raise self._problem(node, tr("{name} does not take these arguments", name=name), hint)
        arguments = [
            (self.compile(arg, depth), types[min(number, len(types) - 1)], self._text(arg))
            for number, arg in enumerate(node.args)
        ]
        call = partial(function.call, self._today) if function.needs_today else function.call
        source = self._text(node)

        def run(values: Sequence[Value]) -> Value:
            try:
                return call(*[read(arg(values), text) for arg, read, text in arguments])
            except DecimalException as error:
                raise arithmetic_failure(error, source) from None

        return run

    _KINDS: Mapping[type[ast.expr], Callable[[Any, Any, int], Evaluate]] = {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _name,
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
        ast.Compare: _compare,
        ast.BoolOp: _boolean,
        ast.IfExp: _if,
        ast.Call: _call,
    }


def _is_text(node: ast.expr) -> bool:
    """Return True if a part is a text for all values of its names: then `+` joins texts.

    Values do not decide that: else the same `+` would add 12 and 34 in one row, and join A12 and 34
    in the next.
    """
    match node:
        case ast.Constant(value=str()):
            return True
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            return FUNCTIONS[name].is_text
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_text(left) or _is_text(right)
        case ast.IfExp(body=body, orelse=other):
            return _is_text(body) and _is_text(other)
    return False
