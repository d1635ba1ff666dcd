"""Expressions of recipes: a small part of Python's syntax, with Decimal numbers.

An expression is checked on its tree and compiled once into functions of ours; Python itself runs
nothing of it. A sum with a blank is an ExpressionFailure, which is a problem of that row.
"""

import ast
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, DecimalException, DivisionByZero, Overflow, localcontext
from typing import Any, TypeAlias

from feedtool.check.recipes.values import (
    CONTEXT,
    FUNCTIONS,
    LONGEST_TEXT,
    ExpressionFailure,
    NumberText,
    Value,
    describe,
    read_any,
    read_date,
    read_number,
    read_text,
    read_truth,
)

LONGEST, DEEPEST, MOST_DIGITS = 1_000, 30, 15
"""Characters of an expression, parts inside each other, digits of a number in it."""

Evaluate: TypeAlias = Callable[[Sequence[Value]], Value]
"""From the values of the names, in the order of `Expression.names`."""

CONSTANTS: Mapping[str, Value] = {"none": None, "true": True, "false": False}


class ExpressionProblem(Exception):
    """Why an expression cannot be used."""

    def __init__(self, reason: str, at: int = 0, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.at, self.hint = reason, at, hint


@dataclass(frozen=True)
class Expression:
    """An expression that can be used."""

    source: str
    names: tuple[str, ...]
    """The names that it reads, each once."""
    run: Evaluate
    parts: Sequence[tuple[str, Evaluate]]
    """Its calls and operations from the inside to the outside, each with its source."""

    def evaluate(self, values: Sequence[Value]) -> Value:
        """Its value in a row; ExpressionFailure where it has none. Needs CONTEXT."""
        return self.run(values)

    def steps(self, values: Sequence[Value]) -> Iterator[tuple[str, str]]:
        """The value of each part in a row, in words, or why it has none."""
        for source, run in self.parts:
            with localcontext(CONTEXT):
                try:
                    step = describe(run(values))
                except ExpressionFailure as failure:
                    step = str(failure)
            yield source, step


def compile_expression(source: str, known: Collection[str], today: date) -> Expression:
    """The expression of a source that reads known names alone; raises ExpressionProblem."""
    source = source.strip()
    if len(source) > LONGEST:
        raise ExpressionProblem(f"it has more than {LONGEST} characters", hint="make it shorter")
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = max(0, (getattr(error, "offset", None) or 1) - 1)
        hint = "look at its brackets, quotes and operators"
        raise ExpressionProblem("it cannot be read", at, hint) from None
    compiler = _Compiler(source, known, today)
    run = compiler.compile(tree.body)
    return Expression(source, tuple(compiler.names), run, tuple(compiler.parts))


ARITHMETIC: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: (a / b).to_integral_value("ROUND_FLOOR"),
    ast.Mod: lambda a, b: a - b * (a / b).to_integral_value("ROUND_FLOOR"),
}
"""As Python's, where `//` and `%` go down, while those of Decimal go towards zero."""

