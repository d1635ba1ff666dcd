"""Guess the code page of a text that is not Unicode, by its words with letters beyond ASCII.

A word fits a page if it looks like a word in it: its letters are of one language, its capitals are
at usual places, and no symbol replaces a letter.
"""
# ruff: noqa: RUF001 - letters of many alphabets are the subject

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

USUAL = "cp1252"
"""The page of Excel in Western Europe, which is taken unless another fits better."""
MAC = "mac_roman"
MOST_WORDS = 5000
"""Different words that are tried in the usual page at most."""
_ENOUGH = 200
"""Words that fit the usual page worst, and as many that fit it best, are tried in the others."""

_WEST = (
    "àâæçéèêëîïôœùûüÿ",  # French
    "äöüßéà",  # German
    "áéíñóúü",  # Spanish
    "àçèéíïòóúü",  # Catalan
    "áâãàçéêíóôõúü",  # Portuguese
    "àèéìîòóù",  # Italian
    "áèéêëïóöü",  # Dutch
    "æøåéäöü",  # Danish, Finnish, Norwegian, Swedish
    "äõöüšž",  # Estonian, and names of the Balkans
    "áéíóúýþæöð",  # Icelandic
)
_CENTRE = (
    "ąćęłńóśźż",
    "áčďéěíňóřšťúůýž",
    "áäčďéíĺľňóôŕšťúýž",
    "áéíóöőúüű",
    "ăâîşţ",
    "čćđšž",
)
_CYRILLIC = (
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "абвгдђежзијклљмнњопрстћуфхцчџш",
)
_ALPHABETS = {
    USUAL: _WEST,
    "iso8859-15": _WEST,
    MAC: _WEST,
    "cp850": _WEST,
    "cp437": _WEST,
    "cp1250": _CENTRE,
    "cp1254": ("çğıöşüâîû",),
    "cp1251": _CYRILLIC,
    "cp1253": ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",),
}
"""Pages, the likelier ones first, and the letters beyond ASCII of their languages."""
NOT_LATIN = ("cp1251", "cp1253")
_EAST_ASIAN = {"gb18030": "gb2312", "big5": "big5", "euc_kr": "euc_kr", "cp932": "shift_jis"}

_BAD, _WEAK, _STRONG = range(3)
"""Grades of a text in a page: it is no word, may be a word, is a word."""
_OTHER_CLASSES = " 0"
_AS_WORDS = bytes(
    byte
    if byte in range(0x80, 0x100) or chr(byte).isalpha()
    else ord(_OTHER_CLASSES[chr(byte).isdigit()])
    for byte in range(256)
)
_LETTERS = re.compile(r"[^\W\d_ªºµƒˆ²³¹¼½¾]+")
_NOT_OF_THE_WEST = re.compile(
    r"[^\x00-\x7f]{3}"
    r"|œ(?:[rwmkpzajgh]|l[^i]|d[^eèi]|$)"  # œ is Polish ś, and ú on a Mac
    r"|[ùì][^\W\d_]"  # which end a word
    r"|^(?:ï|ë|î[^l])."
    r"|[aeiouyöüáéíóúýæ]þ|.þ$|^ð"
)
_NOT_OF_THE_EAST = re.compile(r"^[ьы]|[ъь][ъьы]|[аеёиоуыэюя][ъь]|ς.|σ$")
_LACKS_A_VOWEL = re.compile(r"[б-дж-зй-нп-тф-щґђјљњћџ]{3,}|[α-ωϊϋ]{3,}")
"""A Cyrillic word without a vowel; a Greek one without an accent, which only capitals lack."""
_UNLIKELY = "‚„ˆ†‡·ŽžÝýÞþÐð"
"""Letters and symbols that rarely occur alone."""
_APOSTROPHE = re.compile(r"(?:\b\w{1,2}|ll|qu|rd|un|gn)’|’(?:s|t|re|ve|ll|m|d)\b", re.IGNORECASE)
"""The apostrophe of an elision in French or Italian, or of English `’s`, `’t` …"""
_SPLIT = re.compile(r"[^\W\d_][^\w\x00-\x7f’][^\W\d_]")
"""A symbol between letters."""
_MANY = 5
"""Another page wins if it has more words of one language: by this many, and by one in so many."""
_SHORT = 2
"""Letters of a word that may occur by chance, at most."""
_COMMON = {
    "gb18030": (0xA1, 0xD7),
    "big5": (0xA1, 0xC6),
    "euc_kr": (0xA1, 0xC8),
    "cp932": (0x81, 0x97),
}
"""The first bytes of the usual letters."""
_NEARLY_ALL = 0.8
_MANY_LATIN = 3
"""Latin letters for each byte beyond ASCII: words of East Asian texts have fewer."""
_TWO_LETTERS = re.compile(r"[^\x00-\x7f]{2,}")
_UTF8_IN_LATIN = re.compile(rb"\xc3[\x80-\xbf]|\xc2[\xa0-\xbf]|\xe2[\x80-\x84][\x80-\xbf]")
_SYMBOLS = "’‘“”„‚«»‹›…–—•·°²³¹½¼¾×÷±€£¥¢§©®™ªºµ¡¿¶†‡‰´№\xa0\xad"
_INSIDE, _BEFORE, _AFTER = (
    "’´–—…×·\xad",
    "’‘“”„«»‹›‚…–—•×±€§©µ¡¿†´¶\xad",
    "’‘“”«»‹›…–—•°²³¹×÷±€®™ªº†‡‰´¶\xad",
)
"""Symbols between two letters; before a letter only; after a letter only."""
_METRES = re.compile(r"(?:^|[^a-z])(?:[kcdmn]?m|nm)$", re.IGNORECASE)


