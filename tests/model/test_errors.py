"""Errors carry their exit code, and the precedence knows every code."""

import pytest

from feedtool.model import errors
from feedtool.model.errors import EXIT_PRECEDENCE, Exit, FeedtoolError

CODES = {
    "FeedtoolError": 70,
    "UsageProblem": 2,
    "FileProblem": 3,
    "NotAuthorised": 4,
    "Interrupted": 5,
    "NothingToDo": 9,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_each_error_has_its_exit_code(name: str, code: int) -> None:
    error = getattr(errors, name)("what", "what to do")
    assert isinstance(error, FeedtoolError)
    texts = (error.message, error.hint, str(error))
    assert (error.exit, texts) == (code, ("what", "what to do", "what"))


def test_the_precedence_is_the_contracts() -> None:
    assert list(EXIT_PRECEDENCE) == [70, 130, 2, 4, 5, 3, 6, 1, 0, 9]
    assert set(EXIT_PRECEDENCE) == set(Exit)