ORDER: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class _Compiler:
    """Makes functions of the nodes of a tree, from the inside to the outside."""

    def __init__(self, source: str, known: Collection[str], today: date) -> None:
        self._source, self._known, self._today = source, known, today
        self.names: dict[str, int] = {}
        self.parts: list[tuple[str, Evaluate]] = []

    def compile(self, node: ast.expr, depth: int = 0) -> Evaluate:
        """The function of a node."""
        if depth > DEEPEST:
            raise self._problem(node, f"more than {DEEPEST} parts are inside each other")
        compile_node = self._KINDS.get(type(node))
        if compile_node is None:
            raise self._impossible(node)
        run = compile_node(self, node, depth + 1)
        if not isinstance(node, ast.Constant | ast.Name | ast.Attribute):
            self.parts.append((self._text(node), run))
        return run

    def _text(self, node: ast.AST) -> str:
        return ast.get_source_segment(self._source, node) or ""

    def _problem(self, node: ast.expr, reason: str, hint: str = "") -> ExpressionProblem:
        line = self._source.splitlines()[node.lineno - 1].encode()
        return ExpressionProblem(reason, len(line[: node.col_offset].decode()), hint)

    def _impossible(self, node: ast.expr, hint: str = "") -> ExpressionProblem:
        return self._problem(node, f"{self._text(node)[:40]} is not possible here", hint)

    def _constant(self, node: ast.Constant, _: int) -> Evaluate:
        value = self._literal(node)
        return lambda _: value

    def _literal(self, node: ast.expr) -> Value:
        text = self._text(node)
        match node:
            case ast.Constant(value=bool() | str() | None as value):
                return value
            case ast.Constant(value=int() | float()):
                if not text.replace(".", "", 1).isdecimal() or len(text) > MOST_DIGITS + 1:
                    hint = f"write it plainly, with at most {MOST_DIGITS} digits"
                    raise self._problem(node, f"{text[:40]} is no such number", hint)
                return Decimal(text)
        raise self._impossible(node)

    def _name(self, node: ast.expr, _: int) -> Evaluate:
        name = self._text(node)
        if name in CONSTANTS:
            return lambda _: CONSTANTS[name]
        if name not in self._known:
            from rapidfuzz import process

            near = process.extractOne(name, list(self._known), score_cutoff=70)
            names = ", ".join(sorted(self._known))
            hint = f"did you mean {near[0]}?" if near else f"names: {names}"
            raise self._problem(node, f"there is no {name[:60]}", hint)
        at = self.names.setdefault(name, len(self.names))
        return operator.itemgetter(at)

    def _unary(self, node: ast.UnaryOp, depth: int) -> Evaluate:
        run, source = self.compile(node.operand, depth), self._text(node.operand)
        match node.op:
            case ast.Not():
                return lambda values: not read_truth(run(values), source)
            case ast.USub():
                return lambda values: -read_number(run(values), source)
            case ast.UAdd():
                return lambda values: read_number(run(values), source)
        raise self._impossible(node)

    def _binary(self, node: ast.BinOp, depth: int) -> Evaluate:
        apply = ARITHMETIC.get(type(node.op))
        if apply is None:
            raise self._impossible(node, "use + - * / // %")
        left, right = self.compile(node.left, depth), self.compile(node.right, depth)
        names = self._text(node.left), self._text(node.right)
        source, is_sum = self._text(node), isinstance(node.op, ast.Add)

        def run(values: Sequence[Value]) -> Value:
            a, b = left(values), right(values)
            try:
                if type(a) is Decimal and type(b) is Decimal:
                    return apply(a, b)
                if is_sum and type(a) is not NumberText and isinstance(a, str):
                    return _joined(a, read_text(b, names[1]), source)
                return apply(read_number(a, names[0]), read_number(b, names[1]))
            except DecimalException as error:
                raise ExpressionFailure(_arithmetic_failure(error, source)) from None

        return run

    def _compare(self, node: ast.Compare, depth: int) -> Evaluate:
        operands = [node.left, *node.comparators]
        tests = []
        for left, operation, right in zip(operands, node.ops, operands[1:], strict=False):
            is_list = isinstance(right, ast.Tuple | ast.List | ast.Set)
            if isinstance(operation, ast.In | ast.NotIn) and is_list:
                tests.append(self._membership(left, operation, right, depth))
            else:
                tests.append(self._comparison(left, operation, right, depth))
        if len(tests) == 1:
            return tests[0]
        return lambda values: all(test(values) for test in tests)

    def _membership(
        self, left: ast.expr, operation: ast.cmpop, right: Any, depth: int
    ) -> Callable[[Sequence[Value]], bool]:
        run, source = self.compile(left, depth), self._text(left)
        items = [self._literal(item) for item in right.elts]
        is_in = isinstance(operation, ast.In)

        def test(values: Sequence[Value]) -> bool:
            value = read_any(run(values), source)
            return any(_equal(value, item) for item in items) is is_in

        return test

    def _comparison(
        self, left: ast.expr, operation: ast.cmpop, right: ast.expr, depth: int
    ) -> Callable[[Sequence[Value]], bool]:
        a, b = self.compile(left, depth), self.compile(right, depth)
        names = self._text(left), self._text(right)
        match operation:
            case ast.Eq() | ast.NotEq():
                is_equal = isinstance(operation, ast.Eq)

                def test(values: Sequence[Value]) -> bool:
                    return (
                        _equal(read_any(a(values), names[0]), read_any(b(values), names[1]))
                        is is_equal
                    )

            case ast.In() | ast.NotIn():
                is_in = isinstance(operation, ast.In)

                def test(values: Sequence[Value]) -> bool:
                    return (
                        read_text(a(values), names[0]) in read_text(b(values), names[1])
                    ) is is_in

            case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE():
                compare = ORDER[type(operation)]

                def test(values: Sequence[Value]) -> bool:
                    one, other = a(values), b(values)
                    if type(one) is date or type(other) is date:
                        return compare(read_date(one, names[0]), read_date(other, names[1]))
                    return compare(read_number(one, names[0]), read_number(other, names[1]))

            case _:
                raise self._impossible(right, "use == != < <= > >= in")
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
        if function is None or node.keywords:
            hint = f"functions: {', '.join(FUNCTIONS)}"
            raise self._problem(node, f"there is no function {name[:40]}", hint)
        types = function.arguments
        fewest = len(types) - function.optional
        if len(node.args) < fewest or (len(node.args) > len(types) and not function.is_open):
            raise self._problem(node, f"{name} is written {function.example}")
        given = [
            (self.compile(arg, depth), types[min(at, len(types) - 1)], self._text(arg))
            for at, arg in enumerate(node.args)
        ]
        source, today = self._text(node), self._today
        call = function.call
        if name == "days_since":

            def call(day: date) -> Decimal:
                return Decimal((today - day).days)

        def run(values: Sequence[Value]) -> Value:
            try:
                return call(*[read(arg(values), text) for arg, read, text in given])
            except DecimalException as error:
                raise ExpressionFailure(_arithmetic_failure(error, source)) from None

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


def _equal(a: Value, b: Value) -> bool:
    """True if two values are the same; a number and a text are, where the text is that number."""
    if type(a) is Decimal and type(b) is NumberText:
        return a == b.number
    if type(a) is NumberText and type(b) is Decimal:
        return a.number == b
    if a is not None and b is not None and isinstance(a, str) is not isinstance(b, str):
        raise ExpressionFailure(f"{describe(a)} and {describe(b)} cannot be compared")
    return a == b


def _joined(a: str, b: str, source: str) -> str:
    if len(a) + len(b) > LONGEST_TEXT:
        raise ExpressionFailure(f"{source} has more than {LONGEST_TEXT} characters")
    return a + b


def _arithmetic_failure(error: DecimalException, source: str) -> str:
    match error:
        case DivisionByZero():
            return f"{source} divides by zero"
        case Overflow():
            return f"{source} is too large"
    return f"{source} has no value"