class Doubts(NamedTuple):
    """Letters that differ in another page, which fits the text equally well."""

    letters: frozenset[str]
    page: str
    other: str


class CodePage(NamedTuple):
    """The page of a text, guessed by its words."""

    name: str
    doubts: Doubts | None = None
    """Letters that differ in another page, which fits equally well."""
    fits: bool = True
    """True if all words fit the page."""
    are_mixed: bool = False
    """True if some words do not fit and are UTF-8."""


class _Reading(NamedTuple):
    """All words, decoded with a page."""

    name: str
    texts: Sequence[str]
    grades: Sequence[int]
    bad: int
    evidence: int
    """The number of words that fit the page well, and differ in the usual page."""
    coherent: int
    """The number of words that fit the page in one language."""

    def doubts(self, other: "_Reading") -> Iterator[str]:
        """Yield the letters that differ in another page, in words that fit it as well."""
        readings = zip(self.texts, self.grades, other.texts, other.grades, strict=True)
        is_usual = self.name == USUAL
        for text, grade, other_text, other_grade in readings:
            for letter, another in zip(text, other_text, strict=True):
                is_likely = is_usual and letter not in _UNLIKELY
                is_other = letter != another and (another.isalpha() or not is_usual)
                if is_other and other_grade > (grade if is_likely else _BAD):
                    yield letter


def words_in(text: bytes) -> set[bytes]:
    """Return the different words of a text that are not ASCII, each digit as 0."""
    if text.isascii():
        return set()
    words = set(text.translate(_AS_WORDS).split())
    return {word for word in words if not word.isascii()}


