"""Expressions: each function and operator, blanks, hostile ones, and all of them by an oracle."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, Overflow, localcontext
from fractions import Fraction
from time import perf_counter
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from feedtool.check.recipes.expressions import (
    LONGEST,
    Expression,
    ExpressionProblem,
    compile_expression,
)
from feedtool.check.recipes.functions import FUNCTIONS, is_name
from feedtool.check.recipes.values import (
    CONTEXT,
    ExpressionFailure,
    NumberText,
    UnclearText,
    UnreadableCell,
    Value,
)

TODAY = date(2026, 11, 22)
ROW: Mapping[str, Value] = {
    "cost": Decimal("12.30"),
    "stock": NumberText("1 200,50", Decimal("1200.50")),
    "rate": NumberText("19 %", Decimal(19)),
    "unclear": UnclearText("1,234", "1,234 could mean 1234 or 1.234"),
    "nothing": None,
    "name": "Lampe-Été-42",
    "since": date(2026, 11, 20),
    "sold": True,
    "broken": UnreadableCell("the cell shows #N/A"),
    "huge": Decimal("9E+39"),
    "long": Decimal("1E+48"),
    "price.price": Decimal(7),
}


def compiled(source: str) -> Expression:
    return compile_expression(source, list(ROW), TODAY)


def value_of(source: str, row: Mapping[str, Value] = ROW) -> Value:
    expression = compile_expression(source, list(row), TODAY)
    with localcontext(CONTEXT):
        return expression.run([row[name] for name in expression.names])


VALUES: Mapping[str, Value] = {
    # Arithmetic, as Python's of whole numbers: // and % go down.
    "0.1 + 0.2": Decimal("0.3"),
    "cost - 2 * 3": Decimal("6.30"),
    "7 / 2": Decimal("3.5"),
    "-7 // 2": Decimal(-4),
    "-long": Decimal("-1E+48"),
    "-(2 - 2)": Decimal(0),
    "-7 % 3": Decimal(2),
    "7 % -3": Decimal(-2),
    "+stock / 1": Decimal("1200.50"),
    "1 / 3": Decimal("0.3333333333333333333333333333"),
    "cost * (1 + rate / 100)": Decimal("14.637"),
    "rate == 19 and rate > 5": True,
    'rate == "19 %"': True,
    'lower(rate) + ""': "19 %",
    "price.price * 2": Decimal(14),
    # A sum of texts is one by what is written, never by what stands in a row.
    '"" + cost + "-" + price.price': "12.3-7",
    '(upper(name) if sold else "x") + stock': "LAMPE-ÉTÉ-421 200,50",
    "stock + stock": Decimal("2401.00"),
    # Comparisons: a text that is a number is one beside a number, or beside another.
    "1 < cost < 100 <= stock": True,
    "1 < cost > 100": False,
    "stock == 1200.5": True,
    'stock != "1200.5"': True,
    "stock == stock": True,
    'name == "lampe-été-42"': False,
    '"Lampe" in name': True,
    '"x" not in name': True,
    'name in ("a", "Lampe-Été-42")': True,
    "cost in [1, -1, 12.3]": True,
    "cost not in {1, 2}": True,
    "since > '2026-11-19'": True,
    "since == '2026-11-20'": True,
    'nothing == ""': True,
    "nothing == 0": False,
    "nothing != none": False,
    "sold == true": True,
    "not sold or cost > 1 and sold": True,
    "1 / 0 if not sold else 5": Decimal(5),
    "none": None,
    # Functions.
    "min(3, cost, 2)": Decimal(2),
    "max(3, stock)": Decimal("1200.50"),
    "abs(-cost)": Decimal("12.30"),
    "round(2.5)": Decimal(3),
    "round(-2.5)": Decimal(-3),
    "round(2.345, 2)": Decimal("2.35"),
    "round(1250, -2)": Decimal(1300),
    "ends(12.30, 0.99)": Decimal("12.99"),
    "ends(12.99, 0.99)": Decimal("12.99"),
    "ends(13, 0.99)": Decimal("13.99"),
    "ends(13, 9)": Decimal(19),
    "ends(13.5, 4.95)": Decimal("14.95"),
    "ends(12.3, 0)": Decimal(13),
    "ends(-1.5, 0.9)": Decimal("-1.1"),
    "lower(name)": "lampe-été-42",
    "upper(name)": "LAMPE-ÉTÉ-42",
    'strip("  a ")': "a",
    'replace(name, "-", "")': "LampeÉté42",
    'replace(name, "", "x")': "Lampe-Été-42",
    'split(name, "-", 1)': "Lampe",
    'split(name, "-", -1)': "42",
    'split("a  b", "", 2)': "b",
    'number(split("120 x 80,5", "x", -1)) * 2': Decimal("161.0"),
    'number("1 299,90")': Decimal("1299.90"),
    'number("-7.5%")': Decimal("-7.5"),
    'number("12,345", ",")': Decimal("12.345"),
    'number("12,345", ".")': Decimal(12345),
    'number(unclear, ",")': Decimal("1.234"),
    "number(stock) + number(cost)": Decimal("1212.80"),
    'matches(name, "lampe*")': True,
    'matches(name, "*-??")': True,
    'matches(name, "Lampe")': False,
    'matches("[neu] x", "[neu]*")': True,
    "days_since(since)": Decimal(2),
    'days_since("2026-11-25 10:00")': Decimal(-3),
    'says(name, "x", "LAMPE_ETE 42")': True,
    'says(name, "lampe")': False,
    'says(sold, "true", "1")': True,
    'says(cost, "12.3")': True,
    'says(stock, "1200.5")': True,
    'says(rate, "19%")': True,
    'says(-1, "1", "-1.0")': False,
    'says(since, "2026-11-18")': False,
    'says(nothing, "none", "")': False,
    'says("✗", "✗")': True,
    'says("-", "✗", "")': False,
    "blank(nothing)": True,
    "blank(strip(' '))": True,
    "blank(cost)": False,
}


@pytest.mark.parametrize("source", VALUES)
def test_values(source: str) -> None:
    value = value_of(source)
    assert (value, type(value)) == (VALUES[source], type(VALUES[source]))


def test_each_function_has_its_value() -> None:
    assert all(any(f"{name}(" in source for source in VALUES) for name in FUNCTIONS)
    assert [name for name in FUNCTIONS if name not in FUNCTIONS[name].example] == []


FAILURES = {
    "cost + nothing": "nothing is blank, not a number",
    "nothing * 0": "nothing is blank",
    "max(nothing, 0)": "nothing is blank",
    "-nothing": "nothing is blank",
    "nothing > 0": "nothing is blank",
    'nothing + ""': "nothing is blank, not a text",
    "lower(nothing)": "nothing is blank",
    "1 if nothing else 2": "nothing is blank, not true or false",
    "nothing and sold": "nothing is blank",
    "name * 2": "the text “Lampe-Été-42”, not a number",
    "name + cost": "the text “Lampe-Été-42”, not a number",
    "broken": "",
    "broken * 2": "the cell shows #N/A",
    "blank(broken)": "broken is the cell shows #N/A",
    "broken == 1": "#N/A",
    "cost / 0": "cost / 0 divides by zero",
    "0 // (cost - cost)": "divides by zero",
    "cost % 0": "divides by zero",
    "huge * huge": "huge * huge is too large",
    "huge // 0.001": "has too many digits",
    "round(huge, 5)": "has too many digits",
    "round(cost, 0.5)": "not a small whole number",
    "round(cost, 1001)": "not a small whole number",
    "ends(cost, -0.01)": "no number ends with -0.01",
    "sold == 1": "the number 1 cannot be compared",
    "name == 1": "cannot be compared",
    "sold < 2": "true, not a number",
    "since + 1": "the date 2026-11-20, not a number",
    "since == 5": "the number 5, not a date",
    'days_since("2026-02-30")': "not a date like 2026-11-20",
    'days_since("20/11/2026")': "not a date like",
    'days_since("2026-11-2099")': "not a date like",
    'split(name, "-", 4)': "“Lampe-Été-42” has no part 4 when it is split at “-”",
    'split(name, "-", 0)': "split counts the parts from 1, and from the end with -1, not 0",
    'number(split(name, "-", 1))': "“Lampe” is not a number",
    'number("12,345")': "“12,345” could mean two numbers: name the sign of its decimals",
    'number("12 €")': "“12 €” is not a number",
    'number("1", ";")': 'the text “;”, not "," or "."',
    "number(nothing)": "nothing is blank, not a number",
    "number(broken)": "the cell shows #N/A, not a number",
    "number(sold)": "sold is true, not a number",
    f'matches(name, "{"*" * 201}")': "more than 200 characters",
}


@pytest.mark.parametrize("source", FAILURES)
def test_failures_are_never_a_value(source: str) -> None:
    if source == "broken":  # as it stands: its field says it better
        assert value_of(source) == ROW["broken"]
        return
    with pytest.raises(ExpressionFailure) as raised:
        value_of(source)
    assert FAILURES[source] in str(raised.value)


def test_no_text_grows_beyond_a_cell() -> None:
    long = {"long": "x" * 32_767}
    for source in ('long + "x"', 'replace(long, "x", "yy")'):
        with pytest.raises(ExpressionFailure, match="more than 32767 characters"):
            value_of(source, long)


PROBLEMS = {
    "prise * 2": ("there is no field or short name prise", 0, "use one of"),
    "cost + stok": ("there is no field or short name stok", 7, "did you mean stock?"),
    "  cost + stok": ("there is no field or short name stok", 9, "did you mean stock?"),
    '"é" + (stok)': ("there is no field or short name stok", 7, "did you mean stock?"),
    "price.prise": ("there is no field or short name price.prise", 0, "did you mean price.price?"),
    "cost.__class__": ("there is no field or short name cost.__class__", 0, ""),
    "ROUND(cost)": ("there is no function ROUND", 0, "did you mean round?"),
    "IF(sold, 1, 2)": ("there is no function IF", 0, "write x if condition else y"),
    "cost.upper()": ("there is no function cost.upper", 0, ""),
    "round(1, 2, 3)": ("round does not take these arguments", 0, "as in round(a, 2)"),
    "ends(cost)": ("ends does not take these arguments", 0, "as in ends(a, 0.99)"),
    "round(cost, n=2)": ("round does not take these", 0, "as in round(a, 2)"),
    "min(*cost, 1)": ("*cost is not possible here", 4, ""),
    "cost ** 2": ("cost ** 2 is not possible here", 0, "use + - * / // %"),
    "cost is none": ("cost is none is not possible here", 0, "use == !="),
    "~cost": ("~cost is not possible here", 0, ""),
    "cost[0]": ("cost[0] is not possible here", 0, ""),
    "1,5 * cost": ("1,5 * cost is not possible here", 0, "with a point"),
    "1 in (1, 2) == true": ("(1, 2) is not possible here", 5, "with a point"),
    "1e5": ("1e5 is not a plain number", 0, "write it plainly"),
    "1_000": ("1_000 is not a plain number", 0, "write it plainly"),
    "0x10": ("0x10 is not a plain number", 0, "write it plainly"),
    "1j": ("1j is not possible here", 0, ""),
    "b'a'": ("b'a' is not possible here", 0, ""),
    "...": ("... is not possible here", 0, ""),
    "": ("the expression cannot be read", 0, "brackets, quotes"),
    "cost +": ("the expression cannot be read", 0, "brackets, quotes"),
    "cost = 3": ("the expression cannot be read", 5, "write == to compare"),
    "cost && sold": ("the expression cannot be read", 6, "write and, or"),
    "cost <> 3": ("the expression cannot be read", 5, "write != or not"),
    "min(cost; 3)": ("the expression cannot be read", 8, "commas"),
    "sold ? 1 : 2": ("the expression cannot be read", 5, "x if condition else y"),
    "cost * 20%": ("the expression cannot be read", 0, "cost * 0.2"),
    "PV TTC * 2": ("the expression cannot be read", 3, "[names]"),
    "name == “x”": ("the expression cannot be read", 8, "straight quotes"),
    "cost\n+ 1": ("a line break is in it", 4, "in one line"),
}


@pytest.mark.parametrize("source", PROBLEMS)
def test_problems_have_a_place_and_a_way_out(source: str) -> None:
    with pytest.raises(ExpressionProblem) as raised:
        compiled(source)
    reason, at, hint = PROBLEMS[source]
    problem = raised.value
    assert (problem.reason.startswith(reason), problem.position) == (True, at), problem
    assert hint in problem.hint


HOSTILE = {
    "dunder": "cost.__class__.__mro__",
    "import": "__import__('os').system('true')",
    "power": "9**9**9",
    "a MiB of brackets": "(" * (1 << 20),
    "brackets": "(" * LONGEST,
    "lists": "[" * 90 + "]" * 90,
    "lambda": "lambda: 1",
    "comprehension": "[cost for cost in cost]",
    "generator": "max(cost for cost in cost)",
    "f-string": 'f"{cost}"',
    "walrus": "(cost := 1)",
    "await": "await cost",
    "huge number": "9" * LONGEST,
    "minus": "-" * (LONGEST - 1) + "1",
    "not": "not " * 240 + "sold",
    "ifs": "1 if sold else " * 60 + "1",
    "chains": "cost" + " < (cost" * 40 + ") < 1" * 40,
    "calls": "abs(" * 150 + "1" + ")" * 150,
    "sums": "1+" * 490 + "1",
    "dots": "cost" + ".a" * 490,
    "NUL": "cost\0",
    "half a character": "'\ud800'",
    "separators": "'é\x0c\x1c' + (x)",
    "no digits": "\u0661\u0662",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_expressions_are_refused(case: str) -> None:
    with pytest.raises(ExpressionProblem):
        compiled(HOSTILE[case])


WIDE = ("cost < " * 120 + "1", "min(" + "cost," * 190 + "1)", "1" + "<(1" * 25 + ")<1" * 25)


def test_the_work_of_an_expression_is_bounded_by_its_length() -> None:
    for source in WIDE:
        with localcontext(CONTEXT):
            steps = compiled(source).steps([Decimal(1)])
        assert len(steps) < LONGEST


@pytest.mark.long
@pytest.mark.parametrize("source", [*HOSTILE.values(), *WIDE], ids=[*HOSTILE, *map(len, WIDE)])
def test_hostile_expressions_are_refused_at_once(source: str) -> None:
    times = []
    for _ in range(3):
        start = perf_counter()
        with suppress(ExpressionProblem):
            compiled(source)
        times.append(perf_counter() - start)
    assert min(times) < 0.05


def test_a_condition_is_true_or_false() -> None:
    expression = compile_expression("cost", ["cost"], TODAY, is_condition=True)
    with pytest.raises(ExpressionFailure, match="cost is the number 1, not true or false"):
        expression.run([Decimal(1)])
    assert expression.run([False]) is False


def test_steps_are_those_that_count_in_the_row() -> None:
    expression = compiled("ends(cost * 1.2, 0.99) if cost > 0 else 1 / 0")
    assert expression.steps([Decimal("12.30")]) == [
        ("cost > 0", "true"),
        ("cost * 1.2", "14.76"),
        ("ends(cost * 1.2, 0.99)", "14.99"),
        (expression.source, "14.99"),
    ]
    assert expression.steps([Decimal(0)]) == [
        ("cost > 0", "false"),
        (expression.source, "1 / 0 divides by zero"),
    ]


def test_names_that_expressions_can_read() -> None:
    taken = ("", "coût HT", "2x", "a.b", "none", "None", "if", "a-b")
    free = ["coût", "cost_2", "number", "min"]
    assert [text for text in (*taken, *free) if is_name(text)] == free
    assert value_of("number + number(number) * 2", {"number": Decimal(3)}) == 9


# The oracle: each strategy gives a source and what its value must be, in its own arithmetic.

Env = Mapping[str, Value]
ORACLE = Context(prec=28, rounding=ROUND_HALF_UP, Emax=40, traps=[Overflow])
NAMES = ("a", "b", "c")
SIGNS = ("+", "-", "*", "/", "//", "%")
ENDINGS = ("0.99", "0.9", "0.5", "0", "9", "4.95", "99")


class OracleFailure(Exception):
    """The expression has no value."""


class Tree(NamedTuple):
    source: str
    value: Callable[[Env], object]


def number(tree: Tree, env: Env) -> Decimal:
    value = tree.value(env)
    if not isinstance(value, Decimal):
        raise OracleFailure
    return value


def exact(value: Fraction) -> Decimal:
    """A fraction with finitely many decimals, rounded by the context."""
    return ORACLE.divide(Decimal(value.numerator), Decimal(value.denominator))


def binary(sign: str, left: Tree, right: Tree) -> Tree:
    def value(env: Env) -> object:
        a, b = number(left, env), number(right, env)
        if sign in ("/", "//", "%") and not b:
            raise OracleFailure
        try:
            match sign:
                case "+":
                    return ORACLE.add(a, b)
                case "-":
                    return ORACLE.subtract(a, b)
                case "*":
                    return ORACLE.multiply(a, b)
                case "/":
                    return ORACLE.divide(a, b)
        except DecimalException as error:
            raise OracleFailure from error
        quotient = math.floor(Fraction(a) / Fraction(b))
        if abs(Fraction(a) / Fraction(b)) >= 10**28:
            raise OracleFailure
        if sign == "//":
            assume(abs(quotient) < 10**28)
            return Decimal(quotient)
        return exact(Fraction(a) - Fraction(b) * quotient)

    return Tree(f"({left.source} {sign} {right.source})", value)


def rounded(tree: Tree, places: int) -> Tree:
    def value(env: Env) -> object:
        given = Fraction(number(tree, env)) * Fraction(10) ** places
        whole = math.floor(abs(given) + Fraction(1, 2)) * (1 if given >= 0 else -1)
        if abs(whole) >= 10**28:
            raise OracleFailure
        return Decimal(whole).scaleb(-places)

    return Tree(f"round({tree.source}, {places})", value)


def ending(tree: Tree, end: str) -> Tree:
    def value(env: Env) -> object:
        given, own = Fraction(number(tree, env)), Fraction(end)
        assume(abs(given) < 10**12)
        step = 1
        while step <= own:
            step *= 10
        return exact(math.ceil((given - own) / step) * step + own)

    return Tree(f"ends({tree.source}, {end})", value)


def choice(test: Tree, body: Tree, other: Tree) -> Tree:
    return Tree(
        f"({body.source} if {test.source} else {other.source})",
        lambda env: body.value(env) if test.value(env) else other.value(env),
    )


def comparison(sign: str, left: Tree, right: Tree) -> Tree:
    def value(env: Env) -> object:
        if sign in {"==", "!="}:
            a, b = left.value(env), right.value(env)
            return (a == b) is (sign == "==")
        x, y = number(left, env), number(right, env)
        return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[sign]

    return Tree(f"({left.source} {sign} {right.source})", value)


def logical(word: str, left: Tree, right: Tree) -> Tree:
    def value(env: Env) -> object:
        first = left.value(env)
        return right.value(env) if bool(first) is (word == "and") else first

    return Tree(f"({left.source} {word} {right.source})", value)


def function(name: str, trees: list[Tree]) -> Tree:
    functions: Mapping[str, Callable[..., object]] = {"min": min, "max": max, "abs": abs}
    python = functions[name]
    arguments = ", ".join(tree.source for tree in trees)
    return Tree(f"{name}({arguments})", lambda env: python(*(number(tree, env) for tree in trees)))


decimals = st.builds(
    Decimal.scaleb, st.integers(-30_000, 30_000).map(Decimal), st.sampled_from([0, -1, -2, -3, 3])
).map(lambda value: value or Decimal(0))
literals = decimals.map(lambda value: Tree(f"{abs(value):f}", lambda _: abs(value)))
variables = st.sampled_from(NAMES).map(lambda name: Tree(name, lambda env: env[name]))
negated = variables.map(lambda tree: Tree(f"-{tree.source}", lambda env: -number(tree, env)))


def numbers(depth: int) -> st.SearchStrategy[Tree]:
    leaf = st.one_of(literals, variables, negated)
    if not depth:
        return leaf
    inner = numbers(depth - 1)
    several, single = st.lists(inner, min_size=2, max_size=3), st.tuples(inner).map(list)
    return st.one_of(
        *(st.builds(binary, st.just(sign), inner, inner) for sign in SIGNS),
        st.builds(rounded, inner, st.integers(-3, 4)),
        st.builds(ending, inner, st.sampled_from(ENDINGS)),
        st.builds(function, st.sampled_from(["min", "max"]), several),
        st.builds(function, st.just("abs"), single),
        st.builds(choice, truths(depth - 1), inner, inner),
    )


def truths(depth: int) -> st.SearchStrategy[Tree]:
    inner = numbers(max(0, depth - 1))
    signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    compared = st.builds(comparison, signs, inner, inner)
    if not depth:
        return compared
    part = truths(depth - 1)
    return st.one_of(
        compared,
        variables.map(
            lambda tree: Tree(f"blank({tree.source})", lambda env: tree.value(env) is None)
        ),
        st.builds(logical, st.sampled_from(["and", "or"]), part, part),
        part.map(lambda tree: Tree(f"(not {tree.source})", lambda env: not tree.value(env))),
    )


ORACLES = given(
    tree=st.one_of(numbers(1), numbers(3), truths(2)),
    env=st.fixed_dictionaries(
        dict.fromkeys(NAMES, st.one_of(decimals, decimals, decimals, st.none()))
    ),
    is_text=st.booleans(),
)


@settings(max_examples=50)
@ORACLES
def test_the_value_of_every_expression_is_the_oracles(
    tree: Tree, env: dict[str, Decimal | None], *, is_text: bool
) -> None:
    assert_value_is_the_oracles(tree, env, is_text=is_text)


@pytest.mark.long
@settings(max_examples=400)
@ORACLES
def test_the_value_of_many_expressions_is_the_oracles(
    tree: Tree, env: dict[str, Decimal | None], *, is_text: bool
) -> None:
    assert_value_is_the_oracles(tree, env, is_text=is_text)


def assert_value_is_the_oracles(
    tree: Tree, env: dict[str, Decimal | None], *, is_text: bool
) -> None:
    assume(len(tree.source) <= LONGEST)
    expression = compile_expression(tree.source, NAMES, TODAY)
    as_read = {
        name: NumberText(f"{value} EUR", value) if is_text and value is not None else value
        for name, value in env.items()
    }
    try:
        wanted = tree.value(env)
    except OracleFailure:
        wanted = OracleFailure
    with localcontext(CONTEXT):
        try:
            value: object = expression.run([as_read[name] for name in expression.names])
        except ExpressionFailure:
            value = OracleFailure
    assert (value.number if isinstance(value, NumberText) else value) == wanted


TOKENS = (
    *(*ROW, *FUNCTIONS, "x", "none", "true", "None", "1", "0.5", "-", "'a'", '"é"', "'\\d'", " "),
    *("+", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", "in", "not", "and", "or", "is"),
    *("if", "else", "lambda", "for", "(", ")", "(", ")", "[", "]", ",", ".", ":", "=", "\ud800"),
)


WRITTEN = st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join) | st.text(max_size=40)


@given(WRITTEN)
@settings(max_examples=60)
def test_every_text_ends_in_a_value_or_in_words(source: str) -> None:
    assert_ends_in_a_value_or_in_words(source)


@pytest.mark.long
@given(WRITTEN)
@settings(max_examples=600)
def test_much_that_is_written_ends_in_a_value_or_in_words(source: str) -> None:
    assert_ends_in_a_value_or_in_words(source)


def assert_ends_in_a_value_or_in_words(source: str) -> None:
    at, expression = 0, compiled("none")
    try:
        expression = compiled(source)
    except ExpressionProblem as problem:
        at = problem.position
    assert 0 <= at <= len(source)
    with localcontext(CONTEXT), suppress(ExpressionFailure):
        expression.run([ROW[name] for name in expression.names])
    assert all(expression.steps([ROW[name] for name in expression.names]))


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=20)
@given(values=st.lists(st.sampled_from(list(ROW)), min_size=1, max_size=3))
def test_each_function_of_anything_is_a_value_or_fails_in_words(
    name: str, values: list[str]
) -> None:
    with suppress(ExpressionProblem, ExpressionFailure):
        value_of(f"{name}({', '.join(values)})")
