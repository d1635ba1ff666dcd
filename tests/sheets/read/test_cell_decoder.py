from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.model.errors import FileProblem
from feedtool.sheets import ReadingLimits
from feedtool.sheets.cell_text import escape
from feedtool.sheets.read.cell_decoder import SharedStrings
from tests.corpus.made import MAIN
from tests.sheets.conftest import damages


def read(xml: str, size: int = 1 << 18, limits: ReadingLimits | None = None) -> list[str]:
    data = xml.encode()
    stream = (data[number : number + size] for number in range(0, len(data), size))
    strings = SharedStrings.read(stream, "xl/sharedStrings.xml", limits or ReadingLimits())
    return [strings[index] for index in range(len(strings))]


def table(inner: str) -> str:
    return f'<?xml version="1.0"?><sst xmlns="{MAIN}" count="9" uniqueCount="9">{inner}</sst>'


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
).filter(lambda text: "_x" not in text)


WRITINGS = (
    "<si><t>{}</t></si>",
    '<si><t xml:space="preserve">{}</t></si>\n',
    (
        '<si><r><rPr><b/><sz val="11"/><color theme="1" tint="-0.1"/></rPr>'
        '<t xml:space="preserve">{}</t></r><r><rPr/><t/></r>'
        '<rPh sb="0" eb="1"><t>x</t></rPh><phoneticPr fontId="1"/></si>'
    ),
    "<si><r><t>{}</t></r><rPh sb='0' eb='1'><t>x</t></rPh></si>",
    "<si ><t>{}</t></si>",
    "<si><t>{}</t><!-- x --></si>",
)


@given(st.lists(st.tuples(TEXT, st.sampled_from(WRITINGS)), max_size=40), st.integers(20, 400))
@settings(deadline=None)
def test_texts_of_any_form_are_read(texts: list[tuple[str, str]], size: int) -> None:
    """Texts and runs are read by pattern, others by a parser, and all keep their place."""
    written = [writing.format(escape(text).replace(">", "&gt;")) for text, writing in texts]
    assert read(table("".join(written)), size) == [text for text, _ in texts]


DAMAGE = (
    "", "<", ">", "&", "'", '"', "/", " ", "=", "]]>", "<r>", "</r>", "<rPr>", "<t>", "</t>",
    "<t/>", "</t></r><r><t>", "<si>", "</si>", "x", ' val="1"', ' xmlns="u"', "<y:b/>", "<b></b>",
)  # fmt: skip


DAMAGED = given(
    st.lists(st.sampled_from(WRITINGS[:3]), min_size=1, max_size=4), damages(DAMAGE, 600)
)


@DAMAGED
@settings(max_examples=50, deadline=None)
def test_damaged_texts_are_read_as_a_parser_reads_them(
    writings: list[str], damage: Callable[[str], str]
) -> None:
    assert_read_as_by_a_parser(writings, damage)


@pytest.mark.long
@DAMAGED
@settings(max_examples=5000, deadline=None)
def test_many_damaged_texts_are_read_as_a_parser_reads_them(
    writings: list[str], damage: Callable[[str], str]
) -> None:
    assert_read_as_by_a_parser(writings, damage)


def assert_read_as_by_a_parser(writings: list[str], damage: Callable[[str], str]) -> None:
    inner = damage("".join(writings).format(*"abcdefgh"))
    # A comment leaves all that follows to the parser.
    results = [outcome(inner), outcome(f"<!-- -->{inner}")]
    assert results[0] == results[1]


def outcome(inner: str) -> list[str] | str:
    try:
        return read(table(inner))
    except FileProblem as problem:
        return problem.code


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
def test_faults_before_a_text_are_found(before: str) -> None:
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
        read(xml, size=500, limits=ReadingLimits(text=1000, strings=2500))
    assert caught.value.code == code


def test_an_endless_tag() -> None:
    with pytest.raises(FileProblem, match="tag") as caught:
        read(table(f'<si a="{"x" * 6_000_000}"/>'), limits=ReadingLimits(text=1_000_000))
    assert caught.value.code == "zip-bomb"
