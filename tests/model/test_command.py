import pytest

from feedtool.model.command import words_of


@pytest.mark.parametrize(
    ("command", "is_windows", "words"),
    [
        ("told --now", False, ["told", "--now"]),
        ("'/opt/my tools/told' a\\ b", False, ["/opt/my tools/told", "a b"]),
        (r"C:\tools\told.exe --now", True, [r"C:\tools\told.exe", "--now"]),
        (r'"C:\my tools\told.exe" "a b"', True, [r"C:\my tools\told.exe", "a b"]),
        *((" ", False, []), (" ", True, [])),
        *(('told "a b', False, None), ('told "a b', True, None)),
    ],
)
def test_a_command_is_split(command: str, words: list[str] | None, *, is_windows: bool) -> None:
    if words is None:
        with pytest.raises(ValueError, match="quotation"):
            words_of(command, is_windows=is_windows)
    else:
        assert words_of(command, is_windows=is_windows) == words
