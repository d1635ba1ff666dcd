"""Files beside a list: their names."""

import pytest

from feedtool.runs.documents import LONGEST_NAME, safe_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("label.pdf", "label.pdf"),
        ("12/Reçu n° 3.pdf", "12/Reçu n° 3.pdf"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("..\\..\\a.pdf", "a.pdf"),
        ("a:b?.pdf", "a_b_.pdf"),
        ("a\x00\nb", "a_b"),
        ("con.pdf", "_con.pdf"),
        ("console.pdf", "console.pdf"),
        (" . ", "file"),
        ("", "file"),
        ("x" * 500 + ".pdf", "x" * LONGEST_NAME + ".pdf"),
        ("好" * 120 + ".pdf", "好" * (LONGEST_NAME // 3) + ".pdf"),
        ("labels.csv", "_labels.csv"),
        ("Labels.CSV/a.pdf", "_Labels.CSV/a.pdf"),
        ("a/labels.csv", "a/labels.csv"),
    ],
)
def test_a_name_is_safe(name: str, expected: str) -> None:
    assert safe_name(name, "labels.csv").as_posix() == expected
