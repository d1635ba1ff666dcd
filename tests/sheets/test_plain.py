"""However a sheet is written, the same is read, and nothing that a parser would refuse."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.model.cells import Cell
from feedtool.model.errors import FileProblem
from feedtool.sheets.escapes import unescape
from feedtool.sheets.plain import Writings, as_utf8, plain, unprefixed, written_anew
from tests.sheets.test_agreement import MAIN, Rows, block, by_cells, by_parser, by_pattern

TEXT = re.compile(r"<is><t>([^<]*)</t></is>")
TOKEN = re.compile(r"</?[^<>]*>|&[^;]*;|[^<&]")
LEAF = re.compile(r"<(?:x:)?[vtf][ >]")
ASIDES = ("<!-- <row> ' & -->", "<?pi <c?>", "<!--->-->", "<![CDATA[]]>")
BLANKS = ("\r\n", "\n\t ", "\r")
FORMATS = (
    "", "<rPr/>", '<rPr><b/><sz val="11"/><color theme="1" tint="-0.1"/></rPr>',
    "<rPr>\n <rFont val='a b'/></rPr>",
)  # fmt: skip
GUIDES = ("", '<rPh sb="0" eb="1"><t>g</t></rPh><phoneticPr fontId="1" type="noConversion"/>')


def rich(text: str, chance: Random) -> str:
    """An inline text as runs, in many formats, and with phonetic guides beside it."""
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(20)))
    cuts = [cut for cut in cuts if "&" not in text]
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    first = f"<t>{parts.pop(0)}</t>" if chance.randrange(2) else ""
    runs = "".join(
        f'<r>{chance.choice(FORMATS)}<t xml:space="preserve">{part}</t></r>' for part in parts
    )
    return f"<is>{first}{runs}{chance.choice(GUIDES)}</is>"


def reordered(tag: str, chance: Random) -> str:
    """A tag with its attributes in another order, and other blanks around them."""
    attributes = re.findall(r' [\w:]+="[^"]*"', tag)
    name = re.match(r"<[\w:]+", tag)
    if not attributes or not name:
        return tag
    chance.shuffle(attributes)
    if name[0].endswith("c") and chance.randrange(2):
        attributes.append(chance.choice([' cm="1"', ' ph="1"', ' vm="2"', ' theirs="R"']))
    written = "".join(attributes)
    if chance.randrange(2):
        written = written.replace(" ", "\n  ").replace("=", chance.choice([" =", "= ", "="]))
    return f"{name[0]}{written}{chance.choice(['', ' '])}{'/>' if tag.endswith('/>') else '>'}"


def otherwise(text: str, chance: Random) -> str:
    """The same rows with comments, instructions, CDATA, references, blanks and single quotes."""
    written = []
    if chance.randrange(2):
        text = TEXT.sub(lambda found: rich(found[1], chance), text)
    for token in TOKEN.findall(text):
        is_tag = token.startswith("<")
        way = chance.randrange(10)
        if way == 0:
            written.append(chance.choice(ASIDES))
        if way == 1 and not is_tag:
            written.append(f"<![CDATA[{unescape(token)}]]>")
        elif way == 2 and not is_tag:
            written.append(f"&#{ord(unescape(token))};")
        elif way in (3, 4) and is_tag:
            written.append(token.replace('"', "'"))
        elif way in (6, 7) and is_tag and "\n" not in token:
            written.append(reordered(token, chance))
        else:
            written.append(token)
        if way in (4, 5) and is_tag and (token.endswith("/>") or not LEAF.match(token)):
            written.append(chance.choice(BLANKS))
    return "".join(written)


def prefixed(text: str, prefix: str = "x:") -> str:
    return re.sub(r"<(/?)(?=[a-z])", rf"<\1{prefix}", text)


def taken(text: str, prefix: str = "") -> tuple[Rows, frozenset[int]] | None:
    """What the patterns read of whatever writing they take; None if it is the parser's."""
    writings = Writings(lambda plainly: by_pattern(plainly, 32) or by_cells(plainly))
    return writings.offer(text.encode(), prefix)


