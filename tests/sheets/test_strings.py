import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.model.errors import FileProblem
from feedtool.sheets import Limits
from feedtool.sheets.escapes import escape
from feedtool.sheets.strings import SharedStrings

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def read(xml: str, size: int = 1 << 18, limits: Limits | None = None) -> list[str]:
    data = xml.encode()
    stream = (data[at : at + size] for at in range(0, len(data), size))
    strings = SharedStrings.read(stream, "xl/sharedStrings.xml", limits or Limits())
    return [strings[index] for index in range(len(strings))]


def table(inner: str) -> str:
    return f'<?xml version="1.0"?><sst xmlns="{MAIN}" count="9" uniqueCount="9">{inner}</sst>'


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
).filter(lambda text: "_x" not in text)


@given(st.lists(st.tuples(TEXT, st.integers(0, 4)), max_size=40), st.integers(20, 400))
@settings(deadline=None)
def test_whatever_the_writing(texts: list[tuple[str, int]], size: int) -> None:
    """Plain ones are read by pattern, the others by a parser, and all keep their place."""
    writings = (
        "<si><t>{}</t></si>",
        '<si><t xml:space="preserve">{}</t></si>\n',
        "<si><r><t>{}</t></r><rPh sb='0' eb='1'><t>x</t></rPh></si>",
        "<si ><t>{}</t></si>",
        "<si><t>{}</t><!-- x --></si>",
    )
    written = [writings[way].format(escape(text).replace(">", "&gt;")) for text, way in texts]
    assert read(table("".join(written)), size) == [text for text, _ in texts]


@pytest.mark.parametrize(
    "xml",
    [
        "<sst/>",
        f'<sst xmlns="{MAIN}"/>',
        f'<sst xmlns="{MAIN}"></sst>',
        '<sst xmlns="urn:other"><si><t>a</t></si></sst>',
    ],
)
def test_empty_tables(xml: str) -> None:
    assert read(xml) == []


def test_prefixes() -> None:
    xml = f'<x:sst xmlns:x="{MAIN}"><x:si><x:t>a</x:t></x:si></x:sst>'
    assert read(xml) == ["a"]


@pytest.mark.parametrize(
    ("inner", "texts"),
    [
        ("<x:si><x:t>A</x:t></x:si><si><t>B</t></si>", ["A", "B"]),
        ("<x:si><x:t>A</x:t></x:si>", ["A"]),
        ("<x:other/><si><t>B</t></si>", ["B"]),
        (" \n<si><t>B</t></si>\n ", ["B"]),
    ],
)
def test_one_namespace_with_a_prefix_and_without(inner: str, texts: list[str]) -> None:
    assert read(f'<sst xmlns="{MAIN}" xmlns:x="{MAIN}">{inner}</sst>') == texts


@pytest.mark.parametrize(
    "before",
    ["</a>", "<a>", "< ", "<y:a/>", "<!-- -- -->", "&amp", "]]>", "<!-- <si><t>--></t></si>"],
)
def test_nothing_is_overlooked_before_a_text(before: str) -> None:
    with pytest.raises(FileProblem) as caught:
        read(table(f"{before}<si><t>B</t></si>"))
    assert caught.value.code == "corrupt-xml"


@pytest.mark.parametrize(
    ("xml", "code"),
    [
        (table("<si><t>a</t>"), "corrupt-xml"),
        (table("<si><t>&nbsp;</t></si>"), "corrupt-xml"),
        ("", "corrupt-xml"),
        ("<!DOCTYPE sst><sst/>", "xml-doctype"),
        (table(f"<si><t>{'a' * 2000}</t><r/></si>"), "zip-bomb"),
        (table("<si><t>0123456789</t></si>" * 300), "zip-bomb"),
    ],
)
def test_refused(xml: str, code: str) -> None:
    with pytest.raises(FileProblem) as caught:
        read(xml, size=500, limits=Limits(text=1000, strings=2500))
    assert caught.value.code == code


@pytest.mark.parametrize("index", [-1, 1, 10**9])
def test_no_such_text(index: int) -> None:
    strings = SharedStrings()
    strings.extend([b"only"])
    with pytest.raises(FileProblem, match="looked up"):
        strings[index]


def test_an_endless_tag() -> None:
    with pytest.raises(FileProblem, match="tag") as caught:
        read(table(f'<si a="{"x" * 6_000_000}"/>'), limits=Limits(text=1_000_000))
    assert caught.value.code == "zip-bomb"