def find_page(words: Collection[bytes], *, has_mac_lines: bool) -> CodePage | None:
    """Return the page that most words fit, or None if no page is likely."""
    usual = _decode(USUAL, words, None)
    if usual and min(usual.grades) == _STRONG and not has_mac_lines:
        return CodePage(USUAL)
    if usual:
        by_grade = sorted(zip(usual.grades, words, strict=True))
        words = [word for _, word in by_grade[:_ENOUGH]]
        words += [word for _, word in by_grade[_ENOUGH:][-_ENOUGH:]]
        usual = _decode(USUAL, words, None)
    others = [_decode(name, words, usual) for name in _ALPHABETS if name != USUAL]
    pages = sorted(
        filter(None, others),
        key=lambda page: (page.bad, has_mac_lines and page.name != MAC, -page.evidence),
    )
    best = next((page for page in pages if page.evidence), None)
    is_mac = best is not None and has_mac_lines and best.name == MAC
    if best and (2 * best.bad > len(words) or (usual and best.bad >= usual.bad + is_mac)):
        best = None
    if best is None and usual and not usual.bad:
        needed = usual.coherent + max(_MANY, len(words) // _MANY)
        likelier = (page for page in pages if not page.bad and page.coherent >= needed)
        best = next(likelier, None)
    page = best or usual
    if page is None:
        return None
    readings = list(zip(words, page.texts, page.grades, strict=True))
    sure = {letter for _, text, grade in readings if grade == _STRONG for letter in text}
    letters, rival = set[str](), ""
    for other in () if best and is_mac else pages:
        if other is not page and other.bad <= page.bad and other.coherent >= page.coherent:
            doubtful = set(page.doubts(other)) - (sure if page is usual else set())
            rival = rival or (other.name if doubtful else "")
            letters |= doubtful
    doubts = Doubts(frozenset(letters), page.name, rival) if letters else None
    are_mixed = any(grade == _BAD and _UTF8_IN_LATIN.search(word) for word, _, grade in readings)
    return CodePage(page.name, doubts, not page.bad, are_mixed)


def east_asian_pages(text: bytes) -> list[str]:
    """Return the multibyte pages in which nearly all letters are usual ones."""
    # `Référence` on a Mac could be Japanese, but nearly all of its letters are Latin.
    words = b"".join(words_in(text))
    latin = words.decode("ascii", "ignore")
    if sum(map(str.isalpha, latin)) > _MANY_LATIN * (len(words) - len(latin)):
        return []
    likely = []
    for name, usual in _EAST_ASIAN.items():
        try:
            decoded = text.decode(name)
        except UnicodeDecodeError:
            continue
        # Two letters of a European word may look like one East Asian letter between Latin ones.
        letters = "".join(_TWO_LETTERS.findall(decoded))
        first, last = _COMMON[name]
        alone = (letter for letter in letters if letter.lower() == letter.upper())
        codes = (letter.encode(usual, "ignore") for letter in alone)
        common = sum(len(code) > 1 and first <= code[0] <= last for code in codes)
        if common and common >= _NEARLY_ALL * sum(not letter.isascii() for letter in decoded):
            likely.append(name)
    return likely


def _decode(name: str, words: Collection[bytes], usual: _Reading | None) -> _Reading | None:
    """Decode all words with a page; None if it has no letter for one of their bytes.

    In the pages of the West the words may be of several languages; in others all are of one
    language, or have the same letters in the usual page.
    """
    try:
        texts = [word.decode(name) for word in words]
    except UnicodeDecodeError:
        return None
    alphabets = _ALPHABETS[name]
    choices = [alphabets] if alphabets is _WEST else [(alphabet,) for alphabet in alphabets]
    same = usual.texts if usual else [""] * len(texts)
    kept = usual.grades if usual else [_BAD] * len(texts)
    readings, pairs = [], list(zip(texts, words, strict=True))
    for chosen in choices:
        grades = [
            grade if grade and text == other else _grade(text, word, chosen, is_usual=name == USUAL)
            for text, word, other, grade in zip(texts, words, same, kept, strict=True)
        ]
        evidence = sum(
            grade == _STRONG and text != other
            for grade, text, other in zip(grades, texts, same, strict=True)
        )
        coherent = max(
            sum(_grade(text, word, (alphabet,), is_usual=True) > 0 for text, word in pairs)
            for alphabet in chosen
        )
        readings.append(_Reading(name, texts, grades, grades.count(_BAD), evidence, coherent))
    return min(readings, key=lambda reading: (reading.bad, -reading.evidence))


def _grade(text: str, word: bytes, alphabets: Sequence[str], *, is_usual: bool) -> int:
    """Grade a word in some languages of a page."""
    is_latin = alphabets[0][0] not in "аα"
    if is_latin and _UTF8_IN_LATIN.search(word):
        return _BAD
    grades = [
        grade_of_symbol(text, place)
        for place, letter in enumerate(text)
        if not letter.isascii() and not _LETTERS.match(letter)
    ]
    for run in _LETTERS.findall(text):
        if not run.isascii():
            grade = grade_of_letters(run, alphabets, is_latin=is_latin)
            is_sure = len(run) > _SHORT and (run[1:].islower() or run.isupper())
            grades.append(grade if is_usual or is_sure else min(grade, _WEAK))
    if min(grades, default=_WEAK) == _BAD:
        return _BAD
    return _WEAK if _SPLIT.search(text) else max(grades, default=_WEAK)


def grade_of_letters(run: str, alphabets: Sequence[str], *, is_latin: bool) -> int:
    """Grade a run of letters, some of them beyond ASCII."""
    small = run.replace("İ", "ı").lower()
    beyond = {letter for letter in small if not letter.isascii()}
    fitting = [alphabet for alphabet in alphabets if beyond <= set(alphabet)]
    is_all_beyond = not any(map(str.isascii, run))
    is_west, lacks_a_vowel = alphabets is _WEST, bool(_LACKS_A_VOWEL.fullmatch(small))
    if not fitting or not has_usual_case(run) or (lacks_a_vowel and not run.isupper()):
        return _BAD
    if is_west and _NOT_OF_THE_WEST.search(small):
        return _BAD
    if not is_latin and (not is_all_beyond or _NOT_OF_THE_EAST.search(small)):
        return _BAD
    is_rare = is_west and fitting[0] in _WEST[-2:] and run[0] != "Š"
    is_weak = is_rare or (is_west and is_all_beyond) or (lacks_a_vowel and "α" not in alphabets[0])
    return _WEAK if is_weak or not run[1:] else _STRONG


def has_usual_case(run: str) -> bool:
    """False if a letter beyond ASCII is a capital in a small word, or small between capitals."""
    if run.isupper() or run[1:].islower():
        return True
    for before, letter, after in zip(f" {run}", run, f"{run[1:]} ", strict=False):
        if letter.isascii():
            continue
        if letter.isupper() and (before.islower() or (before != " " and after.islower())):
            return False
        if letter.islower() and before.islower() and after.isupper():
            return False
    return True


def grade_of_symbol(text: str, place: int) -> int:
    """Grade a symbol by the characters before and after it."""
    symbol, before, after = text[place], text[:place][-1:], text[place + 1 :][:1]
    is_after, is_before = bool(_LETTERS.match(before)), bool(_LETTERS.match(after))
    is_number = before in {"0", "n", "N"} and symbol in "°ºª"
    is_metre = symbol in "²³" and bool(_METRES.search(text[:place]))
    is_degree = symbol == "°" and after in {*"CFKcfk"}
    if symbol not in _SYMBOLS:
        return _BAD
    if is_after and is_before:
        strong = symbol == "’" and bool(_APOSTROPHE.search(text))
        weak = symbol in _INSIDE or is_number or is_metre
    elif is_before:
        strong, weak = False, symbol in _BEFORE or is_number or is_degree
    elif is_after:
        strong, weak = symbol in "™®", symbol in _AFTER
    else:
        strong, weak = symbol == "€", True
    return _STRONG if strong else _WEAK if weak else _BAD