@given(block(), st.randoms(use_true_random=False), st.sampled_from(["", "x:"]))
@settings(max_examples=60, deadline=None)
def test_the_same_is_read_however_it_is_written(text: str, chance: Random, prefix: str) -> None:
    varied = otherwise(prefixed(text, prefix), chance)
    rows, hidden = by_parser(text)
    assert by_parser(varied, prefix) == (rows, hidden)
    found = taken(varied, prefix)
    if found is not None:
        assert found[0] == rows
        assert found[1] & frozenset(rows) == hidden & frozenset(rows)


DAMAGE = (
    "", "<", ">", "&", "'", '"', "-", "--", "->", "?>", "<?", "<!", "]", "]]>", "\r", "\x01",
    "\uffff", " xmlns='u'",
    "<!-- -->", "<!-- -- -->", "<!----->", "<?xml?>", "<?XML a?>", "<?a:b?>", "<?pi?>", "<?1?>",
    "<r>", "</r>", "<rPr>", "<t>", "</t></r><r><t>", "</t></r></is>",
    "<r><t>", '<r><rPr><sz val="', '"/></rPr><t>', "=", "  ", "<rPh",
    ' r="A1"', " r='2", ' s="1"', ' cm="1"', ' a="1"', ' b:a="1"',
    "<![CDATA[x]]>", "<![CDATA[", "<!-- \x01 -->", "&am", "amp;", "x:", " ", "<v/>", "</v>",
)  # fmt: skip


@given(
    block(),
    st.randoms(use_true_random=False),
    st.sampled_from(["", "x:"]),
    st.lists(
        st.tuples(st.integers(0, 2000), st.integers(0, 3), st.sampled_from(DAMAGE)), max_size=3
    ),
)
@settings(max_examples=120, deadline=None)
def test_what_is_taken_the_parser_reads_alike(
    text: str, chance: Random, prefix: str, damage: list[tuple[int, int, str]]
) -> None:
    text = otherwise(prefixed(text, prefix), chance)
    for at, length, inserted in damage:
        place = at % (len(text) or 1)
        text = text[:place] + inserted + text[place + length :]
    try:
        found = taken(text, prefix)
    except FileProblem:  # an index that is not in the shared strings
        return
    if found is not None:
        assert found[0] == by_parser(text, prefix)[0]


RICH = (
    '<row r="7"><c r="A7" t="inlineStr"><is><t>a</t><r><t> &lt;b</t></r><r><rPr><b/><color'
    ' rgb="FF000000"/></rPr><t xml:space="preserve">c </t></r><rPh sb="0" eb="1"><t>g</t></rPh>'
    '<phoneticPr fontId="1"/></is></c><c r="B7" t="inlineStr"><is><r><t/></r></is></c></row>'
)
ROW = (
    '<row r="7" hidden="1"><c r="A7" t="str"><v>a &lt; b</v></c><c r="B7" s="1"><v>1</v></c></row>'
)


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        ROW.replace('"', "'"),
        ROW.replace("<v>", "<v><!-- x -->"),
        ROW.replace("a &lt;", "<![CDATA[a <]]>"),
        ROW.replace("<c", "<?pi y?><c"),
        ROW.replace("<c", "\r\n    <c").replace("</c>", "\r\n    </c>"),
        ROW.replace("<v>1</v>", "<v></v>"),
        ROW.replace("<v>1</v>", "<v/>"),
        ROW.replace("<v>1</v>", "<is><t></t></is>"),
        ROW.replace(' r="A7"', "").replace(' r="B7"', ""),
        ROW.replace(' r="B7"', "") + '<row><c s="1"/><c><v>5</v></c><c s="1"/></row>',
        "<row><c><v>1</v></c></row><row><c/><c/><c><v>2</v></c></row>",
        "\r\n" + ROW + "\r\n",
        '<row r="1"><c r="B1"><v>1</v></c><c s="01" r="A1"/></row>',
        '<row><c r="B1"><v>1</v></c></row>',
        ROW.replace('r="A7" t="str"', 't="str"  r="A7"').replace(
            'r="7" hidden="1"', 'hidden="1" r="7"'
        ),
        ROW.replace(' t="str"', '\n t = "str" ').replace("</v>", "</v >").replace("<v>", "<v\t>"),
        ROW.replace(' t="str"', ' t="str" cm="1" vm=\'2\' ph="1"'),
        ROW.replace("<c", '<c theirs="B7"'),
        ROW.replace("<v>", '<v xml:space="preserve">'),
        RICH,
        RICH.replace("<r>", "\n  <r>").replace("</r>", "\n  </r>").replace("<rPr>", "\n<rPr>"),
        RICH.replace('"', "'"),
        RICH.replace("<r><rPr>", "<r><t>1</t></r>" * 20 + "<r><rPr>"),
        RICH.replace(
            "<r><rPr>",
            "".join(f'<r><rPr><sz val="{n}"/></rPr><t/></r>' for n in range(20)) + "<r><rPr>",
        ),
    ],
)
@pytest.mark.parametrize("prefix", ["", "x:"])
def test_no_parser_is_needed(row: str, prefix: str) -> None:
    """Not all is handed on, or the agreement would mean nothing."""
    text = prefixed(row, prefix)
    assert taken(text, prefix) == by_parser(text, prefix)


