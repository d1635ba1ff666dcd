"""Valid files, spoilt: by bytes, by the parts of a package, by the markup of a part.

All is decided by the `Random` that is handed in, so a case is known by its number.
"""

import io
import re
import struct
import zipfile
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from lxml import etree

NUMBERS = (
    *("0", "-1", "1", "2", "7", "16384", "16385", "1048576", "1048577", "4294967296"),
    *("9" * 30, "9" * 5000, "1e400", "1E3", "-0", "0x10", "nan", "inf", "1.5", " 1 ", ""),
    *("٣", "1_0", "00"),
)
NAMES = (
    *("A1", "B2", "XFD1048576", "XFE1", "A0", "A1048577", "AAAAAAA1", "a1", "$A$1", "1A", "A"),
    *("A1:B2", "B2:A1", "A1:XFD1048576", ":", "A1:", "D4:D4", "R1C1", "A1 B2"),
)
WORDS = (
    *("n", "s", "str", "inlineStr", "b", "e", "d", "true", "false", "preserve", "hidden", "shared"),
    *("array", "UTF-8", "utf-16", "latin-1", "idna", "rot13", "x", "rId1", "rId2", "../x.xml"),
    *("/xl/workbook.xml", "xl\\styles.xml", "Offers", "feedtool summary", "feedtool status"),
    *("=1+1", "#N/A", "é", "😀", "\u202e", "&#0;", "&amp;", "&lol;", "_x0000_", "_xD800_", "]]>"),
    *("sellerExternalReference", "gtin", "price", "quantity", "action", "19,99", "1,234", "New"),
)
MARKUP = (
    *("<!-- -->", "<!--", "-->", "<![CDATA[x]]>", "<?pi?>", "<!DOCTYPE a>", "<row/>", "<c/>"),
    *("<row>", "</row>", "<c>", "</c>", "<v>1</v>", "<v/>", "<is><t>x</t></is>", "<f>A1</f>"),
    *('<row r="3"/>', '<c r="C3"><v>1</v></c>', "<sheetData>", "</sheetData>", "<sheetData/>"),
    *('<dimension ref="A1"/>', '<mergeCell ref="A1:B2"/>', "<extLst><ext/></extLst>", "<si/>"),
    *("<x:c/>", "<cols/>", '<col min="1" max="16384"/>', "<mergeCells/>", "<worksheet>", "\x01"),
    *('<dxfs count="0"/>', "<cellXfs/>", "<fonts/>", "<sheets/>", "<Relationships/>", "<Types/>"),
    *('<cfRule type="expression"><formula>LEN("feedtool")</formula></cfRule>', "<r><t>x</t></r>"),
)
HOSTILE = (*NUMBERS, *NAMES, *WORDS, *MARKUP)

PLACES = (b"PK\1\2", b"PK\3\4", b"PK\5\6")
TAG = re.compile(r"<[^<>]*>|[^<>]+|[<>]")

MOST_ADDED = 100_000
"""Bytes that one doubling of lines may add: doubled lines of doubled lines are soon a huge file."""

Items = bytearray | list[Any]
"""The bytes of a file, the parts of a package, the tags and texts of a part."""
Parts = list[tuple[str, bytes]]


def spoil_bytes(data: bytes, chance: Random) -> bytes:
    """A few bytes or stretches changed, most of them near the headers of a zip if it is one."""
    spoilt = bytearray(data)
    # A text in which NULs are strewn ends soon.
    spoils = _BYTES if data.startswith(b"PK") or chance.random() < 0.1 else _TEXT_BYTES
    for _ in range(_few(chance)):
        chance.choice(spoils)(spoilt, _place(spoilt, chance), chance)
    return bytes(spoilt)


def spoil_package(data: bytes, chance: Random) -> bytes:
    """The parts of a package renamed, dropped, doubled, exchanged, in a sound zip."""
    parts = unpacked(data)
    for _ in range(_few(chance)):
        if parts:
            chance.choice(_PACKAGE)(parts, chance.randrange(len(parts)), chance)
    return packed(parts, chance)


