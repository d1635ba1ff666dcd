"""Chosen fixes, and the made ones that have proved right."""

from collections.abc import Iterable

import pytest

from feedtool.areas.registry import load
from feedtool.check.fixes import SAFE, all_fixes, chosen_fixes, failed_fixes
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.nouns import CellFix, Problem, Severity
from feedtool.model.sheet import INVALID, SKIPPED, VALID, CheckedRows, CheckedSheet, ProblemSpool

EVERY = {fix.name: fix for fix in all_fixes(load())}


def test_names_choose_fixes() -> None:
    safe = {name for name, fix in EVERY.items() if fix.is_safe}
    assert safe == {"blanks", "invisible", "zeros", "accents", "decimals", "category"}
    assert chosen_fixes([], load()) == chosen_fixes([SAFE], load()) - {SAFE} == safe
    assert chosen_fixes(["round", "bar"], load()) == safe | {"round", "bar"}
    assert chosen_fixes(["struck-price"], load()) == safe | {"list-price"}, "its former name"
    assert len(EVERY) == len(all_fixes(load()))


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        (["rond"], "there is no fix “rond”", "did you mean round?"),
        (["zzz"], "there is no fix “zzz”", "fixes to choose: decimal-comma, decimal-point, round"),
        (
            ["decimal-comma", "decimal-point"],
            "the fixes decimal-comma and decimal-point contradict each other",
            "choose one of them",
        ),
    ],
)
def test_names_that_cannot_be_chosen(names: list[str], message: str, hint: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        chosen_fixes(names, load())
    assert caught.value.message == message
    assert caught.value.hint.startswith(hint)


def sheet(problems: Iterable[tuple[int, str, str]], marks: dict[int, int]) -> CheckedSheet:
    spool = ProblemSpool()
    for row, column, code in problems:
        severity = Severity.WARNING if code == "trimmed" else Severity.ERROR
        spool.append(Problem(row, None, column, None, None, code, severity, None, "", ""))
    checked = CheckedSheet("offers.csv", rows=CheckedRows(problems_by_source=[spool]))
    for row, mark in marks.items():
        checked.rows.marks[row] = mark
    return checked


def fix(row: int, column: str, code: str) -> CellFix:
    return CellFix(row, column, None, None, code, "round", "1", "2")


C7 = fix(7, "C", "trimmed")
B5, C5, B6 = fix(5, "B", "number-precision"), fix(5, "C", "trimmed"), fix(6, "B", "enum-value")
BEFORE = [
    (5, "B", "number-precision"),
    (5, "C", "trimmed"),
    (6, "B", "enum-value"),
    (7, "C", "trimmed"),
]
ALL = {5: VALID, 6: VALID, 7: VALID}

OUTCOMES = {
    "all is fixed": ([], ALL, set()),
    "a problem stays": ([(5, "B", "number-precision")], ALL, {B5}),
    "it becomes another error": ([(6, "B", "gtin-format")], ALL, {B6}),
    "it becomes a warning": ([(6, "B", "trimmed")], ALL, set()),
    "another cell of the row is wrong now": ([(5, "A", "duplicate-reference")], ALL, {B5, C5}),
    "one of two is the cause": (
        [(5, "A", "duplicate-reference"), (5, "C", "trimmed")], ALL, {C5}
    ),
    "a rule sees an error only now": ([(5, "F", "origin-price-below-price")], ALL, set()),
    "a rule sees another error of a cell that was fixed": (
        [(5, "B", "price-below-taxes")], ALL, {B5}
    ),
    "a rule saw none of a row that was right": (
        [(7, "F", "origin-price-below-price")], ALL | {7: INVALID}, {C7}
    ),
    "another row is wrong now": ([(9, "A", "duplicate-reference")], ALL, set()),
    "the row is none now": ([], ALL | {5: SKIPPED}, {B5, C5}),
    "the row is blank now": ([], {5: VALID, 6: VALID}, {C7}),
}  # fmt: skip


@pytest.mark.parametrize(("problems", "marks", "wrong"), OUTCOMES.values(), ids=OUTCOMES)
def test_fixes_that_are_taken_back(
    problems: list[tuple[int, str, str]], marks: dict[int, int], wrong: set[CellFix]
) -> None:
    before = sheet(BEFORE, {5: INVALID, 6: INVALID, 7: VALID})
    assert failed_fixes(before, sheet(problems, marks), [B5, C5, B6, C7], load()) == wrong


def test_all_are_taken_back_of_a_sheet_that_cannot_be_read_any_more() -> None:
    after = CheckedSheet("offers.csv", error=FileProblem("", ""))
    assert failed_fixes(sheet(BEFORE, ALL), after, [B5, B6], load()) == {B5, B6}
