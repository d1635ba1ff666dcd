import pytest

from feedtool.sheets.read.xml_chunks import normalize_xml


@pytest.mark.parametrize(
    ("data", "prefix", "text"),
    [
        ("<v>é &amp; &#10; &#xe9; 😀</v>".encode(), "", "<v>é &amp; &#10; &#xe9; 😀</v>"),
        (b"<v>a\r\nb\rc\n</v>", "", "<v>a\nb\nc\n</v>"),
        (b"<v>a]]b</v>", "", "<v>a]]b</v>"),
        (b"<x:row><x:c/></x:row>", "x:", "<row><c/></row>"),
        (b"<x:row></x:row><row/>", "x:", None),
        (b"<x:row></y:row>", "x:", None),
        (b"\x01", "", None),
        (b"\xff", "", None),
        (b"\xed\xa0\x80", "", None),
        ("\uffff".encode(), "", None),
        ("\ufffe".encode(), "", None),
        (b"]]>", "", None),
        (b"a & b", "", None),
        (b"&eacute;", "", None),
        (b"&#0;", "", None),
    ],
)
def test_normalize_xml(data: bytes, prefix: str, text: str | None) -> None:
    assert normalize_xml(data, prefix) == text
