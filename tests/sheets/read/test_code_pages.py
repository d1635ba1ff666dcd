"""The code pages of texts, told by their words."""
# ruff: noqa: RUF001 - letters of many alphabets are the subject

import pytest

from feedtool.sheets.read.code_pages import CodePage, east_asian_pages, find_page, words_in

EXCEL = """
Référence|crème|é|à|ça|Ça|œuf|Œuvre|cœur|10 €|€|l’été|aujourd’hui|« mot »|«mot»|L’HAŸ|ÉTÉ|CRéME
CAFé|Où|où|déjà|Noël|naïve|garçon|forêt|août|île|Île|Éclair|Bébé-1|œdème|fœtus|œil|cœliaque|n°5
N°5 bis|20°C|niño|ñ|¡Hola!|¿Qué?|Señor|piñón|pingüino|Nº 1|1º|2ª|Años|Él|über|Straße|ß|ÖL|Öl
Müller|GRÖSSE|größe|Ärmel|Jäger|Fuß|GROß|“Wort”|„Wort“|»Wort«|30 m²|m³/h|m²K/W|½|1½|¼|Lego®
Post-it™|Kid’s|µm|5 µF|Ø20|Ø 20|5×3|10×20|§ 5|•|Škoda|Citroën|A–1|AB–12|Paris–Lyon|voilà…|…|±5
©2020|København|blåbær|perché|più|lunedì|São|ação|NÃO|Català|col·lecció
Alþingi og það á góðan íslenskan hátt
"""


def page_of(text: bytes, *, has_mac_lines: bool = False) -> CodePage | None:
    return find_page(sorted(words_in(text)), has_mac_lines=has_mac_lines)


@pytest.mark.parametrize("text", EXCEL.strip().replace("\n", "|").split("|"))
def test_texts_of_excel_in_western_europe_are_no_guess(text: str) -> None:
    assert page_of(text.encode("cp1252")) == CodePage("cp1252")


OTHERS = {
    "mac_roman": ("Référence Œuvre-à", "Größe schön", "français l’été", "CRÈME crème"),
    "cp850": ("Référence voilà", "niño", "für Straße", "ÉTÉ été", "señor mañana"),
    "iso8859-15": ("Œuvre-€", "cœur", "Škoda", "10 €"),
    "cp1250": ("Śruba-łóżko-ż", "Źródło", "Příliš žluťoučký kůň", "hűtő", "biały mąka gęś"),
    "cp1254": ("ışık", "küçük şeker Sipariş kırmızı değil", "yeşil ışık"),
    "cp1251": ("Привет", "Лампа настольная", "В наличии", "Стіл", "ПРИВЕТ", "Шкаф-1"),
    "cp1253": ("Καλημέρα", "Προϊόν", "Τραπέζι λάμπα"),
}


@pytest.mark.parametrize(
    ("page", "text"), [(page, text) for page, texts in OTHERS.items() for text in texts]
)
def test_words_tell_another_page(page: str, text: str) -> None:
    found = page_of(text.encode(page))
    assert found is not None
    assert text.encode(page).decode(found.name) == text


DOUBTFUL = {
    "è of DOS, or ä of a Mac": ("crème", "cp850", "ä"),
    "é of a Mac, alone": ("é", "mac_roman", "Ž"),
    "ö of a Mac, or the š of the Balkans": ("schön", "mac_roman", "š"),
    "ş of Turkey, or þ of Iceland": ("şeker", "cp1254", "þ"),
    "capitals of Greece, or of Russia": ("ΛΑΜΠΑ", "cp1253", "Λ"),
    "à of DOS, or three dots": ("voilà", "cp850", "…"),
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_letters_that_are_others_in_a_page_that_fits_as_well_are_doubtful(case: str) -> None:
    text, page, letter = DOUBTFUL[case]
    found = page_of(text.encode(page))
    assert found is not None
    assert found.doubts is not None
    assert letter in found.doubts.letters


@pytest.mark.parametrize("text", ["é", "für", "crème", "CRÈME", "Œuvre"])
def test_line_ends_of_a_mac_settle_ambiguous_texts(text: str) -> None:
    found = page_of(text.encode("mac_roman"), has_mac_lines=True)
    assert found is not None
    assert (found.name, found.doubts) in {("mac_roman", None), ("cp1252", found.doubts)}
    assert found.name == "mac_roman" or found.doubts
    assert page_of("Réf".encode("cp1252"), has_mac_lines=True) == CodePage("cp1252")


@pytest.mark.parametrize("text", [b"\xc3\xa9 \xe9", b"\xe9\xe2\x82\xac", b"R\xc3\xa9f caf\xe9"])
def test_letters_in_utf8_among_others_are_mixed(text: bytes) -> None:
    found = page_of(text)
    assert found is not None
    assert found.are_mixed


def test_an_ambiguous_byte_settles_no_page() -> None:
    assert page_of(b"\x81") is None


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("gb18030", "全新-1"),
        ("gb18030", "商品;桌子"),
        ("big5", "商品-1"),
        ("big5", "中文桌子"),
        ("euc_kr", "상품-1"),
        ("cp932", "商品 テーブル"),
        ("cp932", "iPhone用ケース"),
    ],
)
def test_pages_of_east_asia_are_likely_by_their_usual_letters(page: str, text: str) -> None:
    assert page in east_asian_pages(text.encode(page))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        *(("cp1252", text) for text in ("créée, Dépôt", "Référence", "ÉTÉ", "été")),
        *(("cp850", text) for text in ("Référence", "crème-1", "voilà", "Größe")),
        *(("mac_roman", text) for text in ("Référence", "Référence Œuvre-à", "crème", "schön")),
        *(("cp1250", text) for text in ("Śruba-łóżko-ż", "kůň")),
    ],
)
def test_a_text_of_europe_is_of_no_east_asian_page(page: str, text: str) -> None:
    assert east_asian_pages(text.encode(page)) == []