@pytest.mark.parametrize(
    "text",
    [
        ROW.replace(' hidden="1"', " <!-- -->"),
        ROW.replace(' hidden="1"', ' hidden="<!-- -->1"'),
        ROW.replace(' hidden="1"', ' hidden="1>" <!-- -->'),
        ROW.replace("&lt;", "&l<!-- -->t;"),
        ROW.replace("&lt;", "&<![CDATA[lt;]]>"),
        ROW.replace("&lt;", "<!-- -- -->"),
        ROW.replace("&lt;", "<!-- --->"),
        ROW.replace("&lt;", "<!-- \x02 -->"),
        ROW.replace("&lt;", "<!-- "),
        ROW.replace("&lt;", "<?xml version='1.0'?>"),
        ROW.replace("&lt;", "<?XML ?>"),
        ROW.replace("&lt;", "<?a:b ?>"),
        ROW.replace("&lt;", "<![CDATA[a]]>]]>"),
        ROW.replace("&lt;", "<!DOCTYPE a>"),
        ROW.replace("<c", "text<c", 1),
        ROW.replace("</c>", "</c>text", 1),
        ROW.replace("<c ", "<y:c ", 1),
        ROW.replace(' t="str"', " t=\"str\" t='str'"),
        ROW.replace(' t="str"', ' cm="1" cm="1" t="str"'),
        ROW.replace(' t="str"', ' t="str" r="A7"'),
        ROW.replace('r="A7" t="str"', 't="str\' r="A7"'),
        ROW.replace('r="A7"', "r=\"A7'"),
        ROW.replace('r="A7" t="str"', 't="str"r="A7"'),
        ROW.replace(' hidden="1"', ' hidden="1"hidden="1" '),
        ROW.replace("</v>", "</ v>", 1),
        RICH.replace("</r>", "", 1),
        RICH.replace("<t> ", "<t>x</t><t> ", 1),
        RICH.replace("<b/>", "<b>", 1),
        RICH.replace("<b/>", "<b x='1' x='2'/>", 1),
        RICH.replace("<b/>", "<y:b/>", 1),
        RICH.replace("<b/>", '<b x="<r><t>"/>', 1),
        RICH.replace("<b/>", '<b x="</t></r><r><t>"/>', 1),
        RICH.replace("<b/>", '<b xmlns="http://www.w3.org/2000/xmlns/"/>', 1),
        RICH.replace("</r><r>", "</r>x<r>", 1),
        RICH.replace("</is>", "</si>", 1),
        RICH.replace("<r>", "<r><r>", 1),
        RICH.replace("<r><t>", "<t>", 1),
        RICH.replace("<r><t>", "<t></t></r><r><t>", 1),
        RICH.replace("<r><t>", "</t></r><r><t>", 1),
        ROW.replace("&lt;", "</t></r><r><t>"),
        ROW.replace("<v>", "<</t></r><r><t>v>"),
        "<row><c r='A1'/><c r='A1'><v>1</v></c></row>",
        '<row r="1048576"/><row><c><v>1</v></c></row>',
    ],
)
def test_the_rest_is_the_parsers(text: str) -> None:
    assert taken(text) is None


def test_a_tag_without_the_prefix_is_another_thing() -> None:
    assert unprefixed("<x:row></x:row>", "x:") == "<row></row>"
    assert unprefixed("<x:row></x:row><row/>", "x:") is None
    assert unprefixed("<row/>", "") == "<row/>"


