"""The plainest writing of a piece: XML says one thing in many ways, and the patterns read one.

A parser reads all of them, at a sixth of the speed. So what is written otherwise, in UTF-16, with
a prefix before every tag, with comments, CDATA or single quotes, is written anew first. No
rewriting needs to understand what it rewrites, since whatever comes out is offered to patterns
that take nothing but canonical items: each must only be sure to mean the same to a parser, and to
leave a fault in what a parser would refuse.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Generic, TypeVar

from feedtool.sheets.cut import split_aside
from feedtool.sheets.escapes import escape, has_only_known_references
from feedtool.sheets.markup import corrupt
from feedtool.sheets.tidy import tidy, tidy_tags

T = TypeVar("T")

_UTF_16 = {
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
"""How a part in UTF-16 begins, with a mark of its byte order or without (XML 1.0, appendix F)."""
_DECLARATION = re.compile(r"""(<\?xml\s[^<>]*?\bencoding\s*=\s*["'])([^"'<>]*)(["'][^<>]*\?>)""")
_FORBIDDEN = bytes(code for code in range(32) if code not in b"\t\n\r")
_ASIDE, _BEGIN, _END = "\1", "\2", "\3"
"""Stand in for an aside, and for where a CDATA begins and ends: no characters of XML."""
_WITHOUT_TEXT = re.compile(
    rf"{_ASIDE}(?:<!--[^-{_ASIDE}]*+(?:-[^-{_ASIDE}]++)*+-->"
    rf"|<\?(?!(?i:xml))[A-Za-z_][\w.-]*+(?:[ \t\n][^{_ASIDE}]*+(?<=\?>)|\?>))"
    rf"(?={_ASIDE}|\Z)",
    re.ASCII,
)
"""A well-formed comment or instruction among asides."""
_TEXT = f"(?:{_BEGIN}[^{_ASIDE}{_BEGIN}{_END}]*+{_END})?+"
_TEXTS = re.compile(f"{_TEXT}(?:{_ASIDE}{_TEXT})*+")
_REST_OF_TAG = re.compile(f"{_ASIDE}[^<>{_ASIDE}]*+>")
_BEGUN_REFERENCE = re.compile(f"&[^&;{_ASIDE}]*+{_ASIDE}")
"""What is behind, or before, an aside that is in the midst of it."""
_LONGEST_REST = 8


def as_utf8(stream: Iterator[bytes], part: str) -> Iterator[bytes]:
    """A part as it is, or in UTF-8 if it is in UTF-16. Raises CorruptXml where it is neither.

    A part that declares another encoding than it has is left to the parser, which refuses it.
    """
    first = next(stream, b"")
    codec = _UTF_16.get(first[:2])
    return chain((first,), stream) if codec is None else _decoded(first, stream, codec, part)


def _decoded(first: bytes, stream: Iterator[bytes], codec: str, part: str) -> Iterator[bytes]:
    decoder = getincrementaldecoder(codec)()
    try:
        start = _declared_as_utf8(decoder.decode(first), codec)
        if start is None:
            yield from chain((first,), stream)
            return
        yield start.encode()
        for data in stream:
            if text := decoder.decode(data):
                yield text.encode()
        decoder.decode(b"", final=True)
    except UnicodeError as error:
        raise corrupt(part, f"its XML cannot be read ({error})") from error


def _declared_as_utf8(text: str, codec: str) -> str | None:
    """The beginning of a part without a mark of its byte order, and declared as what it becomes."""
    text = text.removeprefix("\ufeff")
    if not text.startswith("<?xml"):
        return text
    declared = _DECLARATION.match(text)
    if declared is None or declared[2].lower() not in ("utf-16", codec.replace("16-", "16")):
        return None
    return f"{declared[1]}UTF-8{declared[3]}{text[declared.end() :]}"


def plain(data: bytes, prefix: str = "") -> str | None:
    """The text, if a parser would find in it the same characters and no fault; else None.

    `prefix` stands before the names of its tags, and not in what comes out.
    """
    text = None if b"\r" in data else _characters(data)
    return unprefixed(text, prefix) if text is not None and _has_no_fault(text) else None


def rewritten(data: bytes, prefix: str = "") -> str | None:
    """The same for whole items, without asides and blanks, each text as one."""
    return _rewritten(data, prefix, tidy)


def written_anew(data: bytes, prefix: str = "") -> str | None:
    """The same after writing whole items, and their tags, as plainly as can be."""
    return _rewritten(data, prefix, tidy_tags)


def _rewritten(data: bytes, prefix: str, write: Callable[[str], str]) -> str | None:
    text = _characters(data)
    if text is None:
        return None
    if "\r" in text:
        # What a parser does before anything else (XML 1.0, 2.11).
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _has(text, "<!") or _has(text, "<?"):
        whole = _without_asides(text)
        if whole is None:
            return None
        text = whole
    if not _has_no_fault(text):
        return None
    bare = unprefixed(text, prefix)
    return None if bare is None else write(bare)


def _characters(data: bytes) -> str | None:
    """The text, if each of its characters is one of XML (production 2 of the recommendation)."""
    if len(data.translate(None, _FORBIDDEN)) != len(data):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if not data.isascii() and ("\ufffe" in text or "\uffff" in text) else text


def _has_no_fault(text: str) -> bool:
    return not _has(text, "]]>") and has_only_known_references(text)


def _has(text: str, sign: str) -> bool:
    """Whether it is there; to look for its rarest character first takes a fiftieth of the time."""
    return sign.strip("<>")[0] in text and sign in text


def _without_asides(text: str) -> str | None:
    """A text without comments and instructions and with its CDATA written as text.

    None where one of them is malformed, or would mend a tag or a reference by its going.
    """
    parts = split_aside(text)
    if len(parts) == 1:
        return None
    outside = _ASIDE.join(parts[::2])
    if _REST_OF_TAG.search(outside) or ("&" in outside and _BEGUN_REFERENCE.search(outside)):
        return None
    texts = _texts(_ASIDE.join(parts[1::2]))
    if texts is None:
        return None
    parts[1::2] = texts.split(_ASIDE)
    return "".join(parts)


def _texts(asides: str) -> str | None:
    """What asides hold of the text, each between marks: of a CDATA all, escaped.

    None where one is malformed. A sheet may have a million, so nothing looks at one by itself.
    """
    asides = _WITHOUT_TEXT.sub(_ASIDE, _ASIDE + asides) + _ASIDE
    asides = asides.replace(f"{_ASIDE}<![CDATA[", _ASIDE + _BEGIN)
    asides = asides.replace(f"]]>{_ASIDE}", _END + _ASIDE)[1:-1]
    if not _TEXTS.fullmatch(asides):
        return None
    return escape(asides).replace(">", "&gt;").replace(_BEGIN, "").replace(_END, "")


def unprefixed(text: str, prefix: str) -> str | None:
    """A text without the prefix of its tags, if each of them has it; else None."""
    if not prefix:
        return text
    begin, end = f"<{prefix}", f"</{prefix}"
    if text.count("<") != text.count(begin) + text.count(end):
        return None
    return text.replace(begin, "<").replace(end, "</")


class Writings(Generic[T]):
    """Offers the pieces of a part as they stand, then rewritten, until one is taken.

    Every offer that is not taken costs time, so a way of writing that failed twice in a row rests
    for a while: one piece longer after each failure, a few pieces at most.
    """

    def __init__(self, take: Callable[[str], T | None]) -> None:
        self._take = take
        self._ways = (_Way(plain), _Way(rewritten), _Way(written_anew))

    def offer(self, data: bytes, prefix: str) -> T | None:
        """What `take` makes of the first writing that it takes; None: only a parser can read it."""
        refused = None
        for way in self._ways:
            if not way.is_awake():
                continue
            text = way.write(data, prefix)
            taken = None if text is None or text == refused else self._take(text)
            way.note(succeeded=taken is not None)
            if taken is not None:
                return taken
            refused = text
        return None


class _Way:
    """A way of writing, and how it fared."""

    def __init__(self, write: Callable[[bytes, str], str | None]) -> None:
        self.write = write
        self._failures = 0
        self._rest = 0

    def is_awake(self) -> bool:
        """Whether to try it at the next piece."""
        self._rest -= 1
        return self._rest < 0

    def note(self, *, succeeded: bool) -> None:
        """Remember how it went."""
        self._failures = 0 if succeeded else self._failures + 1
        self._rest = min(max(self._failures - 1, 0), _LONGEST_REST)