def spoil_markup(data: bytes, chance: Random) -> bytes:
    """The XML of one or two parts spoilt, in a sound zip."""
    parts = unpacked(data)
    for _ in range(chance.choice((1, 1, 1, 2))):
        xml = [index for index, (name, _) in enumerate(parts) if name.endswith((".xml", ".rels"))]
        sheets = [at for at in xml if "sheet" in parts[at][0]]
        at = chance.choice(sheets if sheets and chance.random() < 0.6 else xml)
        name, content = parts[at]
        spoil = chance.choice((_spoil_tree, _spoil_tree, _spoil_tree, _spoil_tokens, _spoil_raw))
        parts[at] = (name, spoil(content, chance))
    return packed(parts, chance)


def spoil_text(data: bytes, chance: Random) -> bytes:
    """A CSV with its fields, quotes, line ends, marks or encoding spoilt."""
    spoilt = data
    for _ in range(_few(chance)):
        spoilt = chance.choice(_TEXT)(spoilt, chance)
    return spoilt


def unpacked(data: bytes) -> Parts:
    """The names and contents of the parts of a sound package."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return [(info.filename, package.read(info)) for info in package.infolist()]


def packed(parts: Parts, chance: Random) -> bytes:
    """A sound zip of the parts, with any names."""
    out = io.BytesIO()
    method = chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))
    with zipfile.ZipFile(out, "w", method) as package:
        for name, content in parts:
            _add(package, zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), content, method)
    return out.getvalue()


def _add(package: zipfile.ZipFile, info: zipfile.ZipInfo, content: bytes, method: int) -> None:
    info.compress_type = method
    package.NameToInfo.pop(info.filename, None)  # so that a second one of the name is no warning
    package.writestr(info, content)


def _few(chance: Random) -> int:
    return chance.choice((1, 1, 1, 2, 2, 3, 5, 8))


def _place(data: bytearray, chance: Random) -> int:
    """Anywhere, or just behind one of the signatures of a zip."""
    if chance.random() < 0.6:
        start = data.find(chance.choice(PLACES), chance.randrange(len(data) + 1))
        if start >= 0:
            return min(start + chance.randrange(60), len(data))
    return chance.randrange(len(data) + 1)


def _delete(items: Items, at: int, chance: Random) -> None:
    del items[at : at + chance.choice((1, 1, 2, 4, 30, 1000))]


def _cut(items: Items, at: int, _chance: Random) -> None:
    del items[at:]


def _double(items: Items, at: int, chance: Random) -> None:
    size = chance.choice((1, 3, 16, 400))
    times = chance.choice((1, 1, 1, 3, 50))
    items[at:at] = items[at : at + size] * times


def _move(items: Items, at: int, chance: Random) -> None:
    size = chance.choice((1, 2, 4, 8))
    taken = items[at : at + size]
    del items[at : at + size]
    to = chance.randrange(len(items) + 1)
    items[to:to] = taken


def _set(data: bytearray, at: int, chance: Random) -> None:
    data[at : at + 1] = bytes((chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256))),))


def _flip(data: bytearray, at: int, chance: Random) -> None:
    if at < len(data):
        data[at] ^= 1 << chance.randrange(8)


def _insert(data: bytearray, at: int, chance: Random) -> None:
    data[at:at] = chance.randbytes(chance.choice((1, 1, 2, 4, 100)))


def _word(data: bytearray, at: int, chance: Random) -> None:
    number = chance.choice(
        (0, 1, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, len(data), chance.getrandbits(32))
    )
    data[at : at + 4] = struct.pack("<L", number)[: len(data) - at]


_Spoil = Callable[[Any, int, Random], None]
_TEXT_BYTES: Sequence[_Spoil] = (_flip, _flip, _delete, _cut, _double, _insert)
_BYTES: Sequence[_Spoil] = (*_TEXT_BYTES, _set, _set, _word, _word)


def _rename(parts: Parts, at: int, chance: Random) -> None:
    name, content = parts[at]
    other = chance.choice(parts)[0]
    names = (
        *(name.upper(), "/" + name, name.replace("/", "\\"), "../" + name, name + "/", other),
        *(name + ".bak", "é" + name, "", "C:" + name, name.replace("1", "9"), "a/../" + name),
    )
    parts[at] = (chance.choice(names), content)


def _repeat(parts: Parts, at: int, chance: Random) -> None:
    name, content = chance.choice(parts)
    parts.insert(at, (chance.choice((name, name.upper())), content))


def _exchange(parts: Parts, at: int, chance: Random) -> None:
    name, content = parts[at]
    others = (chance.choice(parts)[1], b"", content[: len(content) // 2], b"\0" * 50, b"<a/>")
    parts[at] = (name, chance.choice(others))


def _shuffle(parts: Parts, _at: int, chance: Random) -> None:
    chance.shuffle(parts)


def _add_part(parts: Parts, _at: int, chance: Random) -> None:
    names = ("mimetype", "xl/calcChain.xml", "customXml/", "EncryptedPackage", "docProps/app.xml")
    parts.append((chance.choice(names), chance.choice((b"", b"x", chance.choice(parts)[1]))))


_PACKAGE: Sequence[_Spoil] = (
    *(_rename, _rename, _exchange, _exchange, _repeat, _delete, _shuffle, _add_part),
)


def _spoil_tree(content: bytes, chance: Random) -> bytes:
    """Elements dropped, doubled, moved, renamed; attributes and texts replaced; well-formed."""
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False))
    except etree.XMLSyntaxError:
        return _spoil_raw(content, chance)
    for _ in range(_few(chance)):
        elements = [one for one in root.iter() if isinstance(one.tag, str)]
        chance.choice(_TREE)(chance.choice(elements), elements, chance)
    declared = chance.choice((None, "UTF-8", "UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII"))
    written = etree.tostring(
        root, encoding=declared or "UTF-8", xml_declaration=declared is not None
    )
    return written if isinstance(written, bytes) else written.encode()


_Element = etree._Element  # noqa: SLF001  # it has no other name


def _element_dropped(one: _Element, _elements: list[_Element], _chance: Random) -> None:
    parent = one.getparent()
    if parent is not None:
        parent.remove(one)


def _element_doubled(one: _Element, _elements: list[_Element], chance: Random) -> None:
    for _ in range(chance.choice((1, 1, 1, 5, 40))):
        if one.getparent() is not None:
            one.addnext(deepcopy(one))


def _element_moved(one: _Element, elements: list[_Element], chance: Random) -> None:
    """A copy of it somewhere else, it itself gone or not."""
    other = chance.choice(elements)
    new = deepcopy(one)
    if chance.random() < 0.3:
        other.append(new)
    elif other.getparent() is not None:
        other.addnext(new)
    if chance.random() < 0.5:
        _element_dropped(one, elements, chance)


def _element_renamed(one: _Element, elements: list[_Element], chance: Random) -> None:
    space = etree.QName(one).namespace
    name = etree.QName(chance.choice(elements)).localname
    one.tag = etree.QName(chance.choice((space, space, space, "urn:other", None)), name).text


def _attribute_spoilt(one: _Element, elements: list[_Element], chance: Random) -> None:
    """An attribute with another value: a hostile one, or that of another element."""
    named = [element for element in elements if element.attrib]
    if not named:
        return
    chosen = one if one.attrib else chance.choice(named)
    name = chance.choice(sorted(map(str, chosen.attrib)))
    others = [element.get(name) or "" for element in named]
    value = chance.choice((*NUMBERS, *NAMES, *WORDS, *others, *others))
    if chance.random() < 0.15:
        del chosen.attrib[name]
    else:
        chosen.set(name, _held(value))


def _text_spoilt_in(one: _Element, elements: list[_Element], chance: Random) -> None:
    texts = [element for element in elements if element.text and element.text.strip()]
    chosen = chance.choice(texts) if texts and chance.random() < 0.8 else one
    chosen.text = _held(chance.choice((*NUMBERS, *NAMES, *WORDS)))
    if chance.random() < 0.2:
        chosen.append(chance.choice((etree.Comment("c"), etree.ProcessingInstruction("p", "i"))))


def _held(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(letter for letter in text if letter >= " ")


_TREE: Sequence[Callable[[_Element, list[_Element], Random], None]] = (
    *(_element_dropped, _element_doubled, _element_moved, _element_renamed),
    *(_attribute_spoilt, _attribute_spoilt, _attribute_spoilt, _text_spoilt_in, _text_spoilt_in),
)


def _spoil_tokens(content: bytes, chance: Random) -> bytes:
    """Tags and texts dropped, doubled, moved, replaced."""
    try:
        tokens = TAG.findall(content.decode("utf-16" if content[:1] in b"\xff\xfe" else "utf-8"))
    except UnicodeDecodeError:
        tokens = TAG.findall(content.decode("latin-1"))
    for _ in range(_few(chance)):
        if tokens:
            chance.choice(_TOKENS)(tokens, chance.randrange(len(tokens)), chance)
    text = "".join(tokens)
    if chance.random() < 0.95:
        return text.encode("utf-8", "surrogatepass")
    codec = chance.choice(("utf-16", "utf-16-be", "latin-1", "utf-8-sig", "utf-32", "cp1252"))
    if chance.random() < 0.7:
        text = re.sub(r'encoding="[^"]*"', f'encoding="{codec}"', text, count=1)
    return text.encode(codec, "replace")


def _spoil_raw(content: bytes, chance: Random) -> bytes:
    spoilt = bytearray(content)
    for _ in range(_few(chance)):
        chance.choice(_BYTES)(spoilt, chance.randrange(len(spoilt) + 1), chance)
    return bytes(spoilt)


def _token_inserted(tokens: list[str], at: int, chance: Random) -> None:
    tokens.insert(at, chance.choice(HOSTILE))


def _token_nested(tokens: list[str], at: int, chance: Random) -> None:
    depth = chance.choice((2, 99, 120, 3000))
    tokens[at:at] = ["<a>"] * depth + ["</a>"] * depth


def _token_spoilt(tokens: list[str], at: int, chance: Random) -> None:
    """A letter, a quote or a name in a tag or a text becomes something else."""
    old = chance.choice(re.findall(r'"[^"]*"|[\w:]+|.', tokens[at], re.DOTALL))
    value = chance.choice((*NUMBERS, *NAMES, *WORDS))
    new = f'"{value}"' if old[0] == '"' and chance.random() < 0.9 else value
    tokens[at] = tokens[at].replace(old, new, 1)


_TOKENS: Sequence[_Spoil] = (
    *(_delete, _double, _move, _token_inserted, _token_inserted, _token_nested),
    *(_token_spoilt,) * 8,
)

FIELDS = (
    *('"', '""', "'", ",", ";", "\t", "|", "\r", "\n", "\r\n", "\0", "\x1a", "\ufeff", "sep=;\n"),
    *('="0036"', "=1+1", "\x0b", "\x0c", "\x85", "\u2028", "é", "\udc80", "€", "\x1b[2J", " "),
    "\xa0",
)


def _text_inserted(data: bytes, chance: Random) -> bytes:
    at = chance.choice((0, len(data), chance.randrange(len(data) + 1)))
    new = chance.choice((*FIELDS, *FIELDS, *NUMBERS, *WORDS))
    codec = chance.choice((*(("utf-8",) * 8), "cp1252", "utf-16-le"))
    errors = "surrogateescape" if codec == "utf-8" else "replace"
    return data[:at] + new.encode(codec, errors) + data[at:]


def _text_replaced(data: bytes, chance: Random) -> bytes:
    """All of one separator, line end or quote become another."""
    marks = (b",", b";", b"\t", b"|", b"\n", b"\r\n", b"\r", b'"', b"'", b"", b"\n\n", b" ")
    old = chance.choice(marks[:8])
    return data.replace(old, chance.choice(marks), chance.choice((1, 3, -1)))


def _text_coded(data: bytes, chance: Random) -> bytes:
    codec = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "cp1252", "utf-32"))
    return data.decode("utf-8", "replace").encode(codec, "replace")


def _text_doubled(data: bytes, chance: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    at = chance.randrange(len(lines) + 1)
    some = b"".join(lines[at : at + 3])
    times = min(chance.choice((1, 2, 400)), MOST_ADDED // max(len(some), 1))
    return b"".join((*lines[:at], some * times, *lines[at:]))


_TEXT = (
    *(_text_inserted, _text_inserted, _text_inserted),
    *(_text_replaced, _text_coded, _text_doubled, _spoil_raw),
)
