"""Text out of what surrounds it: bytes, mail headers, quoted mail, HTML."""

import html
import re

_FIELD = re.compile(r"([!-9;-~]+):[ \t]*(.*)")  # RFC 5322: a field name is any printable ASCII but the colon
_QUOTE_MARKS = (">", "|", ":")
_BEFORE_A_QUOTE = ("writes:", "wrote:", "says:", "said:")
_LONGEST_INITIALS = 4  # "jdm>": quotes of some mail programs
_SIGNATURE = re.compile(r"^--[ \t]*$", re.MULTILINE)
_HTTP_STATUS = re.compile(r"HTTP/\d")
_WITHOUT_TEXT = ["script", "style", "noscript", "template"]
_INLINE = ["a", "abbr", "acronym", "b", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "kbd", "s", "samp"]
_INLINE += ["small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"]
_MOST_TAGS = 20_000  # the parser's time grows with the square of the nesting: more tags than this are cut out unparsed
_TAG = re.compile(r"<[^<>]*>")
_UNUSABLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32)], " ")  # control characters other than tab and line ends

SAFE_FIELDS = ("from", "reply-to", "sender", "organization", "subject", "keywords", "summary")
"""Fields of a message that a reader sees and that do not name the group it was sent to."""


def decode(raw: bytes, encoding: str = "utf-8") -> str:
    r"""Turn bytes into text without ever failing; what is not valid in ``encoding`` is read as Windows-1252.

    >>> decode("naïve".encode()), decode("naïve".encode("latin-1"))
    ('naïve', 'naïve')
    """
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_message(message: str) -> tuple[dict[str, str], str]:
    r"""Split a mail or news message into its header fields (names in lower case) and its body.

    A field that occurs twice holds both values; a text that does not start with a field has no header.

    >>> split_message("Subject: Re: axles\nLines: 1\n\nGrease them.")
    ({'subject': 'Re: axles', 'lines': '1'}, 'Grease them.')
    """
    if not _FIELD.match(message):
        return {}, message
    head, _, body = message.partition("\n\n")
    fields: dict[str, str] = {}
    name = ""
    for line in head.split("\n"):
        found = None if line[:1] in (" ", "\t") else _FIELD.match(line)
        if found:
            name = found[1].lower()
        value = found[2] if found else line.strip()
        fields[name] = f"{fields[name]} {value}" if name in fields else value
    return fields, body


def mail_text(message: str, fields: tuple[str, ...] = ("subject",)) -> str:
    r"""Return the values of the wanted header fields, a line each, and the body.

    >>> mail_text("Newsgroups: rec.autos\nSubject: axles\n\nGrease them.")
    'axles\nGrease them.'
    """
    header, body = split_message(message)
    return "\n".join([*(header[name] for name in fields if name in header), body])


def own_words(body: str) -> str:
    r"""Leave out what the writer did not write for this message: quoted lines and the signature.

    >>> own_words("ann@example.org (Ann) writes:\n> Which oil?\nThe thin one.\n-- \nBob, Garage 7")
    'The thin one.'
    """
    signature = _SIGNATURE.search(body)
    if signature:
        body = body[: signature.start()]
    return "\n".join(line for line in body.split("\n") if not _is_quoted(line.strip())).strip("\n")


def _is_quoted(line: str) -> bool:
    if line.startswith((*_QUOTE_MARKS, "In article")) or line.endswith(_BEFORE_A_QUOTE):
        return True
    initials = line[: _LONGEST_INITIALS + 1].partition(">")
    return bool(initials[1]) and initials[0].isalpha()


def html_text(page: str) -> str:
    r"""Return the text that a reader of a page sees, and its title; an HTTP header in front is dropped.

    Words of different blocks never run into each other; scripts, styles and comments are no text.

    >>> html_text("Server: CERN/3.0\nContent-Type: text/html\n\n<title>CS 101</title><p>Exams<p>in <b>M</b>ay")
    'CS 101 Exams in May'
    """
    from selectolax.lexbor import LexborHTMLParser

    page = without_http_header(page).translate(_UNUSABLE)
    if page.count("<") > _MOST_TAGS:
        return " ".join(html.unescape(_TAG.sub(" ", page)).split())
    tree = LexborHTMLParser(page)
    if tree.root is None:
        return ""
    tree.strip_tags(_WITHOUT_TEXT)
    tree.unwrap_tags(_INLINE)
    tree.root.merge_text_nodes()
    return " ".join(tree.root.text(separator=" ").split())


def without_http_header(page: str) -> str:
    """Drop the header that a web server sent before the page, if there is one."""
    head, found, body = page.partition("\n\n")
    lines = head.split("\n")
    if not found or not (_HTTP_STATUS.match(head) or _FIELD.match(lines[0])) or "<" in lines[0]:
        return page
    return body if all(_FIELD.match(line) or line[:1] in (" ", "\t") for line in lines[1:]) else page
