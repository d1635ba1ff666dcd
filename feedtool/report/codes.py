"""Every problem code with its page, gathered from where each is declared; other words beside."""

import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from types import MappingProxyType

from feedtool.areas.offers.changes.guards import all_guards
from feedtool.areas.registry import load
from feedtool.check.rules import all_rules
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.nouns import Code, Severity
from feedtool.report.glossary import REPORT, WORDS, Word, result_code, result_codes

LONGEST = 40
"""Characters of an unknown code that are compared with the known ones."""


@cache
def all_codes() -> Mapping[str, Code]:
    """Every code by its name, in the order of names.

    Those of rules and guards are found by their being there, those of cells in the columns'
    modules, and those of files are the subclasses of `FileProblem`, all of which reading files
    imports.
    """
    codes = [rule.code for rule in all_rules(load())]
    codes += [guard.code for guard in all_guards().values()]
    codes += _of_columns()
    codes += [_of_file(problem) for problem in _subclasses(FileProblem) if problem.code]
    by_name = {code.name: code for code in codes}
    return MappingProxyType(dict(sorted(by_name.items())))


def explain(name: str, findings: Mapping[str, str] = MappingProxyType({})) -> str:
    """The page of a code, a status or a state: what it means, and how to mend it.

    Args:
        name: As it is printed; case, blanks and dashes do not matter.
        findings: What codes of product reports mean, where that is known.

    Raises:
        UsageProblem: there is none of that name; the hint names the three nearest.
    """
    word, wanted = name.strip(), _folded(name)
    pages = all_codes()
    known = {**{code: Word(REPORT, text) for code, text in findings.items()}, **WORDS}
    if result := result_code(word):
        known[word] = result
    near = (one for one in (*pages, *known) if _folded(one) == wanted)
    found = word if word in known else next(near, None)
    if found is None:
        every = {_folded(one): one for one in (*pages, *known, *result_codes())}
        first, second, third = get_close_matches(wanted[:LONGEST], every, n=3, cutoff=0)
        raise UsageProblem(
            f"there is no code or status “{name}”",
            f"did you mean {every[first]}, {every[second]} or {every[third]}? `feedtool explain`"
            " lists all",
        )
    if found in pages:
        return f"{pages[found].severity}[{found}]\n\n{pages[found].page.strip()}\n"
    kind, page = known[found]
    return f"{found}, {kind}\n\n{page}\n"


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()


def summary_of(name: str) -> str:
    """The first line of a code's page; empty for a code that is not ours (the service's)."""
    code = all_codes().get(name)
    return code.page.strip().partition("\n")[0] if code else ""


def mending_of(name: str) -> str:
    """What a code's page says of mending it, without regard to a single cell."""
    code = all_codes().get(name)
    last = " ".join(code.page.strip().rpartition("\n\n")[2].split()) if code else ""
    for start in ("To mend it, ", "How to mend it: "):
        last = last.removeprefix(start)
    return last


def _of_columns() -> Iterator[Code]:
    """The `Code` constants of the columns' modules."""
    for package in ("feedtool.feeds.columns", "feedtool.areas.products.columns"):
        for module in pkgutil.iter_modules(import_module(package).__path__):
            for constant in vars(import_module(f"{package}.{module.name}")).values():
                if isinstance(constant, Code):
                    yield constant


def _of_file(problem: type[FileProblem]) -> Code:
    return Code(problem.code, Severity.ERROR, inspect.getdoc(problem) or "")


def _subclasses(parent: type[FileProblem]) -> Iterator[type[FileProblem]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)