def test_a_way_that_fails_rests() -> None:
    offered: list[str] = []
    is_taken = False

    def take(text: str) -> str | None:
        offered.append(text)
        return text if is_taken else None

    writings = Writings(take)
    for _ in range(200):
        assert writings.offer(b"<row r='1'/>", "") is None
    assert 40 < len(offered) < 70
    is_taken = True
    found = [writings.offer(b"<row r='1'/>", "") for _ in range(20)]
    assert found[-1] == "<row r='1'/>"
    assert None in found


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"<row/>", "<row/>"),
        ("é\u2028".encode(), "é\u2028"),
        (b"a\tb\n", "a\tb\n"),
        (b"&amp;&#233;", "&amp;&#233;"),
        (b"a\rb", None),
        (b"\x00", None),
        (b"\x1f", None),
        (b"\xff", None),
        ("\uffff".encode(), None),
        (b"]]>", None),
        (b"&eacute;", None),
        (b"&#0;", None),
    ],
)
def test_plain(data: bytes, text: str | None) -> None:
    assert plain(data) == text


def test_rewritten_lines_and_quotes() -> None:
    assert written_anew(b"<row r='1'>\r\n<v>a\rb ='c' </v></row>\r") == (
        "<row r=\"1\"><v>a\nb ='c' </v></row>\n"
    )
    assert written_anew(b"<v>\xff</v>") is None


def stream(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("declared", ["", "UTF-16", "utf-16", "own"])
@pytest.mark.parametrize("size", [601, 1 << 10])
def test_utf_16(codec: str, mark: str, declared: str, size: int) -> None:
    name = codec.replace("16-", "16") if declared == "own" else declared
    start = f'<?xml version="1.0" encoding="{name}" standalone="yes"?>' if name else ""
    body = "<a>" + "é𝄞" * 400 + "</a>"
    data = f"{mark}{start}{body}".encode(codec)
    found = b"".join(as_utf8(stream(data, size), "part")).decode()
    assert found == start.replace(name, "UTF-8", 1) + body if name else found == body


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<",
        "<a/>é".encode(),
        '<?xml version="1.0" encoding="UTF-8"?><a/>'.encode("utf-16"),
        '<?xml version="1.0" encoding="UTF-16BE"?><a/>'.encode("utf-16-le"),
        b"\xff\xfe" + "<?xml ".encode("utf-16-le"),
    ],
)
def test_not_decoded(data: bytes) -> None:
    assert b"".join(as_utf8(iter([data]), "part")) == data


@pytest.mark.parametrize("end", [b"\0\xd8", b"\0\xd8a\0", b"\0\xdc", b"a"])
def test_half_characters(end: bytes) -> None:
    with pytest.raises(FileProblem) as caught:
        list(as_utf8(iter(["<a/>".encode("utf-16"), end]), "part"))
    assert caught.value.code == "corrupt-xml"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("prefix", ["", "x:"])
@pytest.mark.parametrize("seed", [None, 1])
def test_large_sheets(
    make_sheet: Callable[..., Path],
    read: Callable[[Path], dict[int, dict[int, Cell]]],
    codec: str,
    prefix: str,
    seed: int | None,
) -> None:
    """Several pieces long, in every way."""
    canonical = "".join(
        f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c><c r="C{row}" t="str"><v>é {row} &amp;</v>'
        "</c></row>"
        for row in range(1, 6000)
    )
    text = prefixed(canonical, prefix)
    text = otherwise(text, Random(seed)) if seed else text  # noqa: S311 - writes a test's sheet
    name = ":x" if prefix else ""
    mark = "\ufeff" if codec == "utf-16-be" else ""
    sheet = (
        f'{mark}<?xml version="1.0" encoding="{codec[:6]}"?>'
        f'<{prefix}worksheet xmlns{name}="{MAIN}">'
        f"<{prefix}sheetData>{text}</{prefix}sheetData></{prefix}worksheet>"
    )
    found = read(make_sheet(sheet=sheet.encode(codec), strings="<si><t>one</t></si>"))
    assert found == read(make_sheet(canonical, strings="<si><t>one</t></si>"))
    assert len(found) == 5999
