"""Reuters-21578, from archives like the official one."""

import pytest

from smatter.datasets import load_reuters21578
from smatter.errors import InputError, UnreadableError


def _article(number: int, topics: list[str], text: str) -> str:
    named = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="YES" OLDID="1" NEWID="{number}">\n<DATE>1-JAN-1987</DATE>\n<TOPICS>{named}</TOPICS>\n'
        f"<PLACES><D>usa</D></PLACES>\n<TEXT>&#2;\n{text}</TEXT>\n</REUTERS>\n"
    )


def _title_and_body(title: str, body: str) -> str:
    return f"<TITLE>{title}</TITLE>\n<DATELINE>  LIMA, Jan 1 - </DATELINE><BODY>{body}\n&#3;</BODY>"


PARTS = {
    "reut2-001.sgm": _article(3, ["earn"], _title_and_body("ACME &lt;ACM> NET", "Up 5 pct.")).encode(),
    "reut2-000.sgm": "".join(
        [
            _article(1, ["earn"], _title_and_body("CAF\xc9", "Profit.")),
            _article(2, ["acq", "earn"], _title_and_body("two topics", "x")),
            _article(4, [], _title_and_body("no topic", "x")),
            _article(5, ["acq"], "Unprocessed text"),
        ]
    ).encode("latin-1"),
    "all-topics-strings.lc.txt": b"earn\nacq",
}


def test_articles_with_exactly_one_topic(make_tar):
    loaded = load_reuters21578(1, source=make_tar(PARTS))
    assert loaded.ids == ("1", "3", "5")
    assert loaded.labels.tolist() == ["earn", "earn", "acq"]
    assert [text.split() for text in loaded.documents] == [
        ["CAFÉ", "Profit."],
        ["ACME", "<ACM>", "NET", "Up", "5", "pct."],
        ["Unprocessed", "text"],
    ]


def test_small_topics_are_left_out(make_tar):
    assert load_reuters21578(2, source=make_tar(PARTS)).classes == ["earn"]
    with pytest.raises(UnreadableError, match="holds 3 articles with one topic and no topic with 100 of them"):
        load_reuters21578(source=make_tar(PARTS))


@pytest.mark.parametrize("value", [0, 2.5, True, "100"])
def test_bad_minimum(value):
    with pytest.raises(InputError, match=r"min_documents=.* must be a whole number of at least 1"):
        load_reuters21578(value)
