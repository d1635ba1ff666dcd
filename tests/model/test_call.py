from hypothesis import given
from hypothesis import strategies as st
from werkzeug.formparser import parse_form_data
from werkzeug.test import EnvironBuilder

from feedtool.model.call import FilePart, multipart

LETTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\')
PARTS = st.lists(
    st.builds(
        FilePart,
        st.just("files"),
        st.text(LETTERS).map(lambda name: f"{name}.pdf"),
        st.sampled_from(["application/pdf", "application/xml"]),
        st.binary() | st.just(b"\r\n--feedtool-"),
    ),
    min_size=1,
    max_size=4,
)


@given(PARTS)
def test_a_server_reads_the_files_and_the_same_files_give_the_same_bytes(
    parts: list[FilePart],
) -> None:
    headers, body = multipart(parts)
    builder = EnvironBuilder(method="POST", data=body, headers=list(headers))
    _, _, files = parse_form_data(builder.get_environ())
    read = []
    for file in files.getlist("files"):
        read.append(FilePart("files", file.filename or "", file.mimetype, file.read()))
        file.close()
    assert read == parts
    assert multipart(parts) == (headers, body)


def test_no_name_ends_its_header() -> None:
    _, body = multipart([FilePart("f", 'a"\r\nb.pdf', "application/pdf", b"x")])
    assert b'filename="a%22%0D%0Ab.pdf"\r\n' in body
