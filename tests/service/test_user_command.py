"""Programs and their arguments, as each system writes them."""

import pytest

from feedtool.service.user_command import words_of


@pytest.mark.parametrize(
    ("command", "is_windows", "words"),
    [
        ("told --now", False, ["told", "--now"]),
        ("'/opt/my tools/told' a\\ b", False, ["/opt/my tools/told", "a b"]),
        (r"C:\tools\told.exe --now", True, [r"C:\tools\told.exe", "--now"]),
        (r'"C:\my tools\told.exe" "a b"', True, [r"C:\my tools\told.exe", "a b"]),
        (" ", False, []),
        (" ", True, []),
    ],
)
def test_a_command_is_split(command: str, words: list[str], *, is_windows: bool) -> None:
    assert words_of(command, is_windows=is_windows) == words


@pytest.mark.parametrize("is_windows", [False, True])
def test_a_quote_is_closed(*, is_windows: bool) -> None:
    with pytest.raises(ValueError, match="quotation"):
        words_of('told "a b', is_windows=is_windows)
