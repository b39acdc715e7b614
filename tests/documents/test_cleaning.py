"""Text out of mail, HTML and bytes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smatter.documents.cleaning import SAFE_FIELDS, decode, html_text, mail_text, own_words, split_message


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", ""),
        ("naïve €".encode(), "naïve €"),
        (b"na\xefve", "naïve"),
        (b"\x93quoted\x94", "“quoted”"),
        (b"a\x00b\x81", "a\x00b\ufffd"),
        (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
    ],
)
def test_decode(raw, text):
    assert decode(raw) == text


@given(st.binary(max_size=200), st.sampled_from(["utf-8", "latin-1", "ascii"]))
def test_decode_never_fails(raw, encoding):
    assert isinstance(decode(raw, encoding), str)


def test_header_fields():
    header, body = split_message("Subject: a long\n subject\nTo: ann\nTO: bob\nX-Odd:\n\nBody\n\nof two parts")
    assert header == {"subject": "a long subject", "to": "ann bob", "x-odd": ""}
    assert body == "Body\n\nof two parts"


@pytest.mark.parametrize(
    ("message", "header", "body"),
    [
        ("", {}, ""),
        ("No header: here\n\nx", {}, "No header: here\n\nx"),
        ("\nSubject: too late", {}, "\nSubject: too late"),
        ("Subject: only", {"subject": "only"}, ""),
        ("Newsgroups: a,\nb.c\nSubject: s\n\nx", {"newsgroups": "a, b.c", "subject": "s"}, "x"),
    ],
)
def test_odd_headers(message, header, body):
    assert split_message(message) == (header, body)


def test_safe_fields_name_no_group():
    assert not {"newsgroups", "xref", "path", "followup-to", "article-i.d.", "distribution", "approved"} & {
        *SAFE_FIELDS
    }
    assert mail_text("Path: x\nFrom: ann\nSubject: s\n\nb", SAFE_FIELDS) == "ann\ns\nb"


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("> quoted\nown\n>> more\n  > and more", "own"),
        ("MB> quoted\nown", "own"),
        ("In article <1@x>, ann@x writes:\n|quoted\nown", "own"),
        ("Ann (ann@x) wrote:\nown", "own"),
        ("own\n--\nAnn\n-- \nmore", "own"),
        ("a --not a signature\nx > y\nhe said so", "a --not a signature\nx > y\nhe said so"),
        ("", ""),
        ("> all quoted", ""),
    ],
)
def test_own_words(body, own):
    assert own_words(body) == own


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("<h1>Title</h1>text", "Title text"),
        ("<p>one<p>two<br>three<li>four", "one two three four"),
        ("<table><tr><td>a<td>b</table>c", "a b c"),
        ("<font size=+1>D</font>epartment of <b>C</b>omputer <i>Science</i>", "Department of Computer Science"),
        ("<script>var a = '<p>no';</script><style>p {}</style>text<!-- no <p>no --><noscript>no</noscript>", "text"),
        ("&lt;p&gt; &amp; caf&eacute; &#233;", "<p> & café é"),
        ("<a href='x>y'>link</a><img alt='no'>", "link"),
        ("<p <b>broken</b", "broken"),
        ("a\x00b\x07c", "a b c"),
        ("5 < 6 and 7 > 3", "5 < 6 and 7 > 3"),
    ],
)
def test_html(page, text):
    assert html_text(page) == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("HTTP/1.0 200 OK\nServer: x\n\n<p>page", "page"),
        ("Date: Monday\nContent-type: text/html\n\n<p>page", "page"),
        ("Note: read this\nnot a header\n\ntext", "Note: read this not a header text"),
        ("<title>A: b</title>\n\ntext", "A: b text"),
    ],
)
def test_http_header(page, text):
    assert html_text(page) == text


def test_deep_and_wide_pages_take_no_time():
    start = time.process_time()
    assert html_text("<div>" * 200_000 + "deep &amp; wide") == "deep & wide"
    assert html_text("<p>word" * 100_000).count("word") == 100_000
    assert time.process_time() - start < 5


@given(st.text(alphabet="<>/!-ab &;\"'=\x00", max_size=60))
def test_any_page_becomes_text(page):
    text = html_text(page)
    assert text == " ".join(text.split())
