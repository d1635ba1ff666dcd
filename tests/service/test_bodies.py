"""Identifiers and links in what the service answers."""

from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feedtool.model.call import Reply
from feedtool.service.answers import LONGEST_ID, ROUTE_NAMES, Unreadable, last_segment, next_link

BASE = "https://service.example/v2"
PAGE = f"{BASE}/offer-packages/p1/offer-requests-results"


def linking(link: str) -> Reply:
    return Reply(200, {"link": link}, b"", PAGE)


ids = st.text(min_size=1, max_size=LONGEST_ID).filter(
    lambda name: name.isprintable() and name.strip() == name
)


@given(
    ids,
    st.sampled_from(
        [f"{BASE}/offer-packages/", "/v2/offer-packages/", "offers-packages/", "/", ""]
    ),
    st.sampled_from(["", "/", "?x=1/2", "#y/z", "/?x#y"]),
)
def test_any_id_survives_any_form(name: str, before: str, after: str) -> None:
    assume(name not in ROUTE_NAMES)
    assert last_segment(before + quote(name, safe="") + after) == name


@given(st.text())
def test_no_address_breaks_it(address: str) -> None:
    assert last_segment(address) not in ROUTE_NAMES - {""}


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (f'<{PAGE}?cursor=2>; rel="next"', f"{PAGE}?cursor=2"),
        (f"<{PAGE}?cursor=2>;rel=next", f"{PAGE}?cursor=2"),
        (f"<{PAGE}?cursor=2>; REL=Next", f"{PAGE}?cursor=2"),
        (f'<{PAGE}?cursor=a,b;c>; title="x, <y>"; rel="last next"', f"{PAGE}?cursor=a,b;c"),
        (f'<{BASE}/1>; rel="prev", <{BASE}/3>; rel="next"', f"{BASE}/3"),
        (f'<{BASE}/1>; title="; rel=next", <{BASE}/3>; rel="next"', f"{BASE}/3"),
        ('<?cursor=2>; rel="next"', f"{PAGE}?cursor=2"),
        ('</other/path?cursor=2>; rel="next"', "https://service.example/other/path?cursor=2"),
        ('<https://SERVICE.example:443/v2/x>; rel="next"', "https://SERVICE.example:443/v2/x"),
        (f'<{BASE}/1>; rel="prev"', None),
        (f"<{BASE}/1>", None),
        (f'<{BASE}/1>; rel="nextish"', None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_the_next_page_is_where_the_link_says(link: str, expected: str | None) -> None:
    assert next_link(linking(link)) == expected


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/v2/x",
        "//evil.example/x",
        "http://service.example/v2/x",
        "https://service.example:8443/v2/x",
        "https://service.example@evil.example/x",
        "https://service.example.evil.example/x",
        "ftp://service.example/x",
        "http://[broken",
        "https://service.example:port/x",
        "https://me:pw@service.example/v2/x",
        "https://service.example/v2/" + "x" * 8000,
        PAGE,
    ],
)
def test_no_link_leads_to_another_origin(address: str) -> None:
    with pytest.raises(Unreadable, match="next page"):
        next_link(linking(f'<{address}>; rel="next"'))


words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)


@given(
    st.lists(st.tuples(words, words.filter(lambda rel: rel.lower() != "next")), max_size=3),
    st.text(st.sampled_from("abc,;=&%20\"'"), max_size=12),
    st.text(st.sampled_from('ab,;<> =\\"'), max_size=12),
)
def test_the_next_page_is_found_among_others(
    others: list[tuple[str, str]], query: str, title: str
) -> None:
    escaped = title.replace("\\", "\\\\").replace('"', '\\"')
    links = [f'<{BASE}/{path}>; title="{escaped}"; rel="{rel}"' for path, rel in others]
    links.append(f'<{PAGE}?c={query}>; title="{escaped}"; rel="next"')
    assert next_link(linking(", ".join(links))) == f"{PAGE}?c={query}"


@given(st.text())
def test_no_link_header_breaks_it(link: str) -> None:
    try:
        found = next_link(linking(link))
    except Unreadable:
        return
    assert found is None or found.startswith("https://")
